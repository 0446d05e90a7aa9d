import type { Queryable } from '../embedded/client.ts'

/** The statistics of a table. Counts of changed rows start when the database is opened: PGlite does not store them. */
export interface TableState {
  /** Schema and name, quoted. */
  name: string
  /** Of the table itself, without its TOAST table. */
  pages: number
  /** Pages of its TOAST table that changed since the last VACUUM, which the next one must read. */
  longPagesNotVisible: number
  /** Including the index of its TOAST table. */
  indexPages: number
  /** As of the last VACUUM or ANALYZE; negative before the first. */
  rowsKnown: number
  pagesKnown: number
  pagesAllVisible: number
  dead: number
  insertedSinceVacuum: number
  changedSinceAnalyze: number
  /** Row versions that died, or will, and that indexes still point to, since the database was opened. */
  removed: number
  vacuumed: boolean
}

/** The state of every table of Wishwell and of the queue. */
export async function readTables(queries: Queryable): Promise<TableState[]> {
  const { rows } = await queries.query<TableState>(`
    select format('%I.%I', stats.schemaname, stats.relname) as name,
      (pg_relation_size(class.oid) / 8192)::int as pages, 
      ((pg_indexes_size(class.oid) + coalesce(pg_indexes_size(long.oid), 0)) / 8192)::int as "indexPages",
      coalesce(greatest(0, pg_relation_size(long.oid) / 8192 - long.relallvisible), 0)::int as "longPagesNotVisible",
      class.reltuples::float8 as "rowsKnown", class.relpages as "pagesKnown", class.relallvisible as "pagesAllVisible",
      stats.n_dead_tup::int as dead, stats.n_ins_since_vacuum::int as "insertedSinceVacuum",
      stats.n_mod_since_analyze::int as "changedSinceAnalyze",
      (stats.n_tup_upd - stats.n_tup_hot_upd + stats.n_tup_del)::int as removed,
      stats.last_vacuum is not null as vacuumed
    from pg_stat_user_tables as stats join pg_class as class on class.oid = stats.relid
      left join pg_class as long on long.oid = class.reltoastrelid
    where class.relkind = 'r' and class.relpersistence = 'p'`)
  return rows
}
