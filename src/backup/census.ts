import type { Queryable } from '../database/embedded/client.ts'

/** What a table holds, as far as it can be told quickly. */
export interface TableCensus {
  rows: number
  /** Of everything in accounts and keys; of the ledger the sum of each column of numbers. */
  checksum: string
}

/** By the name of the table: accounts, keys and everything of the ledger. The cache can be collected again. */
export type Census = Record<string, TableCensus>

const ledgerTables = `
  select t.tablename as name, array_agg(c.column_name::text order by c.ordinal_position)
    filter (where c.data_type in ('smallint', 'integer', 'bigint')) as numbers
  from pg_tables t join information_schema.columns c on c.table_schema = t.schemaname and c.table_name = t.tablename
  where t.schemaname = 'public' and (t.tablename in ('accounts', 'api_keys') or t.tablename like 'credit\\_%')
  group by 1 order by 1`

/** Hashing whole rows of the ledger would keep everybody waiting ten times as long as adding them up. */
const isHashed = (table: string) => !table.startsWith('credit_')

const hashOfRows = 'coalesce(sum(hashtextextended(t::text, 0)), 0)::text'
const sumsOf = (numbers: readonly string[]) =>
  numbers.length === 0 ? "''" : `concat_ws(' ', ${numbers.map((name) => `sum("${name}")`).join(', ')})`

/** Counts what must never differ between a database, its backup and what is restored from it. */
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

/** The tables that two censuses disagree on. */
export function differingTables(one: Census, other: Census): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  return names.filter((name) => one[name]?.rows !== other[name]?.rows || one[name]?.checksum !== other[name]?.checksum)
}
