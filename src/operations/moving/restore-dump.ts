import { sql } from 'kysely'
import type { OpenDatabase, Transaction } from '../../database/open.ts'
import { requireStoppedService } from './dump-data.ts'
import { countTotal, type DumpHeader, type OpenDump } from './dump-format.ts'
import { DumpError, MovingError, type MovingProgress } from './moving-error.ts'
import { countRows, setSequences, setTriggers, setUpTransaction, storeRows } from './rows.ts'
import { findFilledTable, type MovedTable, readMovedTables } from './tables.ts'

export interface RestoreOptions {
  dump: OpenDump
  onProgress(progress: MovingProgress): void
  /** Called before the transaction, when no service uses the database. */
  startQueue(): Promise<void>
  /** Derives what a dump does not contain. */
  derive(transaction: Transaction): Promise<void>
  queueWork(transaction: Transaction): Promise<void>
}

export interface Restored {
  rows: Record<string, number>
  totalRows: number
}

async function requireEmpty(transaction: Transaction, tables: readonly MovedTable[]): Promise<void> {
  const filled = await findFilledTable(transaction, tables)
  if (filled === null) return
  throw new MovingError(
    `Nothing was restored: the database is not empty (its table ${filled} has rows). Use a new one, which no service has used.`,
  )
}

function requireSameTables({ tables }: DumpHeader, moved: readonly MovedTable[]): void {
  const names = moved.map(({ name }) => name)
  if (JSON.stringify(tables.map(({ name }) => name)) === JSON.stringify(names)) return
  throw new DumpError('it has other tables than this Wishwell: dump again with this version.')
}

async function store(transaction: Transaction, table: MovedTable, lines: readonly string[]): Promise<void> {
  try {
    await storeRows(transaction, table, lines)
  } catch (error) {
    // The database refuses a row: it cannot store the data (SQLSTATE class 22), or a constraint forbids it (23).
    if (!(error instanceof Error && /^2[23]/.test(String((error as { code?: unknown }).code)))) throw error
    throw new DumpError(`it has rows of the table ${table.name} that no database takes (${error.message}).`)
  }
}

/** PGlite makes no checkpoints itself; without them, its log would contain everything stored. */
const checkpointBytes = 64_000_000

/** Stores all rows. @returns the dump's end, once it was read and found complete. */
async function storeAll(
  transaction: Transaction,
  tables: readonly MovedTable[],
  { header, rows }: OpenDump,
  { onProgress, isEmbedded }: { onProgress: RestoreOptions['onProgress']; isEmbedded: boolean },
) {
  const totalRows = countTotal(header)
  const byName = new Map(tables.map((table) => [table.name, table]))
  let stored = 0
  let bytes = 0
  let sinceCheckpoint = 0
  for (;;) {
    const { value, done } = await rows.next()
    if (done) return value
    await store(transaction, byName.get(value.table) as MovedTable, value.lines)
    stored += value.lines.length
    const length = value.lines.reduce((sum, line) => sum + line.length, 0)
    bytes += length
    sinceCheckpoint += length
    onProgress({ rows: stored, totalRows, bytes })
    if (!isEmbedded || sinceCheckpoint < checkpointBytes) continue
    sinceCheckpoint = 0
    await sql`checkpoint`.execute(transaction)
  }
}

/** Copies that are not in a dump, and the tables behind them. */
const derivedCopies = { request_facets: 'requests', searchable_requests: 'request_texts' }

/** @throws MovingError naming the first table that differs from the dump. */
async function compareCounts(transaction: Transaction, { tables }: DumpHeader): Promise<void> {
  const expected = new Map(tables.map(({ name, rows }) => [name, rows]))
  for (const [copy, table] of Object.entries(derivedCopies)) expected.set(copy, expected.get(table) ?? 0)
  for (const [name, rows] of expected) {
    if ((await countRows(transaction, name)) === rows) continue
    throw new MovingError(`Nothing was restored: another process wrote to the table ${name} meanwhile.`)
  }
}

/** New tables have no statistics, without which the first queries get bad plans. */
async function analyze(transaction: Transaction): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = current_schema() order by 1`.execute(transaction)
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(transaction)
}

/**
 * Restores a dump into an empty database, which stays empty on failure.
 * @param opened without time limits
 * @throws MovingError if the database is not empty or is in use; DumpError if the dump cannot be restored.
 */
export async function restoreDump(
  { database, backend }: Pick<OpenDatabase, 'database' | 'backend'>,
  options: RestoreOptions,
): Promise<Restored> {
  const { dump } = options
  try {
    await requireStoppedService(database, 'Nothing was restored')
    await options.startQueue()
    await database.transaction().execute(async (transaction) => {
      await setUpTransaction(transaction)
      const tables = await readMovedTables(transaction)
      requireSameTables(dump.header, tables)
      // Locks the tables: the second of two concurrent restores finds the first's rows.
      await setTriggers(transaction, tables, 'disable')
      await requireEmpty(transaction, tables)
      const end = await storeAll(transaction, tables, dump, { ...options, isEmbedded: backend === 'embedded' })
      await setTriggers(transaction, tables, 'enable')
      await options.derive(transaction)
      await compareCounts(transaction, dump.header)
      await setSequences(transaction, end.sequences)
      await options.queueWork(transaction)
      await analyze(transaction)
    })
    const rows = Object.fromEntries(dump.header.tables.map((table) => [table.name, table.rows]))
    return { rows, totalRows: countTotal(dump.header) }
  } finally {
    await dump.rows.return(undefined as never)
  }
}
