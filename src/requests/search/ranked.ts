import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { filterView } from '../filters/filters.ts'
import type { Hit, SearchEngine } from './engine.ts'
import { readOrder } from './ordered-page.ts'
import { searchCap } from './orders.ts'
import {
  candidatesOf,
  classOrder,
  conditionOf,
  fewInView,
  orders,
  type PageInput,
  shownOf,
  wideWindowSize,
  windowSize,
} from './page.ts'

/** The matches of a query that the view shows and that pass its filters, without their records. */
export interface RankedMatches {
  /** In the order of the search. */
  ids: string[]
  /** Set when only so many of the matches were considered and there may be more among the rest. */
  window: number | null
  /** As in `SearchMatches`. */
  maybeIds: string[]
  anyMatch: boolean
}

export const noRankedMatches: RankedMatches = { ids: [], window: null, maybeIds: [], anyMatch: false }

interface Considered extends Omit<RankedMatches, 'window'> {
  /** How many of the hits the view shows. */
  inView: number
}

/** Those of the best hits that the view shows and that pass the filters, in the order of the search. */
async function readConsidered(executor: Executor, hits: readonly Hit[], input: PageInput, max: number) {
  const view = filterView(input.filters)
  const least = sql.lit(view.least)
  const order = sql`${classOrder(view)}${orders[input.sortBy]}`
  const { rows } = await sql<Considered>`
    with ${candidatesOf(hits, view, { condition: conditionOf(input), max })}, ${shownOf(view)}
    select count(*) filter (where standing >= ${least})::int as "inView",
      (select coalesce(array_agg(id order by ${order}), '{}') from shown) as ids,
      coalesce(array_agg(id) filter (where passes and standing < ${least}), '{}') as "maybeIds",
      count(*) > 0 as "anyMatch"
    from candidates`.execute(executor)
  return rows[0]!
}

/** The best matches, as many as a page of them considers. */
async function rankBest(executor: Executor, engine: SearchEngine, input: PageInput): Promise<RankedMatches> {
  const read = async (size: number) => {
    const hits = await engine.best(executor, input.words, size + 1)
    return { ...(await readConsidered(executor, hits, input, size)), isWhole: hits.length <= size }
  }
  let considered = await read(windowSize)
  const isStarved = considered.ids.length <= searchCap && considered.inView < fewInView
  if (isStarved && !considered.isWhole) considered = await read(wideWindowSize)
  const { isWhole, inView, ...ranked } = considered
  return { ...ranked, window: isWhole ? null : inView }
}

/** Ranks the matches of a query: by relevance the best 1,000, in the other orders exactly the first 1,000. */
export async function rankMatches(executor: Executor, engine: SearchEngine, input: PageInput): Promise<RankedMatches> {
  if (input.sortBy === 'relevance') return rankBest(executor, engine, input)
  const order = await readOrder(executor, engine, input, windowSize + 1)
  if (order === null) return rankBest(executor, engine, input)
  const ids = order.ids.slice(0, windowSize)
  const window = order.ids.length > windowSize ? windowSize : order.window
  return { ids, maybeIds: order.maybeIds, window, anyMatch: ids.length > 0 || order.maybeIds.length > 0 }
}
