import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import type { Executor, Transaction } from '../../database/open.ts'
import { batchBytes } from './dump-format.ts'
import type { MovedTable } from './tables.ts'

const name = pg.escapeIdentifier

/** JSON cannot tell jsonb null from SQL null, so dumps contain jsonb as text. */
const typeInDump = (type: string) => (type === 'jsonb' || type === 'json' ? 'text' : type)

const selectedColumn = ({ name: column, type }: { name: string; type: string }) =>
  typeInDump(type) === type ? `t.${name(column)}` : `t.${name(column)}::text as ${name(column)}`

/** Transaction settings that make a row's JSON deterministic and remove time limits: a dump's reader may be slow. */
export async function setUpTransaction(transaction: Transaction): Promise<void> {
  await sql`select set_config(name, value, true) from (values ('timezone', 'UTC'), ('datestyle', 'ISO, YMD'),
    ('intervalstyle', 'postgres'), ('extra_float_digits', '1'), ('statement_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0')) as setting (name, value)`.execute(transaction)
}

/** Some tables have large rows, so the first batch is small. */
const firstBatchRows = 50
const maxBatchRows = 2_000

/** Reads all rows of a table as JSON, in batches of about a megabyte, one at a time in memory. */
export async function* readRows(transaction: Transaction, table: MovedTable): AsyncGenerator<string[]> {
  const columns = table.columns.map(selectedColumn).join(', ')
  await sql
    .raw(
      `declare dumped_rows no scroll cursor for select row_to_json(s)::text as line from (select ${columns} from ${name(table.name)} as t) as s`,
    )
    .execute(transaction)
  for (let limit = firstBatchRows; ; ) {
    const { rows } = await sql.raw<{ line: string }>(`fetch ${limit} from dumped_rows`).execute(transaction)
    if (rows.length === 0) break
    const lines = rows.map(({ line }) => line)
    yield lines
    const bytes = lines.reduce((sum, line) => sum + line.length, 0)
    limit = Math.max(1, Math.min(maxBatchRows, Math.round((lines.length / bytes) * batchBytes)))
  }
  await sql`close dumped_rows`.execute(transaction)
}

/** Counts a table's rows. */
export async function countRows(executor: Executor, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(executor)
  return rows[0]?.rows ?? 0
}

/** Switches triggers for this transaction; needs only the owner, unlike `session_replication_role`. */
export async function setTriggers(
  transaction: Transaction,
  tables: readonly MovedTable[],
  action: 'disable' | 'enable',
): Promise<void> {
  for (const { name: table, silenced } of tables) {
    if (silenced.length === 0) continue
    const actions = silenced.map((trigger) => `${action} trigger ${name(trigger)}`)
    await sql.raw(`alter table ${name(table)} ${actions.join(', ')}`).execute(transaction)
  }
}

/** Stores rows exactly as dumped, including identity columns. @param lines rows as JSON */
export async function storeRows(transaction: Transaction, table: MovedTable, lines: readonly string[]): Promise<void> {
  const columns = table.columns.map((column) => name(column.name)).join(', ')
  const definitions = table.columns.map((column) => `${name(column.name)} ${typeInDump(column.type)}`).join(', ')
  const values = table.columns.map(({ name: column, type }) => `${name(column)}::${type}`).join(', ')
  await transaction.executeQuery(
    CompiledQuery.raw(
      `insert into ${name(table.name)} (${columns}) overriding system value
      select ${values} from json_to_recordset($1::json) as dumped (${definitions})`,
      [`[${lines.join(',')}]`],
    ),
  )
}

/** Each sequence's last value; null if it gave none. */
export async function readSequences(executor: Executor): Promise<Record<string, number | null>> {
  const { rows } = await sql<{ name: string; value: number | null }>`
    select sequencename as name, last_value as value from pg_sequences
    where schemaname = current_schema() order by sequencename collate "C"`.execute(executor)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

/** Continues sequences; those without a value restart. */
export async function setSequences(executor: Executor, values: Readonly<Record<string, number | null>>): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    if (value === null) continue
    await sql`select setval(quote_ident(current_schema()) || '.' || quote_ident(${name}), ${value}::bigint)`.execute(
      executor,
    )
  }
}
