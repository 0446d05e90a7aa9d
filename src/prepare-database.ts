import type { Logger } from 'pino'
import type { Config } from './config.ts'
import { migrate } from './database/migrate.ts'
import { type DatabaseOptions, type OpenDatabase, openDatabase } from './database/open.ts'
import { openSearchIndex } from './requests/search/search-index.ts'
import { createTaskQueue } from './scraping/queue.ts'

/** What tests and commands replace. */
export interface PrepareOptions {
  /** No job runs. */
  offline?: boolean
  onStatement?: DatabaseOptions['onStatement']
}

export type PreparedDatabase = Awaited<ReturnType<typeof prepareDatabase>>

/** Migrates on connections of its own without a time limit: a migration, or waiting for another process' one, may take long. */
async function migrateUnhurried({ databaseUrl, dataDir }: Config, opened: OpenDatabase): Promise<string[]> {
  if (databaseUrl === undefined) return migrate(opened.database)
  const unhurried = await openDatabase({ databaseUrl, dataDir, poolSize: 2, statementTimeoutMs: 0, onCrash: () => {} })
  return migrate(unhurried.database).finally(unhurried.close)
}

/** Opens the database and brings its tables, search index and queue up to date. The service and `migrate` begin so. */
export async function prepareDatabase(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  { offline = false, onStatement }: PrepareOptions = {},
) {
  const { databaseUrl, dataDir } = config
  const opened = await openDatabase({ databaseUrl, dataDir, onCrash, onStatement })
  try {
    const migrations = await migrateUnhurried(config, opened)
    const searchIndex = await openSearchIndex(opened.database)
    log.info(
      { database: opened.home, search: searchIndex.kind, reason: searchIndex.fallbackReason },
      'database is ready',
    )
    const queue = createTaskQueue(opened, log, config.runningJobs)
    if (!offline) await queue.start()
    return { opened, migrations, searchIndex, queue }
  } catch (error) {
    await opened.close()
    throw error
  }
}
