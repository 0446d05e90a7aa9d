import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { bootstrapFirstAccount } from '../../src/accounts/accounts.ts'
import type { Database, OpenDatabase } from '../../src/database/open.ts'
import { openSearchIndex } from '../../src/requests/search/search-index.ts'
import { countTexts } from '../../src/requests/search/uncounted-texts.ts'
import { type PostgresServer, startPostgres } from '../../test/postgres.ts'
import { openBenchDatabase } from '../bench-database.ts'
import type { BenchDocument } from '../engines/engine.ts'
import { createLoader } from '../engines/load.ts'
import type { Progress } from './progress.ts'
import type { Loaded } from './results.ts'
import { apiKey } from './service.ts'

/** The databases of a run. */
export interface BenchServer {
  /** Where the directories of embedded databases are. */
  directory: string
  postgres: PostgresServer
  /** @param kept whether the databases stay for a later run. */
  stop(): Promise<void>
}

/** Starts a Postgres beside a directory for embedded databases. @param kept where they stay; without it they are temporary. */
export async function startServer(kept: string | undefined): Promise<BenchServer> {
  const directory = kept ?? mkdtempSync(join(tmpdir(), 'wishwell-bench-setups-'))
  mkdirSync(directory, { recursive: true })
  const postgres = await startPostgres(kept === undefined ? {} : { directory: join(directory, 'postgres') })
  return {
    directory,
    postgres,
    stop: async () => {
      await postgres.stop()
      if (kept === undefined) rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Makes a database on the Postgres unless it is there, and opens it. */
export async function openPostgres({ postgres }: BenchServer, name: string): Promise<OpenDatabase> {
  await postgres.createDatabase(name).catch((error: { code?: string }) => {
    // Of an earlier run.
    if (error.code !== '42P04') throw error
  })
  return openBenchDatabase({ databaseUrl: postgres.url(name) })
}

/** Opens an embedded database, with the index that it is searched by. */
export async function openEmbedded(directory: string): Promise<OpenDatabase> {
  const opened = await openBenchDatabase({ directory })
  await openSearchIndex(opened.database)
  return opened
}

const batchSize = 1_000

interface Documents {
  size: number
  document(number: number): BenchDocument
}

/** Does what the service does in the background after storing, which would go on while searches are measured. */
export async function settle(database: Database): Promise<void> {
  await countTexts(database)
  await sql`vacuum analyze`.execute(database)
}

/** Stores documents as scrapes do. A load that was interrupted goes on. @param marker the file that says that it is complete */
export async function load(
  database: Database,
  { size, document }: Documents,
  { marker, progress, name }: { marker: string; progress: Progress; name: string },
): Promise<Loaded> {
  if (existsSync(marker)) return JSON.parse(readFileSync(marker, 'utf8'))
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from requests`.execute(database)
  const from = rows[0]!.count - (rows[0]!.count % batchSize)
  // Before the account of the loader, which cannot search: the service would give its key to the first account.
  await bootstrapFirstAccount(database, { apiKey, tier: 'max', now: new Date() })
  const store = await createLoader(database)
  const since = performance.now()
  progress.step(name, Math.max(0, Math.ceil((size - from) / batchSize)))
  for (let start = from; start < size; start += batchSize) {
    const count = Math.min(batchSize, size - start)
    await store(Array.from({ length: count }, (_, index) => document(start + index)))
    progress.advance()
  }
  await settle(database)
  const loaded = { seconds: (performance.now() - since) / 1_000, from }
  writeFileSync(marker, JSON.stringify(loaded))
  return loaded
}

/** The bytes of all files in a directory. */
export const bytesIn = (directory: string): number =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

/** The bytes of a table or an index; 0 where there is none. */
export async function relationBytes(database: Database, name: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    select coalesce(pg_table_size(to_regclass(${name})), 0) as bytes`.execute(database)
  return Number(rows[0]!.bytes)
}

export async function databaseBytes(database: Database): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`select pg_database_size(current_database()) as bytes`.execute(database)
  return Number(rows[0]!.bytes)
}
