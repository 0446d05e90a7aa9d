import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import { rowsInOrder } from '../list/index-scan.ts'
import type { CacheBounds } from './bounds.ts'
import type { ExactOrder, OrderedIds, OrderedInput, SearchQuery } from './engine.ts'
import { hasFilters, matchesOf, offeredOf, wordsQuery } from './matched-set.ts'
import { estimateMatches, isWalkVain, readFirstOfSample, readSample, type Sample } from './sample.ts'

const columns: Record<ExactOrder, RawBuilder<unknown>> = { votes: sql`votes`, new: sql`posted_at` }

interface SortedRow {
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
  bounds: CacheBounds,
): Promise<OrderedIds & { found: number }> {
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
    select found,
      (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from offered where standing < ${least}) as maybe_ids
    from counted`.execute(executor)
  const { found, ids, maybe_ids: maybeIds } = rows[0]!
  return { found, ids, maybeIds }
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

/** Whether the filters are a range of the order: a walk begins in it, however few requests of the whole cache it has. */
const startsInRange = ({ filters }: SearchQuery, order: ExactOrder): boolean =>
  order === 'votes' ? filters.minVotes !== undefined : filters.since !== undefined || filters.until !== undefined

/** The first ones of more matches than are sorted as they are. */
async function readOfMany(
  executor: Executor,
  query: SearchQuery,
  input: OrderedInput,
  { bounds, first }: { bounds: CacheBounds; first: Sample },
): Promise<OrderedIds | null> {
  const { isSmall, walked, walkedInSmall, filtered } = bounds
  const mayWalk = (sample: Sample) =>
    isSmall || startsInRange(query, input.order) || !isWalkVain(sample, bounds, input.limit)
  const sample = mayWalk(first) ? first : await readSample(executor, query, input.part, bounds)
  if (mayWalk(sample)) {
    const ids = await walkOrder(executor, query, input, isSmall ? walkedInSmall : walked)
    if (ids !== null) return { ids, maybeIds: await readFirstMaybe(executor, query, input) }
  }
  return isSmall || estimateMatches(sample) <= filtered ? sortAll(executor, query, input) : null
}

/** Implements `SearchEngine.ordered` inside the database. */
export async function readOrdered(
  executor: Executor,
  query: SearchQuery,
  input: OrderedInput,
  bounds: CacheBounds,
): Promise<OrderedIds | null> {
  // Filters may leave few of many matches: a walk would often be in vain, and reading all of them takes as long as reading 10,000 twice.
  if (bounds.isSmall && hasFilters(query)) return sortAll(executor, query, input)
  const first = await readFirstOfSample(executor, query, input.part, bounds)
  if (first.matching < bounds.manySampled) {
    const { found, ...sorted } = await sortFew(executor, query, input, bounds)
    if (found <= bounds.sorted) return sorted
  }
  return readOfMany(executor, query, input, { bounds, first })
}
