import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'

/** Tables left out of dumps, and why. A test requires a decision for each new table (tables.service.test.ts). */
export const leftOutTables: Readonly<Record<string, string>> = {
  kysely_migration: 'the target migrates itself',
  kysely_migration_lock: 'the target migrates itself',
  rate_limit_windows: 'the calls of the last minute',
  search_engine: 'the target chooses its engine',
  search_changes:
    'what the search indexes of the source have not read yet; those of the target are built from all requests',
  search_consumers: 'the search indexes of the source',
  search_indexes: 'the search indexes of the source',
  request_facets: 'it is copied from requests when all rows are stored',
  searchable_requests: 'it is copied from requests when all rows are stored',
}

/** Columns left out of dumps, and why. */
export const leftOutColumns: Readonly<Record<string, string>> = {
  'scrape_tasks.queue_message_id': 'the queue is not in a dump: unfinished tasks are queued again',
}

interface MovedColumn {
  name: string
  type: string
}

/** A table whose rows are dumped. */
export interface MovedTable {
  name: string
  /** Ordered by name, independent of the database's history of migrations. */
  columns: readonly MovedColumn[]
  /** Triggers disabled during a restore, because the dump has their results. */
  silenced: readonly string[]
}

interface CatalogRow {
  name: string
  columns: MovedColumn[]
  references: string[] | null
  triggers: string[] | null
}

const catalog = sql<CatalogRow>`
  select relname as name,
    (select json_agg(json_build_object('name', attname, 'type', format_type(atttypid, atttypmod)) order by attname collate "C")
      from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
    (select array_agg(distinct target.relname::text) from pg_constraint join pg_class as target on target.oid = confrelid
      where conrelid = c.oid and contype = 'f' and confrelid <> c.oid) as references,
    (select array_agg(tgname::text order by tgname) from pg_trigger
      where tgrelid = c.oid and not tgisinternal and tgenabled = 'O') as triggers
  from pg_class as c
  where relnamespace = current_schema()::regnamespace and relkind = 'r'
  order by relname collate "C"`

/** Sorts tables so that each follows those it refers to. */
function sortByReferences(tables: readonly CatalogRow[]): CatalogRow[] {
  const names = new Set(tables.map(({ name }) => name))
  const sorted: CatalogRow[] = []
  const done = new Set<string>()
  while (sorted.length < tables.length) {
    const next = tables.find(
      ({ name, references }) =>
        !done.has(name) && (references ?? []).every((other) => done.has(other) || !names.has(other)),
    )
    if (next === undefined) throw new Error('tables refer to each other in a circle')
    sorted.push(next)
    done.add(next.name)
  }
  return sorted
}

/** The tables of a migrated database whose rows are moved, in the order to fill them. */
export async function readMovedTables(executor: Executor): Promise<MovedTable[]> {
  const { rows } = await catalog.execute(executor)
  const moved = rows.filter(({ name }) => !Object.hasOwn(leftOutTables, name))
  return sortByReferences(moved).map(({ name, columns, triggers }) => ({
    name,
    columns: columns.filter((column) => !Object.hasOwn(leftOutColumns, `${name}.${column.name}`)),
    silenced: triggers ?? [],
  }))
}

/** The first table with a row; null if all are empty. */
export async function findFilledTable(executor: Executor, tables: readonly MovedTable[]): Promise<string | null> {
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(executor)
    if (rows.length > 0) return name
  }
  return null
}
