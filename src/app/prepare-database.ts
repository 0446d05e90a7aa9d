import type { Logger } from 'pino'
import { createTaskQueue } from '../collecting/scraping/queue.ts'
import { migrate } from '../database/migrate.ts'
import { type Database, type DatabaseOptions, type OpenDatabase, openDatabase } from '../database/open.ts'
import { locationOfDataDirectory, locationOfPostgres } from '../database/schema-version-error.ts'
import { type ClusterSearch, openClusterSearch } from '../search/opensearch/cluster-search.ts'
import { openSearchIndex } from '../search/search-index.ts'
import type { Config } from './config.ts'

/** Replacements for tests and commands. */
export interface PrepareOptions {
  offline?: boolean
  /** Whether to build a search index over all stored requests, which takes minutes. */
  buildsSearchIndex?: boolean
  /** Updates an external index before each search; for tests only. */
  searchWaitsForChanges?: boolean
  open?: typeof openDatabase | undefined
}

export type PreparedDatabase = Awaited<ReturnType<typeof prepareDatabase>>

const optionsOf = (config: Config): Omit<DatabaseOptions, 'onCrash'> => ({
  databaseUrl: config.databaseUrl,
  listenUrl: config.databaseListenUrl,
  dataDir: config.dataDir,
  poolSize: config.databasePoolSize,
  queuePoolSize: config.databaseQueuePoolSize,
})

/** Migrates tables and search index, without time limits: a migration, even another process's, may take long. */
async function bringUpToDate(
  { databaseUrl, databaseListenUrl, dataDir, searchEngine: choice, searchNodes }: Config,
  log: Logger,
  opened: OpenDatabase,
  buildsFullIndex: boolean,
) {
  const location = databaseUrl === undefined ? locationOfDataDirectory(dataDir) : locationOfPostgres
  const prepare = async (database: Database) => {
    const migrations = await migrate(database, location)
    const isShared = databaseUrl !== undefined
    // With a search cluster, the database needs no index.
    if (searchNodes !== null) return { migrations, inDatabase: null }
    return { migrations, inDatabase: await openSearchIndex(database, { choice, isShared, buildsFullIndex, log }) }
  }
  if (databaseUrl === undefined) return prepare(opened.database)
  const unhurried = await openDatabase({
    databaseUrl: databaseListenUrl ?? databaseUrl,
    dataDir,
    poolSize: 2,
    statementTimeoutMs: 0,
    onCrash: () => {},
  })
  return prepare(unhurried.database).finally(unhurried.close)
}

/** Null if the database searches. */
async function openCluster(
  { searchNodes: nodes, searchShards: shards }: Config,
  { database }: OpenDatabase,
  log: Logger,
  { searchWaitsForChanges: waitsForChanges = false }: PrepareOptions,
): Promise<ClusterSearch | null> {
  return nodes === null ? null : openClusterSearch({ database, nodes, shards, log, waitsForChanges })
}

/** Opens the database and migrates tables, search index and queue: the first step of the service and of `migrate`. */
export async function prepareDatabase(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  options: PrepareOptions = {},
) {
  const { offline = false, buildsSearchIndex = false, open = openDatabase } = options
  const opened = await open({ ...optionsOf(config), onCrash })
  let searchCluster: ClusterSearch | null = null
  try {
    const { migrations, inDatabase } = await bringUpToDate(config, log, opened, buildsSearchIndex)
    searchCluster = await openCluster(config, opened, log, options)
    const searchIndex = (inDatabase ?? searchCluster?.searchIndex)!
    log.info(
      { database: opened.backend, search: searchIndex.kind, reason: searchIndex.fallbackReason },
      'database is ready',
    )
    const queue = createTaskQueue(opened, log, config.runningJobs)
    if (!offline) await queue.start()
    return { opened, migrations, searchIndex, searchCluster, queue }
  } catch (error) {
    await searchCluster?.close()
    await opened.close()
    throw error
  }
}
