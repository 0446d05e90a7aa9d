import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import { schemaVersion } from '../../database/schema-version.ts'
import { version } from '../../runtime/version.ts'
import { countTotal, type DumpEnd, type DumpHeader, dumpFormat, maxLineBytes } from './dump-format.ts'
import { MovingError, type MovingProgress } from './moving-error.ts'
import { countRows, readRows, readSequences, setUpTransaction } from './rows.ts'
import { type MovedTable, readMovedTables } from './tables.ts'

interface DumpOptions {
  /** Called sequentially; the next part is read after it resolves. */
  write(bytes: Uint8Array): Promise<void>
  now: Date
  onProgress(progress: MovingProgress): void
}

export interface Dumped {
  rows: Record<string, number>
  totalRows: number
  bytes: number
}

/** Whether Wishwell ever migrated this database. Dumping another one would create tables in it. */
export async function hasWishwellTables(executor: Executor): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select to_regclass(quote_ident(current_schema()) || '.kysely_migration') is not null as exists`.execute(executor)
  return rows[0]?.exists === true
}

/**
 * Refuses a Postgres in use, recognized by the connections for queue and notifications: the dump would miss writes.
 * @param what starts the sentence
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

async function readHeader(transaction: Transaction, tables: readonly MovedTable[], now: Date): Promise<DumpHeader> {
  const counted: DumpHeader['tables'] = []
  for (const { name } of tables) counted.push({ name, rows: await countRows(transaction, name) })
  return {
    format: dumpFormat,
    wishwellVersion: version,
    schemaVersion,
    createdAt: now.toISOString(),
    tables: counted,
  }
}

/** The text of a dump. @param onRows called with the number of rows read so far */
async function* linesOfDump(
  transaction: Transaction,
  tables: readonly MovedTable[],
  header: DumpHeader,
  onRows: (rows: number) => void,
): AsyncGenerator<string> {
  const digest = createHash('sha256')
  const digested = (text: string) => {
    digest.update(text)
    return text
  }
  yield digested(`${JSON.stringify(header)}\n`)
  let rows = 0
  for (const table of tables) {
    for await (const lines of readRows(transaction, table)) {
      if (lines.some((line) => Buffer.byteLength(line) > maxLineBytes))
        throw new MovingError(`The table ${table.name} has a row that is too large for a dump.`)
      yield digested(`${lines.join('\n')}\n`)
      rows += lines.length
      onRows(rows)
    }
  }
  const sequences = await readSequences(transaction)
  const end: DumpEnd = { sequences, sha256: digest.digest('hex') }
  yield `${JSON.stringify(end)}\n`
}

async function writeDump(transaction: Transaction, { write, now, onProgress }: DumpOptions): Promise<Dumped> {
  await sql`set transaction isolation level repeatable read, read only`.execute(transaction)
  await setUpTransaction(transaction)
  const tables = await readMovedTables(transaction)
  const header = await readHeader(transaction, tables, now)
  const totalRows = countTotal(header)
  let bytes = 0
  const lines = linesOfDump(transaction, tables, header, (rows) => onProgress({ rows, totalRows, bytes }))
  await pipeline(Readable.from(lines), createGzip(), async (packed: AsyncIterable<Buffer>) => {
    for await (const part of packed) {
      await write(part)
      bytes += part.length
    }
  })
  return { rows: Object.fromEntries(header.tables.map(({ name, rows }) => [name, rows])), totalRows, bytes }
}

/** Writes all data in one snapshot as a dump. @throws MovingError if the service runs. */
export async function dumpData(database: Database, options: DumpOptions): Promise<Dumped> {
  await requireStoppedService(database, 'Nothing was dumped')
  const dumped = await database.transaction().execute((transaction) => writeDump(transaction, options))
  await requireStoppedService(database, 'The dump is not complete')
  return dumped
}
