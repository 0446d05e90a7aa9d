import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import { rowsInOrder } from '../list/index-scan.ts'
import type { ExactOrder, OrderedIds, OrderedInput, SearchQuery } from './engine.ts'
import { facetStanding, matchedSet, passesFilters, wordsQuery } from './matched-set.ts'

/** What an exact search may read. */
export interface Bounds {
  /** So many matches are read and sorted as they are: some 5 µs each. */
  sorted: number
  /** Of more matches an index in the order of the answer is walked, for at most so many rows: 10 to 20 µs each. */
  walked: number
  /** In caches of so many requests all matches are read where nothing else is exact. The statistics that say the size lag behind. */
  small: number
}

/** Caches up to 200,000 requests are always exact. */
export const defaultBounds: Bounds = { sorted: 10_000, walked: 4_000, small: 250_000 }

const columns: Record<ExactOrder, RawBuilder<unknown>> = { votes: sql`votes`, new: sql`posted_at` }

/** Whether the cache is so small that all matches of any query can be read. */
export const isSmallCache = ({ small }: Bounds): RawBuilder<boolean> => sql`(
  select reltuples <= ${sql.lit(small)} from pg_class where oid = 'request_facets'::regclass)`

interface SortedRow {
  is_small: boolean
  found: number
  ids: string[]
  maybe_ids: string[]
}

/** The first ones of all matches, or none where they are more than `max`. */
async function sortMatches(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  bounds: Bounds,
  max: number | null,
): Promise<OrderedIds & { found: number; isSmall: boolean }> {
  const least = sql.lit(filterView(query.filters).least)
  const inOrder = sql`standing desc, ${columns[order]} desc, id desc`
  const { rows } = await sql<SortedRow>`
    with ${matchedSet(query, part, { max: max === null ? null : sql.lit(max + 1), maxRead: max })},
    page as (select * from offered where standing >= ${least} order by ${inOrder} limit ${limit})
    select ${isSmallCache(bounds)} as is_small, (select count(*)::int from matches) as found,
      (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from offered where standing < ${least}) as maybe_ids`.execute(executor)
  const { is_small: isSmall, found, ids, maybe_ids: maybeIds } = rows[0]!
  return { isSmall, found, ids, maybeIds }
}

/**
 * The first matches, by walking the requests in the order of the answer. The walk ends with the page: the more requests match, the sooner.
 * @returns null when the page is not full after so many rows.
 */
async function walkOrder(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  { walked: maxWalked }: Bounds,
): Promise<string[] | null> {
  const view = filterView(query.filters)
  // Classes come one after the other, so a view with several has no index in its order.
  if (view.least !== 2) return null
  const walked = rowsInOrder(query.filters, { sortBy: order, conditions: [], limit: maxWalked })
  const { rows } = await sql<{ id: string }>`
    select walked.id
    from (${walked}) as walked
    -- \`offset 0\` keeps the planner from reading and sorting all matches instead.
    cross join lateral (
      select from request_texts where request_id = walked.id and words @@ ${wordsQuery(query, part)} offset 0
    ) as matching
    cross join lateral (
      select from request_facets where request_id = walked.id
        and ${facetStanding(query)} >= 2 and ${passesFilters(query)} offset 0
    ) as passing
    order by walked.${columns[order]} desc, walked.id desc limit ${limit}`.execute(executor)
  return rows.length < limit ? null : rows.map(({ id }) => id)
}

/** Where very many match, requests of the class maybe are counted among so many of them. */
const maxCountedMaybe = 1_000

async function readFirstMaybe(executor: Executor, query: SearchQuery, { part }: OrderedInput): Promise<string[]> {
  if (filterView(query.filters).least < 2) return []
  const { rows } = await sql<{ id: string }>`
    with ${matchedSet(query, part, { max: sql.lit(maxCountedMaybe) })}
    select id from offered where standing = 1`.execute(executor)
  return rows.map(({ id }) => id)
}

/** Implements `SearchEngine.ordered` inside the database. */
export async function readOrdered(
  executor: Executor,
  query: SearchQuery,
  input: OrderedInput,
  bounds = defaultBounds,
): Promise<OrderedIds | null> {
  const { found, isSmall, ...sorted } = await sortMatches(executor, query, input, bounds, bounds.sorted)
  if (found <= bounds.sorted) return sorted
  const ids = await walkOrder(executor, query, input, bounds)
  if (ids !== null) return { ids, maybeIds: await readFirstMaybe(executor, query, input) }
  return isSmall ? sortMatches(executor, query, input, bounds, null) : null
}
