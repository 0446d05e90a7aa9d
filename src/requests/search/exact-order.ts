import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import { rowsInOrder } from '../list/index-scan.ts'
import type { ExactOrder, OrderedIds, OrderedInput, SearchQuery } from './engine.ts'
import { hasFilters, matchesOf, offeredOf, wordsQuery } from './matched-set.ts'

/** What an exact search may read. */
export interface Bounds {
  /** So many matches are read and sorted as they are. */
  sorted: number
  /** Of more matches an index in the order of the answer is walked, for at most so many rows: 10 to 20 µs each. */
  walked: number
  /** The same in a small cache, where the way that is left after a vain walk is a short one. */
  walkedInSmall: number
  /** In caches of so many requests all matches are read where nothing else is exact. The statistics that say the size lag behind. */
  small: number
  /** More matches are "more than" so many. */
  counted: number
  /** In a large cache filters may leave few of very many matches: so many of them are read to be counted. */
  filtered: number
}

/** Caches up to 200,000 requests are always exact. */
export const defaultBounds: Bounds = {
  sorted: 10_000,
  walked: 2_000,
  walkedInSmall: 1_000,
  small: 250_000,
  counted: 10_000,
  filtered: 100_000,
}

const columns: Record<ExactOrder, RawBuilder<unknown>> = { votes: sql`votes`, new: sql`posted_at` }

/** Whether the cache is so small that all matches of any query can be read. */
export const isSmallCache = ({ small }: Bounds): RawBuilder<boolean> => sql`(
  select reltuples <= ${sql.lit(small)} from pg_class where oid = 'searchable_requests'::regclass)`

interface SortedRow {
  is_small: boolean
  found: number
  ids: string[]
  maybe_ids: string[]
}

const inOrderOf = (order: ExactOrder) => sql`standing desc, ${columns[order]} desc, id desc`

/** The first ones of all matches; of more than `bounds.sorted` matches none. */
async function sortFew(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  bounds: Bounds,
): Promise<OrderedIds & { found: number; isSmall: boolean }> {
  const least = sql.lit(filterView(query.filters).least)
  const inOrder = inOrderOf(order)
  const { rows } = await sql<SortedRow>`
    with matches as materialized (${matchesOf(query, part, { max: sql.lit(bounds.sorted + 1) })}),
    counted as materialized (select count(*)::int as found from matches),
    offered as materialized (${offeredOf(
      query,
      sql`
      select * from matches where (select found from counted) <= ${sql.lit(bounds.sorted)}`,
    )}),
    page as (select * from offered where standing >= ${least} order by ${inOrder} limit ${limit})
    select ${isSmallCache(bounds)} as is_small, found,
      (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from offered where standing < ${least}) as maybe_ids
    from counted`.execute(executor)
  const { is_small: isSmall, found, ids, maybe_ids: maybeIds } = rows[0]!
  return { isSmall, found, ids, maybeIds }
}

/** The first ones of all matches, however many they are. */
async function sortAll(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
): Promise<OrderedIds> {
  const least = sql.lit(filterView(query.filters).least)
  const inOrder = inOrderOf(order)
  const { rows } = await sql<Pick<SortedRow, 'ids' | 'maybe_ids'>>`
    with offered as materialized (
      select id, standing, ${columns[order]} from (${offeredOf(query, matchesOf(query, part))}) as passing
    ),
    page as (select * from offered where standing >= ${least} order by ${inOrder} limit ${limit})
    select (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from offered where standing < ${least}) as maybe_ids`.execute(executor)
  const { ids, maybe_ids: maybeIds } = rows[0]!
  return { ids, maybeIds }
}

/**
 * The first matches, by walking the requests in the order of the answer. The walk ends with the page: the more requests match, the sooner.
 * @returns null when the page is not full after so many rows.
 */
async function walkOrder(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  maxWalked: number,
): Promise<string[] | null> {
  // Classes come one after the other, so a view with several has no index in its order.
  if (filterView(query.filters).least !== 2) return null
  const walked = rowsInOrder(query.filters, { sortBy: order, conditions: [], limit: maxWalked })
  const { rows } = await sql<{ id: string }>`
    select walked.id
    from (${walked}) as walked
    -- \`offset 0\` keeps the planner from reading and sorting all matches instead.
    cross join lateral (
      select from request_texts where request_id = walked.id and words @@ ${wordsQuery(query, part)} offset 0
    ) as matching
    cross join lateral (
      select from (${offeredOf(query, sql`select * from searchable_requests where request_id = walked.id`)}) as offered
      where standing >= 2 offset 0
    ) as passing
    order by walked.${columns[order]} desc, walked.id desc limit ${limit}`.execute(executor)
  return rows.length < limit ? null : rows.map(({ id }) => id)
}

/** Where very many match, requests of the class maybe are counted among so many of them. */
const maxCountedMaybe = 1_000

async function readFirstMaybe(executor: Executor, query: SearchQuery, { part }: OrderedInput): Promise<string[]> {
  if (filterView(query.filters).least < 2) return []
  const { rows } = await sql<{ id: string }>`
    select id from (${offeredOf(query, matchesOf(query, part, { max: sql.lit(maxCountedMaybe) }))}) as offered
    where standing = 1`.execute(executor)
  return rows.map(({ id }) => id)
}

async function isSmall(executor: Executor, bounds: Bounds): Promise<boolean> {
  const { rows } = await sql<{ is_small: boolean }>`select ${isSmallCache(bounds)} as is_small`.execute(executor)
  return rows[0]!.is_small
}

/** Implements `SearchEngine.ordered` inside the database. */
export async function readOrdered(
  executor: Executor,
  query: SearchQuery,
  input: OrderedInput,
  bounds = defaultBounds,
): Promise<OrderedIds | null> {
  // Filters may leave few of many matches: a walk would often be in vain, and reading all of them takes as long as reading 10,000 twice.
  if (hasFilters(query) && (await isSmall(executor, bounds))) return sortAll(executor, query, input)
  const { found, isSmall: isInSmall, ...sorted } = await sortFew(executor, query, input, bounds)
  if (found <= bounds.sorted) return sorted
  const ids = await walkOrder(executor, query, input, isInSmall ? bounds.walkedInSmall : bounds.walked)
  if (ids !== null) return { ids, maybeIds: await readFirstMaybe(executor, query, input) }
  return isInSmall ? sortAll(executor, query, input) : null
}
