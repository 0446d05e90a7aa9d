import { CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import type { Executor, Transaction } from '../database/open.ts'
import { checksumInSql } from './checksum.ts'
import type { MovedTable } from './tables.ts'

const name = pg.escapeIdentifier

/** The values of a row's key, as texts. */
export type Key = readonly string[]

/** Rows as JSON, in the order of their keys. */
export interface Slice {
  lines: string[]
  /** Of the last row; null where there is none. */
  lastKey: Key | null
}

/** The rows behind a key, up to and including another one; null for no bound. */
export interface KeyRange {
  after: Key | null
  until: Key | null
}

/** The number of rows and their checksum, as text. */
export interface Summary {
  rows: number
  checksum: string
}

/** JSON cannot tell a null of jsonb from a null of SQL, so jsonb is a text in a dump. */
const typeInDump = (type: string) => (type === 'jsonb' || type === 'json' ? 'text' : type)

const selectedColumn = ({ name: column, type }: { name: string; type: string }) =>
  typeInDump(type) === type ? `t.${name(column)}` : `t.${name(column)}::text as ${name(column)}`

/** Ordered and compared so, null is the least value. */
const keyParts = ({ key }: MovedTable, alias: string) =>
  key.map((part) => {
    const column = `${alias}.${name(part.name)}`
    return part.isNullable ? `coalesce(${column}::text, '')` : column
  })

/** The values of a key as parameters, the first of them with this number. */
const keyParameters = ({ key }: MovedTable, first: number) =>
  key.map(({ type, isNullable }, index) => `$${first + index}::text${isNullable ? '' : `::${type}`}`)

function conditionOf(table: MovedTable, { after, until }: KeyRange) {
  const key = keyParts(table, 't').join(', ')
  const conditions: string[] = []
  const parameters: string[] = []
  for (const [operator, bound] of [['>', after] as const, ['<=', until] as const]) {
    if (bound === null) continue
    conditions.push(`row(${key}) ${operator} row(${keyParameters(table, parameters.length + 1).join(', ')})`)
    parameters.push(...bound)
  }
  return { where: conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`, parameters }
}

/**
 * Settings of a transaction in which a row always has the same JSON, and which may take as long as it takes: a reader of the dump may
 * be slow.
 */
export async function setUpTransaction(transaction: Transaction): Promise<void> {
  await sql`select set_config(name, value, true) from (values ('timezone', 'UTC'), ('datestyle', 'ISO, YMD'),
    ('intervalstyle', 'postgres'), ('extra_float_digits', '1'), ('statement_timeout', '0'),
    ('idle_in_transaction_session_timeout', '0')) as setting (name, value)`.execute(transaction)
}

/** Reads rows in the order of their keys. @param limit the maximum number of rows. */
export async function readSlice(
  transaction: Transaction,
  table: MovedTable,
  after: Key | null,
  limit: number,
): Promise<Slice> {
  const { where, parameters } = conditionOf(table, { after, until: null })
  const columns = table.columns.map(selectedColumn).join(', ')
  const { rows } = await transaction.executeQuery<{ line: string; key: Key }>(
    CompiledQuery.raw(
      `select row_to_json(s)::text as line, array[${keyParts(table, 's')
        .map((part) => `${part}::text`)
        .join(', ')}] as key
      from (select ${columns} from ${name(table.name)} as t ${where}
        order by ${keyParts(table, 't').join(', ')} limit ${limit}) as s`,
      parameters,
    ),
  )
  return { lines: rows.map(({ line }) => line), lastKey: rows.at(-1)?.key ?? null }
}

/** Counts rows and sums up their checksums, in the database. */
export async function summarize(
  transaction: Transaction,
  table: MovedTable,
  range: KeyRange = { after: null, until: null },
): Promise<Summary> {
  const { where, parameters } = conditionOf(table, range)
  const columns = table.columns.map(selectedColumn).join(', ')
  const { rows } = await transaction.executeQuery<Summary>(
    CompiledQuery.raw(
      `select count(*) as rows, ${checksumInSql('row_to_json(s)::text')} as checksum
      from (select ${columns} from ${name(table.name)} as t ${where}) as s`,
      parameters,
    ),
  )
  return rows[0] as Summary
}

/** Counts the rows of a table. */
export async function countRows(executor: Executor, table: string): Promise<number> {
  const { rows } = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)}`.execute(executor)
  return rows[0]?.rows ?? 0
}

/**
 * Stores rows exactly as they are in the dump: identity columns have their values, and no trigger runs. The triggers are enabled again in the same transaction, so no other one ever sees the table without them. The owner of a
 * table may do so; `session_replication_role` needs a superuser.
 * @param lines rows as JSON, separated by line feeds.
 */
export async function storeRows(transaction: Transaction, table: MovedTable, lines: string): Promise<void> {
  const columns = table.columns.map((column) => name(column.name)).join(', ')
  const definitions = table.columns.map((column) => `${name(column.name)} ${typeInDump(column.type)}`).join(', ')
  const values = table.columns.map(({ name: column, type }) => `${name(column)}::${type}`).join(', ')
  const switchTriggers = async (action: 'disable' | 'enable') => {
    if (table.silenced.length === 0) return
    const actions = table.silenced.map((trigger) => `${action} trigger ${name(trigger)}`)
    await sql.raw(`alter table ${name(table.name)} ${actions.join(', ')}`).execute(transaction)
  }
  await switchTriggers('disable')
  await transaction.executeQuery(
    CompiledQuery.raw(
      `insert into ${name(table.name)} (${columns}) overriding system value
      select ${values} from json_to_recordset($1::json) as dumped (${definitions})`,
      [`[${lines.replaceAll('\n', ',')}]`],
    ),
  )
  await switchTriggers('enable')
}
