import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../src/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../src/database/open.ts'
import { locationOfDataDirectory, locationOfPostgres } from '../src/database/schema-version-error.ts'

interface BenchDatabaseOptions {
  /** Where the embedded database stays; without it one is made that `close` deletes. */
  directory?: string | undefined
  /** The address of a Postgres instead. */
  databaseUrl?: string | undefined
}

/** Opens a migrated database: by default an empty embedded one. */
export async function openBenchDatabase({ directory, databaseUrl }: BenchDatabaseOptions = {}): Promise<OpenDatabase> {
  const dataDir = directory ?? mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
  const onCrash = (error: Error) => {
    throw error
  }
  const opened = await openDatabase({ databaseUrl, dataDir, onCrash, statementTimeoutMs: 0 })
  await migrate(opened.database, databaseUrl === undefined ? locationOfDataDirectory(dataDir) : locationOfPostgres)
  const close = async () => {
    await opened.close()
    if (directory === undefined) rmSync(dataDir, { recursive: true, force: true })
  }
  return { ...opened, close }
}
