import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import {
  type FacetName,
  type Facets,
  type Part,
  type SearchQuery,
  type Totals,
  type TotalsInput,
  voteSteps,
} from './engine.ts'
import { isChecked, leastVisible, matchesOf, sampledRequestsWithWords, visibleOf, wordsQuery } from './matched-set.ts'

/** What an exact search may read. */
export interface Bounds {
  /** Up to this size, all matches are read and answers are exact. Leaves room for lagging size statistics. */
  small: number
  /** Matches sorted in a larger cache; if more match, the best by relevance. */
  sorted: number
  /** More matches are reported as "more than" this. */
  counted: number
  /** Matches read for counting in a large cache, where filters may leave few of very many. */
  filtered: number
  /** This many matches in the sample mean more than `counted` in total. */
  manySampled: number
}

/**
 * Always exact up to 200,000 requests. Of 10,000 matches, the 1-in-32 sample `searchable_requests_sample` has 312 on
 * average, standard deviation 18, and 400 less than once in 300,000 such queries.
 */
export const defaultBounds: Bounds = {
  small: 250_000,
  sorted: 10_000,
  counted: 10_000,
  filtered: 100_000,
  manySampled: 400,
}

/** The bounds of a search, and the size of the cache. */
export interface CacheBounds extends Bounds {
  /** By the table's statistics. */
  requests: number
  isSmall: boolean
}

/** Statistics are renewed after a tenth of the table has changed, so they are seldom fresher. */
const rememberedMs = 10_000

/** @returns a function that gives the current bounds of a search; it rereads the cache size every 10 s. */
export function createCacheBounds(
  bounds: Bounds,
  now: () => number = Date.now,
): (executor: Executor) => Promise<CacheBounds> {
  let [requests, readAt] = [0, Number.NEGATIVE_INFINITY]
  return async (executor) => {
    if (now() - readAt > rememberedMs) {
      const { rows } = await sql<{ requests: number }>`
        select reltuples::float8 as requests from pg_class where oid = 'searchable_requests'::regclass`.execute(
        executor,
      )
      requests = Math.max(0, rows[0]!.requests)
      readAt = now()
    }
    return { ...bounds, requests, isSmall: requests <= bounds.small }
  }
}

/** Values per facet, the most frequent ones. */
export const maxValues = 100
/** Sampled requests checked against filters and view; each is on another page of the table, up to 15 µs. */
const maxSampled = 3_000

/** @param counted above it, the total is "more than" this */
export const totalOf = (total: number, counted: number): Totals => ({
  total: Math.min(total, counted),
  totalIsExact: total <= counted,
})

// `combinations` has few rows: matches are counted once for all three.
const valuesOf: Record<FacetName, RawBuilder<unknown>> = {
  platform: sql`select platform as value, sum(count)::int as count from combinations group by platform`,
  status: sql`select status as value, sum(count)::int as count from combinations where status is not null group by status`,
  year: sql`select year::text as value, sum(count)::int as count from combinations group by year`,
  product: sql`select product as value, count(*)::int as count from shown where product is not null group by product`,
  tag: sql`select value, count(*)::int as count from (
    select distinct id, value from shown cross join unnest(tags) as value where tags <> '{}'
  ) as tagged group by value`,
  votes: sql`select least::text as value, count(*)::int as count from shown
    join unnest(${sql.lit(`{${voteSteps.join(',')}}`)}::int[]) as least on shown.votes >= least group by least`,
}

const countsOf = (name: FacetName) => sql`(
  select coalesce(json_agg(json_build_object('value', value, 'count', count) order by count desc, value), '[]') from (
    select * from (${valuesOf[name]}) as values order by count desc, value limit ${sql.lit(maxValues)}
  ) as counted)`

const combinations = sql`
  combinations as materialized (
    select platform, status, year, count(*) as count from (
      select platform, status, extract(year from posted_at at time zone 'UTC')::int as year from shown
    ) as dated group by platform, status, year
  )`

const facetsOf = (names: readonly FacetName[]) =>
  names.length === 0
    ? sql`'{}'::json`
    : sql`json_build_object(${sql.join(names.flatMap((name) => [sql`${name}::text`, countsOf(name)]))})`

interface TotalsRow {
  total: number
  facets: Facets
  read: number | null
}

async function countMatches(
  executor: Executor,
  query: SearchQuery,
  { names, part }: { names: readonly FacetName[]; part: Part },
  { isSmall, counted, filtered }: CacheBounds,
) {
  const view = filterView(query.filters)
  const withFacets = names.length > 0
  const maxShown = withFacets && isSmall ? sql`null` : sql.lit(counted + 1)
  const maxRead = isSmall ? sql`null` : sql.lit(filtered)
  // If every match is a result, reading more than counted is useless.
  const matches = isChecked(query)
    ? matchesOf(query, part, { max: maxRead })
    : matchesOf(query, part, { least: view.least, max: maxShown })
  const { rows } = await sql<TotalsRow>`
    with matches as materialized (${matches}),
    shown as materialized (
      select * from (${visibleOf(query, sql`select * from matches`, part)}) as visible
      where standing >= ${sql.lit(view.least)} limit ${maxShown}
    )${withFacets ? sql`, ${combinations}` : sql``}
    select (select count(*)::int from shown) as total,
      ${isChecked(query) ? sql`(select count(*)::int from matches)` : sql`null::int`} as read,
      ${facetsOf(names)} as facets`.execute(executor)
  return rows[0]!
}

/** Whether the sample suggests more results than are counted. */
async function areMany(
  executor: Executor,
  query: SearchQuery,
  part: Part,
  { requests, counted, manySampled }: CacheBounds,
): Promise<boolean> {
  if (requests <= counted) return false
  const matches = sql`select * from ${sampledRequestsWithWords(wordsQuery(query, part), { least: leastVisible(query), max: maxSampled })}`
  const { rows } = await sql<{ shown: number }>`
    select count(*)::int as shown from (${visibleOf(query, matches, part)}) as visible
    where standing >= ${sql.lit(filterView(query.filters).least)}`.execute(executor)
  return rows[0]!.shown >= manySampled
}

async function readTotal(executor: Executor, query: SearchQuery, part: Part, bounds: CacheBounds): Promise<Totals> {
  const { counted, filtered, isSmall } = bounds
  if (await areMany(executor, query, part, bounds)) return { total: counted, totalIsExact: false }
  const { read, total } = await countMatches(executor, query, { names: [], part }, bounds)
  const isWhole = isSmall || read === null || read < filtered
  return { total: Math.min(total, counted), totalIsExact: total <= counted && isWhole }
}

/** `SearchEngine.totals` in the database. */
export async function readTotals(
  executor: Executor,
  query: SearchQuery,
  input: TotalsInput,
  bounds: CacheBounds,
): Promise<Totals> {
  const { part = 'all' } = input
  const names = [...new Set(input.facets)]
  if (names.length === 0) return readTotal(executor, query, part, bounds)
  const { isSmall, counted, filtered } = bounds
  const { read, total, facets } = await countMatches(executor, query, { names, part }, bounds)
  const totalIsExact = total <= counted && (isSmall || read === null || read < filtered)
  return { total: Math.min(total, counted), totalIsExact, facets, facetsAreExact: isSmall || totalIsExact }
}

/** Totals of `ids` that the view shows and that pass the filters. @param ids some hundred with all words */
export async function readTotalsAmong(
  executor: Executor,
  query: SearchQuery,
  input: TotalsInput,
  ids: readonly string[],
): Promise<Totals> {
  const names = [...new Set(input.facets)]
  const matches = sql`select * from searchable_requests where request_id = any(${[...ids]}::uuid[])`
  const shown = sql`select * from (${visibleOf(query, matches)}) as visible
    where standing >= ${sql.lit(filterView(query.filters).least)}`
  const { total, facets } = await readCounts(executor, shown, names)
  const totals = { total, totalIsExact: true }
  return names.length === 0 ? totals : { ...totals, facets, facetsAreExact: true }
}

/** Counts requests. @param shown a query for them, with the columns of the facets */
export async function readCounts(
  executor: Executor,
  shown: RawBuilder<unknown>,
  names: readonly FacetName[],
): Promise<Pick<TotalsRow, 'total' | 'facets'>> {
  const { rows } = await sql<Pick<TotalsRow, 'total' | 'facets'>>`
    with shown as materialized (${shown})${names.length > 0 ? sql`, ${combinations}` : sql``}
    select (select count(*)::int from shown) as total, ${facetsOf(names)} as facets`.execute(executor)
  return rows[0]!
}
