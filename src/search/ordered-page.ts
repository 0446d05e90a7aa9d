import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import type { ExactOrder, OrderedIds, SearchEngine } from './engine.ts'
import type { PageInput, SearchMatches } from './matches.ts'
import { searchCap } from './orders.ts'
import { readBestPage, readRecords } from './page.ts'

interface Order extends OrderedIds {
  /** Set where the requests with some of the words are only those among the best matches. */
  window: number | null
}

/** The requests with some of the words, but not all, among the best matches. */
async function readSomeOfBest(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  known: OrderedIds,
): Promise<Order> {
  const best = await readBestPage(executor, engine, {
    ...input,
    offset: 0,
    limit: searchCap,
    fullText: false,
    aside: undefined,
  })
  const others = best.results.map(({ _id }) => _id).filter((id) => !known.ids.includes(id))
  return { ...known, ids: [...known.ids, ...others], window: best.window }
}

/**
 * The ids of the first `wanted` results: those with all words, and where they are fewer, those with some. Null where too many match to
 * be ordered.
 */
async function readOrder(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  wanted: number,
): Promise<Order | null> {
  const order = input.sortBy as ExactOrder
  const whole = await engine.ordered(executor, input, { part: 'all', order, limit: wanted })
  if (whole === null) return null
  const missing = wanted - whole.ids.length
  if (missing === 0 || input.terms.length === 1) return { ...whole, window: null }
  const some = await engine.ordered(executor, input, { part: 'some', order, limit: missing })
  if (some === null) return readSomeOfBest(executor, engine, input, whole)
  // Never twice: while the index takes over new entries, a request may seem not to have one of its words yet.
  return {
    ...whole,
    ids: [...new Set([...whole.ids, ...some.ids])],
    maybeIds: [...new Set([...whole.maybeIds, ...some.maybeIds])],
    window: null,
  }
}

/** Whether the words match anything without the filters. */
async function matchesAnything(executor: Executor, engine: SearchEngine, input: PageInput): Promise<boolean> {
  const filters = { view: filterView(input.filters) }
  const bare = { ...input, filters, phrases: [], excluded: [], sortBy: 'relevance' as const, offset: 0, limit: 1 }
  return (await readBestPage(executor, engine, bare)).anyMatch
}

/**
 * One page in an exact order: all requests that have all words of the query, and after them those that have some. Where they are too
 * many to be ordered, it orders the best matches, and says among how many.
 */
export async function readOrderedPage(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
): Promise<SearchMatches> {
  const order = await readOrder(executor, engine, input, Math.min(input.offset + input.limit, searchCap) + 1)
  if (order === null) return readBestPage(executor, engine, input)
  const { ids, maybeIds, totals, window } = order
  const end = input.offset + input.limit
  const results = await readRecords(executor, ids.slice(input.offset, end), input)
  const anyMatch = ids.length > 0 || maybeIds.length > 0 || (await matchesAnything(executor, engine, input))
  const aside = { totals: (input.aside?.total && totals) || null, frequent: null }
  return { results, more: ids.length > end, window, maybeIds, anyMatch, isAll: true, aside }
}
