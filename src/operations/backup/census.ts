import type { Queryable } from '../../database/embedded/client.ts'

/** A quick summary of a table's contents. */
export interface TableCensus {
  rows: number
  /** Of accounts and keys a hash of all rows; of the ledger the sums of its number columns. */
  checksum: string
}

/** By table: accounts, keys and the ledger. Everything else can be collected again. */
export type Census = Record<string, TableCensus>

const ledgerTables = `
  select t.tablename as name, array_agg(c.column_name::text order by c.ordinal_position)
    filter (where c.data_type in ('smallint', 'integer', 'bigint')) as numbers
  from pg_tables t join information_schema.columns c on c.table_schema = t.schemaname and c.table_name = t.tablename
  where t.schemaname = 'public' and (t.tablename in ('accounts', 'api_keys') or t.tablename like 'credit\\_%')
  group by 1 order by 1`

/** Other statements wait meanwhile: hashing the rows of the ledger would take ten times as long as adding up its numbers. */
const isHashed = (table: string) => !table.startsWith('credit_')

const hashOfRows = 'coalesce(sum(hashtextextended(t::text, 0)), 0)::text'
const sumsOf = (numbers: readonly string[]) =>
  numbers.length === 0 ? "''" : `concat_ws(' ', ${numbers.map((name) => `sum("${name}")`).join(', ')})`

/** Summarizes the tables that must not differ between a database, its backup and the restored database. */
export async function takeCensus(queries: Queryable): Promise<Census> {
  const tables = await queries.query<{ name: string; numbers: string[] | null }>(ledgerTables)
  const census: Census = {}
  for (const { name, numbers } of tables.rows) {
    const checksum = isHashed(name) ? hashOfRows : sumsOf(numbers ?? [])
    const { rows } = await queries.query<TableCensus>(
      `select count(*) as rows, ${checksum} as checksum from "${name}" t`,
    )
    if (rows[0]) census[name] = rows[0]
  }
  return census
}

/** The tables in which two censuses differ. */
export function differingTables(one: Census, other: Census): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.filter((name) => one[name]?.rows !== other[name]?.rows || one[name]?.checksum !== other[name]?.checksum)
}
