import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import type { ExactOrder, OrderedIds, SearchEngine } from './engine.ts'
import { candidatesOf, type PageInput, searchOrder, shownOf } from './matches.ts'
import { conditionOf, wideWindowSize, windowSize } from './page.ts'
import { isOneWord } from './terms.ts'

/** The matches of a query that the view shows and that pass its filters, without their records. */
export interface RankedMatches {
  /** In the order of the search. */
  ids: string[]
  /** How many of the ids, the first ones, come before all others whatever they are grouped by: those with all words. */
  first: number
  /** Set when only so many of the matches were considered and there may be more among the rest. */
  window: number | null
  /** Whether `isWide` would consider more. */
  canBeWider: boolean
  /** As in `SearchMatches`. */
  maybeIds: string[]
  anyMatch: boolean
}

export const noRankedMatches: RankedMatches = {
  ids: [],
  first: 0,
  window: null,
  canBeWider: false,
  maybeIds: [],
  anyMatch: false,
}

interface RankedFacts {
  /** How many of the hits in the window the view shows. */
  considered: number
  /** As in `Considered`. */
  hits: number
  ranked: number | null
}

/** The best matches, as far as a window goes. */
async function rankBest(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  size: number,
): Promise<RankedMatches> {
  const view = filterView(input.filters)
  const least = sql.lit(view.least)
  const hits = await engine.best(executor, input, size + 1)
  const { rows } = await sql<Pick<RankedMatches, 'ids' | 'first' | 'maybeIds' | 'anyMatch'> & RankedFacts>`
    with ${candidatesOf(hits, view, { condition: conditionOf(input), max: size })}, ${shownOf(view)}
    select count(*) filter (where standing >= ${least})::int as considered,
      (select count(*)::int from hits) as hits, (select max(considered) from hits) as ranked,
      (select coalesce(array_agg(id order by ${searchOrder(view, input.sortBy)}), '{}') from shown) as ids,
      (select count(*)::int from shown where has_all) as first,
      coalesce(array_agg(id) filter (where passes and standing < ${least}), '{}') as "maybeIds",
      count(*) > 0 as "anyMatch"
    from candidates`.execute(executor)
  const { considered, hits: found, ranked, ...matches } = rows[0]!
  const window = found <= size && ranked === null ? null : considered
  return { ...matches, window, canBeWider: found > size && size < wideWindowSize }
}

/** How many matches of an order are grouped. */
const maxOrdered = 1_000

interface Ordered extends OrderedIds {
  /** There are more than these. */
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

/** The first matches in an exact order: those with all words, and where they are fewer than a page needs, those with some. */
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
  const ranked = { ids, first: ids.length, maybeIds, anyMatch: true, window, canBeWider: false }
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
  /** Whether to consider many more matches by relevance: five times as many, at three times the cost. */
  isWide?: boolean
}

/** The matches that are grouped. @param needed after so many of them the page is full at the earliest. */
export async function rankMatches(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  { needed, isWide = false }: RankOptions & { needed: number },
): Promise<RankedMatches> {
  const ordered = input.sortBy === 'relevance' ? null : await rankOrdered(executor, engine, input, needed)
  if (ordered !== null && ordered.ids.length + ordered.maybeIds.length > 0) return ordered
  return rankBest(executor, engine, input, isWide ? wideWindowSize : windowSize)
}
