import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import { findContinuation } from './continuation.ts'
import { countTotal } from './dump.ts'
import { requireNoUnfinishedImport } from './import-state.ts'
import { MovingError } from './moving-error.ts'
import type { MovingProgress } from './progress.ts'
import { setUpTransaction } from './rows.ts'
import { readMovedTables } from './tables.ts'
import { atBeginning, writeChunks, writeHeader } from './write-dump.ts'

/** Where a dump is written. */
export interface DumpTarget {
  /** What an export that broke off wrote there; null for nothing. */
  written(): AsyncIterable<Uint8Array> | null
  /** Called once, before the first write. @param reusedBytes how many bytes of what was written stay. */
  begin(reusedBytes: number): Promise<void>
  write(bytes: Uint8Array): Promise<void>
}

export interface ExportOptions {
  target: DumpTarget
  now: Date
  onProgress(progress: MovingProgress): void
}

/** What is in a dump. */
export interface Dumped {
  /** By table. */
  rows: Record<string, number>
  totalRows: number
  /** The size of the dump. */
  bytes: number
  /** Equal for two dumps of the same rows. */
  digest: string
  /** How many bytes of an earlier export were still right; 0 where it began anew. */
  reusedBytes: number
}

/**
 * Refuses a Postgres that running processes of Wishwell use: the dump would miss what they write. They are recognised by their
 * connections for the queue and for notifications. (The embedded database belongs to one process.)
 * @param what the sentence begins with it.
 * @throws MovingError
 */
export async function requireStoppedService(executor: Executor, what: string): Promise<void> {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name in ('wishwell-queue', 'wishwell-listen')
      and backend_type = 'client backend'
    limit 1`.execute(executor)
  if (rows.length === 0) return
  throw new MovingError(`${what}: a process of Wishwell uses the database. Stop all of them first.`)
}

async function writeDump(transaction: Transaction, { target, now, onProgress }: ExportOptions): Promise<Dumped> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
  await setUpTransaction(transaction)
  const tables = await readMovedTables(transaction)
  const { header, bytes: headerBytes } = await writeHeader(transaction, tables, now)
  const written = target.written()
  const continuation = written && (await findContinuation(transaction, tables, header, written))
  const position = continuation?.position ?? atBeginning()
  const totalRows = countTotal(header)
  const reusedBytes = continuation?.bytes ?? 0
  await target.begin(reusedBytes)
  let bytes = reusedBytes
  const write = async (part: Buffer) => {
    await target.write(part)
    bytes += part.length
  }
  if (continuation === null) await write(headerBytes)
  let digest = position.digest
  for await (const part of writeChunks(transaction, tables, position)) {
    await write(part.bytes)
    digest = part.digest
    onProgress({ rows: part.rows, totalRows, bytes })
  }
  const rows = Object.fromEntries(header.tables.map((table) => [table.name, table.rows]))
  return { rows, totalRows, bytes, digest, reusedBytes }
}

/**
 * Writes all data as a dump, in one state of the database. What an earlier export wrote stays as far as it is still right.
 * @throws MovingError when the service runs, or an import into this database is unfinished.
 */
export async function exportData(database: Database, options: ExportOptions): Promise<Dumped> {
  await requireNoUnfinishedImport(database)
  await requireStoppedService(database, 'Nothing was exported')
  const dumped = await database.transaction().execute((transaction) => writeDump(transaction, options))
  await requireStoppedService(database, 'The dump is not complete')
  return dumped
}
