import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import type { FacetName, Facets, SearchQuery, Totals, TotalsInput } from './engine.ts'
import { type Bounds, defaultBounds, isSmallCache } from './exact-order.ts'
import { matchedSet } from './matched-set.ts'

/** More matches than these are "more than 10,000". */
const maxTotal = 10_000
/** In a large cache a search without facets counts only so many matches: the best ones are all that it reads. */
const maxWithoutFacets = 1_000
/** Of the values of a facet the most frequent ones. */
const maxValues = 100

const valuesOf: Record<FacetName, RawBuilder<unknown>> = {
  platform: sql`select platform as value from shown`,
  status: sql`select status as value from shown where status is not null`,
  tag: sql`select distinct id, value from shown cross join unnest(tags) as value`,
  year: sql`select extract(year from posted_at at time zone 'UTC')::int::text as value from shown`,
}

const countsOf = (name: FacetName) => sql`(
  select coalesce(json_agg(json_build_object('value', value, 'count', count) order by count desc, value), '[]') from (
    select value, count(*)::int as count from (${valuesOf[name]}) as values
    group by value order by count(*) desc, value limit ${sql.lit(maxValues)}
  ) as counted)`

interface TotalsRow {
  is_small: boolean
  found: number
  total: number
  facets: Facets
}

/** @param maxInLarge in a large cache it counts only among so many of the matches. */
async function countMatches(
  executor: Executor,
  query: SearchQuery,
  names: readonly FacetName[],
  bounds: Bounds,
  maxInLarge: number,
) {
  // A filter may leave few of many matches, so in a small cache all of them are read.
  const max = sql`case when ${isSmallCache(bounds)} then null else ${sql.lit(maxInLarge + 1)} end`
  const least = sql.lit(filterView(query.filters).least)
  const facets = sql.join(names.flatMap((name) => [sql`${name}::text`, countsOf(name)]))
  const { rows } = await sql<TotalsRow>`
    with ${matchedSet(query, 'all', { max })},
    shown as materialized (select * from offered where standing >= ${least} ${names.length > 0 ? sql`` : sql`limit ${sql.lit(maxTotal + 1)}`})
    select ${isSmallCache(bounds)} as is_small, (select count(*)::int from matches) as found, (select count(*)::int from shown) as total,
      ${names.length > 0 ? sql`json_build_object(${facets})` : sql`'{}'::json`} as facets`.execute(executor)
  return rows[0]!
}

/** Implements `SearchEngine.totals` inside the database. */
export async function readTotals(
  executor: Executor,
  query: SearchQuery,
  input: TotalsInput,
  bounds = defaultBounds,
): Promise<Totals> {
  const names = [...new Set(input.facets)]
  const max = names.length > 0 ? bounds.sorted : Math.min(bounds.sorted, maxWithoutFacets)
  const { is_small: isSmall, found, total, facets } = await countMatches(executor, query, names, bounds, max)
  const isWhole = isSmall || found <= max
  const totals = { total: Math.min(total, maxTotal), totalIsExact: isWhole && total <= maxTotal }
  return names.length === 0 ? totals : { ...totals, facets, facetsAreExact: isWhole }
}
