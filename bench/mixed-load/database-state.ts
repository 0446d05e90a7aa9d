import { sql } from 'kysely'
import type { Database } from '../../src/database/open.ts'
import { backlog } from '../../src/requests/search/outbox/outbox.ts'

/** The groups of tables in the pictures, each with the names of its tables; what is in none is `other`. */
const groupOf: readonly [group: string, tables: RegExp][] = [
  ['texts and their index', /^request_texts$/],
  ['requests', /^(requests|request_facets|searchable_requests|request_topics|request_sources|request_refreshes)$/],
  ['wishes', /^(wish|account_wish)/],
  ['topics and counts', /^(topics|topic_counts|vote_samples)$/],
  ['vocabulary', /^search_words$/],
  ['deltas', /_deltas$|^wish_changes$/],
  ['log of changes', /^search_(changes|consumers|indexes)$/],
  ['queue', /^pgboss\./],
  ['jobs', /^(scrape_|live_calls|idempotency_keys)/],
  ['credits', /^credit_/],
  ['answer_versions', /^answer_versions$/],
  ['rate limits', /^rate_limit_windows$/],
  ['uncounted_texts', /^uncounted_texts$/],
]

export interface TableGroup {
  /** Of tables, their indexes and their long values. */
  totalMb: number
  indexMb: number
  deadRows: number
}

export interface DatabaseState {
  tables: Record<string, TableGroup>
  sizeMb: number
  /** Rows that wait to be folded; 100,000 stands for that many or more. */
  deltas: number
  /** Rows of the log of changes; 100,000 stands for that many or more. */
  changes: number
  /** Requests to place in wishes; 100,000 stands for that many or more. */
  unplaced: number
  /** Texts whose words wait to be counted; 100,000 stands for that many or more. */
  uncounted: number
  /** The age of the oldest change that a search index outside of the database has not read; null without such an index. */
  outboxSeconds: number | null
  requests: number
  failedTasks: number
  /** Tasks that have not ended. */
  openTasks: number
  /** Connections of clients; 0 on the embedded database. */
  connections: number
}

interface TableRow {
  name: string
  total: number
  indexes: number
  dead: number
}

const maxCounted = sql.lit(100_000)
const megabytes = (bytes: number) => bytes / 1024 / 1024

function groupTables(rows: readonly TableRow[]): Record<string, TableGroup> {
  const groups: Record<string, TableGroup> = {}
  for (const { name, total, indexes, dead } of rows) {
    const title = groupOf.find(([, tables]) => tables.test(name))?.[0] ?? 'other'
    groups[title] ??= { totalMb: 0, indexMb: 0, deadRows: 0 }
    const group = groups[title]
    group.totalMb += megabytes(total)
    group.indexMb += megabytes(indexes)
    group.deadRows += dead
  }
  return groups
}

/** Sizes of tables, and what waits in them. The statements are short: on the embedded database all others wait for each. */
export async function readDatabaseState(database: Database): Promise<DatabaseState> {
  const tables = await sql<TableRow>`
    select case when schemaname = 'public' then '' else schemaname || '.' end || relname as name,
      pg_total_relation_size(relid)::float8 as total, pg_indexes_size(relid)::float8 as indexes, n_dead_tup::float8 as dead
    from pg_stat_user_tables`.execute(database)
  const counts = await sql<Omit<DatabaseState, 'tables' | 'sizeMb' | 'outboxSeconds'> & { size: number }>`
    select pg_database_size(current_database())::float8 as size,
      ((select count(*) from (select from topic_deltas limit ${maxCounted}) as bounded)
        + (select count(*) from (select from word_deltas limit ${maxCounted}) as bounded))::int as deltas,
      (select count(*) from (select from search_changes limit ${maxCounted}) as bounded)::int as changes,
      (select count(*) from (select from wish_queue limit ${maxCounted}) as bounded)::int as unplaced,
      (select count(*) from (select from uncounted_texts limit ${maxCounted}) as bounded)::int as uncounted,
      (select count(*) from requests)::int as requests,
      (select count(*) from scrape_tasks where state = 'error')::int as "failedTasks",
      (select count(*) from scrape_tasks where state in ('pending', 'running'))::int as "openTasks",
      (select count(*) from pg_stat_activity where datname = current_database() and backend_type = 'client backend')::int
        as connections`.execute(database)
  const { size, ...counted } = counts.rows[0]!
  const ages = (await backlog(database)).map(({ ageMs }) => ageMs / 1_000)
  const outboxSeconds = ages.length === 0 ? null : Math.max(...ages)
  return { ...counted, outboxSeconds, tables: groupTables(tables.rows), sizeMb: megabytes(size) }
}
