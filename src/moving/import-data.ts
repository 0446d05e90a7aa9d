import { sql } from 'kysely'
import type { Database, OpenDatabase, Transaction } from '../database/open.ts'
import { countTotal, type DumpEnd, type DumpHeader } from './dump.ts'
import { requireStoppedService } from './export-data.ts'
import { advanceImport, beginImport, endImport, type ImportState, readImportState } from './import-state.ts'
import { DumpError, MovingError } from './moving-error.ts'
import type { MovingProgress } from './progress.ts'
import { type Chunk, type OpenDump, openDump } from './read-dump.ts'
import { setUpTransaction, storeRows, summarize } from './rows.ts'
import { setSequences } from './sequences.ts'
import { findFilledTable, type MovedTable, readMovedTables } from './tables.ts'

export interface ImportOptions {
  dump: AsyncIterable<Uint8Array>
  now(): Date
  onProgress(progress: MovingProgress): void
  /** Called when all rows are stored and before they are compared with the dump. */
  onComparing(): void
  /** Makes what is derived from the rows and not in a dump. Called once or, after a crash, again. */
  derive(database: Database): Promise<void>
  /** Queues the unfinished work again. Called once or, after a crash, again. */
  queueWork(database: Database): Promise<void>
}

/** What an import has done. */
export interface Imported {
  /** By table. */
  rows: Record<string, number>
  totalRows: number
  digest: string
  /** How many rows an earlier import that broke off had stored. */
  earlierRows: number
  /** Whether this dump was imported completely before. */
  wasComplete: boolean
}

type Opened = Pick<OpenDatabase, 'database' | 'embedded'>

/** Begins an import, or goes on with one. @throws MovingError when the database is not empty. */
async function openState(database: Database, tables: readonly MovedTable[], now: Date): Promise<ImportState> {
  const known = await readImportState(database)
  if (known !== null) return known
  await requireStoppedService(database, 'Nothing was imported')
  const filled = await findFilledTable(database, tables)
  if (filled !== null) {
    throw new MovingError(
      `Nothing was imported: the database is not empty (its table ${filled} has rows). Use a new one, which no service has used.`,
    )
  }
  return database.transaction().execute((transaction) => beginImport(transaction, now))
}

function requireSameTables({ tables }: DumpHeader, moved: readonly MovedTable[]): void {
  const names = moved.map(({ name }) => name)
  if (JSON.stringify(tables.map(({ name }) => name)) === JSON.stringify(names)) return
  throw new DumpError('it has other tables than this Wishwell: export again with this version.')
}

const isOtherDump = () =>
  new DumpError('it is another dump than the one whose import was begun here. Use that one, or an empty database.')

async function storeChunk(transaction: Transaction, table: MovedTable, chunk: Chunk): Promise<void> {
  await setUpTransaction(transaction)
  await advanceImport(transaction, chunk.number, chunk.digest)
  try {
    await storeRows(transaction, table, chunk.lines)
  } catch (error) {
    throw isRefusal(error)
      ? new DumpError(`it has rows of the table ${table.name} that no database takes (${error.message}).`)
      : error
  }
}

/** Whether the database refuses what a row holds: data that it cannot store (SQLSTATE class 22), or that a constraint forbids (23). */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code))

/** PGlite makes no checkpoints by itself; without them its log grows for as long as the import takes. */
const checkpointBytes = 64_000_000

function createCheckpoints({ embedded }: Opened) {
  let bytes = 0
  return async (stored: number) => {
    bytes += stored
    if (embedded === null || bytes < checkpointBytes) return
    bytes = 0
    await embedded.alone((queries) => queries.query('checkpoint'))
  }
}

/** Stores the chunks behind the last one that is stored. @returns the end of the dump, and how many rows were there before. */
async function storeChunks(
  opened: Opened,
  tables: readonly MovedTable[],
  { header, chunks }: OpenDump,
  state: ImportState,
  onProgress: ImportOptions['onProgress'],
): Promise<{ end: DumpEnd & { digest: string }; earlierRows: number }> {
  const totalRows = countTotal(header)
  const checkpoint = createCheckpoints(opened)
  const byName = new Map(tables.map((table) => [table.name, table]))
  let rows = 0
  let earlierRows = 0
  for (;;) {
    const { value, done } = await chunks.next()
    if (done) return { end: value, earlierRows }
    const chunk = value
    rows += chunk.rows
    if (chunk.number <= state.chunks) {
      if (chunk.number === state.chunks && chunk.digest !== state.digest) throw isOtherDump()
      earlierRows += chunk.rows
    } else {
      if (state.isEnded) throw isOtherDump()
      const table = byName.get(chunk.table) as MovedTable
      await opened.database.transaction().execute((transaction) => storeChunk(transaction, table, chunk))
      await checkpoint(chunk.lines.length)
    }
    onProgress({ rows, totalRows, bytes: chunk.endsAt })
  }
}

/** @throws MovingError that names the first table that is not as in the dump. */
async function compareRows(database: Database, tables: readonly MovedTable[], end: DumpEnd): Promise<void> {
  const different = (table: string) =>
    new MovingError(
      `The table ${table} is not as in the dump: the import is not complete. Did another process write to the database meanwhile? Import into an empty one.`,
    )
  for (const table of tables) {
    const { rows, checksum } = end.tables[table.name] ?? { rows: 0, checksum: '0' }
    const stored = await database.transaction().execute(async (transaction) => {
      await setUpTransaction(transaction)
      return summarize(transaction, table)
    })
    if (stored.rows !== rows || stored.checksum !== checksum) throw different(table.name)
  }
}

/** A new table has no statistics, without which the first queries would have bad plans. */
async function analyze(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(database)
  for (const { name } of rows) {
    await database.transaction().execute(async (transaction) => {
      await setUpTransaction(transaction)
      await sql`analyze ${sql.table(name)}`.execute(transaction)
    })
  }
}

/**
 * Imports a dump into an empty database. Each chunk is stored in a transaction of its own, which also counts it, so an import that broke
 * off goes on behind the last stored one, with the same dump or another dump of the same rows.
 * @param opened a migrated database without time limits for statements.
 * @throws MovingError when the database is not empty, or the rows differ at the end; DumpError when the dump cannot be imported.
 */
export async function importData(opened: Opened, options: ImportOptions): Promise<Imported> {
  const { database } = opened
  const dump = await openDump(options.dump)
  try {
    const tables = await readMovedTables(database)
    requireSameTables(dump.header, tables)
    const state = await openState(database, tables, options.now())
    const { end, earlierRows } = await storeChunks(opened, tables, dump, state, options.onProgress)
    if (end.chunks < state.chunks) throw isOtherDump()
    if (!state.isEnded) {
      options.onComparing()
      await compareRows(database, tables, end)
      await options.derive(database)
      await setSequences(database, end.sequences)
      await analyze(database)
      await options.queueWork(database)
      await endImport(database, options.now())
    }
    const rows = Object.fromEntries(dump.header.tables.map((table) => [table.name, table.rows]))
    return { rows, totalRows: countTotal(dump.header), digest: end.digest, earlierRows, wasComplete: state.isEnded }
  } finally {
    await dump.chunks.return(undefined as never)
  }
}
