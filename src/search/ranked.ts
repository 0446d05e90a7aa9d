import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import { finalCount, searchOrder, shownOf } from './best-match.ts'
import type { ExactOrder, OrderedIds, SearchEngine } from './engine.ts'
import { candidatesOf, type PageInput } from './matches.ts'
import { conditionOf, depthsOf, maxSelected, wideWindowSize, windowSize } from './page.ts'
import { isOneWord } from './terms.ts'

/** The ids of a query's matches that pass its filters and that the view shows. */
export interface RankedMatches {
  ids: string[]
  /** By relevance: a number per id that increases with each tier, and whether the title is exact. */
  tiers: number[]
  exact: boolean[]
  /** How many ids, from the first, have all words and so precede all others however they are grouped. */
  first: number
  /** Set if only this many matches were considered and there may be more. */
  window: number | null
  /** How many ids, from the first, no deeper ranking changes. */
  final: number
  /** How many matches a deeper ranking would consider; null if this one considered all, or the maximum. */
  deeper: number | null
  maybeIds: string[]
  anyMatch: boolean
}

export const noRankedMatches: RankedMatches = {
  ids: [],
  tiers: [],
  exact: [],
  first: 0,
  window: null,
  final: 0,
  deeper: null,
  maybeIds: [],
  anyMatch: false,
}

interface RankedFacts {
  /** How many hits in the window the view shows. */
  considered: number
  hits: number
  ranked: number | null
  unpassed: number
}

async function rankBest(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  { depth, depths }: { depth: number; depths: readonly number[] },
): Promise<RankedMatches> {
  const view = filterView(input.filters)
  const least = sql.lit(view.least)
  const hits = await engine.best(executor, input, depth + 1)
  const { rows } = await sql<
    Pick<RankedMatches, 'ids' | 'tiers' | 'exact' | 'first' | 'maybeIds' | 'anyMatch'> & RankedFacts
  >`
    with ${candidatesOf(hits, view, { condition: conditionOf(input), max: depth })}, ${shownOf(view, input)},
    ordered as (select *, row_number() over (order by ${searchOrder(view, input.sortBy)}) as place from shown),
    tiered as (
      select *, case when lead is null then place else min(place) over (partition by has_all, standing, titled, lead) end as tier from ordered
    )
    select count(*) filter (where standing >= ${least})::int as considered,
      (select count(*)::int from hits) as hits, (select max(considered) from hits) as ranked,
      (${finalCount(input)}) as unpassed,
      (select coalesce(array_agg(id order by place), '{}') from tiered) as ids,
      (select coalesce(array_agg(tier::int order by place), '{}') from tiered) as tiers,
      (select coalesce(array_agg(coalesce(exact, false) order by place), '{}') from tiered) as exact,
      (select count(*)::int from shown where has_all) as first,
      coalesce(array_agg(id) filter (where passes and standing < ${least}), '{}') as "maybeIds",
      count(*) > 0 as "anyMatch"
    from candidates`.execute(executor)
  const { considered, hits: found, ranked, unpassed, ...matches } = rows[0]!
  const isWhole = found <= depth && ranked === null
  const final = depths[0] === windowSize ? 0 : unpassed
  const deeper = found > depth ? (depths[depths.indexOf(depth) + 1] ?? null) : null
  return { ...matches, final, window: isWhole ? null : considered, deeper }
}

const maxOrdered = 1_000

interface Ordered extends OrderedIds {
  hasMore: boolean
}

async function readOrdered(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  part: 'all' | 'some',
): Promise<Ordered | null> {
  const order = input.sortBy as ExactOrder
  const found = await engine.ordered(executor, input, { part, order, limit: maxOrdered + 1 })
  return found && { ...found, ids: found.ids.slice(0, maxOrdered), hasMore: found.ids.length > maxOrdered }
}

/** The first matches in an exact order: those with all words, then enough with some to fill a page. */
async function rankOrdered(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  needed: number,
): Promise<RankedMatches | null> {
  const all = await readOrdered(executor, engine, input, 'all')
  if (all === null) return null
  const { ids, maybeIds, hasMore } = all
  const window = hasMore ? ids.length : null
  const ranked = {
    ids,
    tiers: [],
    exact: [],
    first: ids.length,
    maybeIds,
    anyMatch: true,
    window,
    final: 0,
    deeper: null,
  }
  if (ids.length >= needed || isOneWord(input.terms)) return ranked
  const some = await readOrdered(executor, engine, input, 'some')
  if (some === null) return null
  return {
    ...ranked,
    ids: [...new Set([...ids, ...some.ids])],
    maybeIds: [...new Set([...maybeIds, ...some.maybeIds])],
    window: some.hasMore ? ids.length + some.ids.length : ranked.window,
  }
}

export interface RankOptions {
  /** How many matches to consider: the `deeper` of the previous ranking. */
  depth?: number
}

/** The matches to group. @param needed the fewest matches that can fill the page */
export async function rankMatches(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  { needed, depth }: RankOptions & { needed: number },
): Promise<RankedMatches> {
  const ordered = input.sortBy === 'relevance' ? null : await rankOrdered(executor, engine, input, needed)
  if (ordered !== null && ordered.ids.length + ordered.maybeIds.length > 0) return ordered
  const depths = [...depthsOf(input, conditionOf(input)), windowSize, wideWindowSize]
  return rankBest(executor, engine, input, { depth: depth ?? depths[0]!, depths })
}

/** Those of at most 150 requests that match a query, pass its filters and are shown in its view. */
export async function matchesAmong(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  ids: readonly string[],
): Promise<string[]> {
  const view = filterView(input.filters)
  const hits = await engine.among(executor, { ...input, words: input.allWords }, ids)
  const { rows } = await sql<{ id: string }>`
    with ${candidatesOf(hits, view, { condition: conditionOf(input), max: maxSelected })}
    select id from candidates where passes and standing >= ${sql.lit(view.least)}`.execute(executor)
  return rows.map(({ id }) => id)
}
