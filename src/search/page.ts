import { type RawBuilder, sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import {
  all,
  conditionsOn,
  idsOfProducts,
  idsOfTopic,
  idsWithTags,
  requestConditions,
} from '../requests/filters/conditions.ts'
import { filterView } from '../requests/filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, toRecord } from '../requests/record.ts'
import { requestColumns, standingIn } from '../requests/view.ts'
import { type ExactOrder, maxLower, type OrderedIds, type SearchEngine } from './engine.ts'
import { textCondition } from './matched-set.ts'
import { type Aside, type PageInput, readMatches, type SearchMatches } from './matches.ts'
import { searchCap } from './orders.ts'
import { isOneWord } from './terms.ts'

interface Order extends OrderedIds {
  /** How many of the ids, the first ones, have all words. */
  whole: number
  /** Set where the requests with some of the words are only those among the best matches. */
  window: number | null
}

/** The requests with some of the words, but not all, among the best matches. */
async function readSomeOfBest(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  known: Omit<Order, 'window'>,
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
  const known = { ...whole, whole: whole.ids.length }
  if (missing === 0 || isOneWord(input.terms)) return { ...known, window: null }
  const some = await engine.ordered(executor, input, { part: 'some', order, limit: missing })
  if (some === null) return readSomeOfBest(executor, engine, input, known)
  // Never twice: while the index takes over new entries, a request may seem not to have one of its words yet.
  return {
    ...known,
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
  const { ids, maybeIds, whole, totals, window } = order
  const end = input.offset + input.limit
  const results = await readRecords(executor, ids.slice(input.offset, end), input)
  const anyMatch = ids.length > 0 || maybeIds.length > 0 || (await matchesAnything(executor, engine, input))
  const aside = { totals: (input.aside?.total && totals) || null, counts: null }
  return { results, more: ids.length > end, whole, window, maybeIds, anyMatch, isAll: true, aside }
}

/**
 * What the ranking cannot decide is decided among this many of the best matches, so that a filter that no match passes costs no
 * more than another.
 */
export const windowSize = 1_000

/** By relevance alone so many are ranked first; the second depth is enough where up to two thirds are hidden or left out. */
const shallowDepths = [searchCap, 3 * searchCap] as const
/** The window where fewer than `fewInView` of the best matches are in the caller's view: else hardly any would be left. */
export const wideWindowSize = 5_000
const fewInView = windowSize / 5

/** A selective filter leaves at most this many requests; the text of each of them is then matched. */
export const maxSelected = 150

/** What narrows or orders the matches beyond words and view; null where the ranking gives the page. */
export function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = conditionsOn('searchable_requests', filters)
  const onText = textCondition({ phrases, excluded })
  const isRanked = sortBy === 'relevance' && filterView(filters).least === standings.likely
  if (onRequest.length === 0 && onText === null) return isRanked ? null : sql<boolean>`true`
  const padded = sql`(select ' ' || text || ' ' as text from request_texts where request_texts.request_id = searchable_requests.request_id)`
  const ofText = onText === null ? sql`true` : sql`exists (select from ${padded} as padded where ${onText})`
  // In this order: the text is read only of rows that pass the other conditions.
  return sql<boolean>`case when ${all(onRequest)} then ${ofText} else false end`
}

/** Whether a page is one of the ranking, without what has an exclusion: then most of the best are in it. */
const isOnlyLeavingOut = ({ filters, phrases, excluded, sortBy }: PageInput): boolean =>
  excluded.length > 0 &&
  phrases.length === 0 &&
  sortBy === 'relevance' &&
  filterView(filters).least === standings.likely &&
  conditionsOn('searchable_requests', filters).length === 0

/** How many of the best matches are ranked before a window of them: where these decide the page, it costs least. */
export function depthsOf(input: PageInput, condition: RawBuilder<boolean> | null): readonly number[] {
  if (condition === null) return shallowDepths
  return isOnlyLeavingOut(input) ? shallowDepths.slice(1) : []
}

/**
 * One page of the best matches that the view shows. A page by relevance alone needs few matches: its answer counts where no deeper
 * ranking could change it. All other pages rank as many as the size of the cache and the classes of the matches demand,
 * whichever page it is, so that consecutive pages fit together.
 */
export async function readBestPage(executor: Executor, engine: SearchEngine, input: PageInput): Promise<SearchMatches> {
  const condition = conditionOf(input)
  let aside: Aside | null = null
  const read = async (size: number, max = size) => {
    const counted = aside === null && input.aside?.total ? input : undefined
    const hits = await engine.best(executor, { ...input, counted }, size + 1)
    const page = aside === null ? input : { ...input, aside: undefined }
    const { matches, ...considered } = await readMatches(executor, hits, page, { condition, max })
    aside ??= matches.aside
    const isWhole = considered.hits <= size && considered.ranked === null
    return { ...considered, matches: { ...matches, aside }, isWhole }
  }
  for (const depth of depthsOf(input, condition)) {
    const best = await read(depth, depth + 1)
    // Where nothing is hidden, all pages are slices of this ranking; else those that no deeper ranking could change.
    const isWithoutHidden = best.passing === best.hits && best.lower < maxLower
    if (best.isWhole || isWithoutHidden || best.final > input.offset + input.limit) {
      return { ...best.matches, window: best.ranked, isAll: best.isWhole }
    }
  }
  const window = await read(windowSize)
  const isRanking = condition === null || isOnlyLeavingOut(input)
  const isFinal = isRanking && window.final > input.offset + input.limit
  if (window.isWhole || isFinal) return { ...window.matches, window: window.ranked, isAll: window.isWhole }
  // A small topic has few of the best matches of common words, and none of them may be among the best 1,000.
  const selected = await readSelected(executor, engine, input, condition)
  if (selected !== null) return { ...selected, aside }
  const isTooNarrow = window.passing <= searchCap && window.inView < fewInView
  const considered = isTooNarrow ? await read(wideWindowSize) : window
  // A page in the order of the ranking needs no window as long as it is full.
  const hasAll = considered.isWhole || (isRanking && considered.passing > searchCap)
  const matches = { ...considered.matches, window: considered.ranked, isAll: considered.isWhole }
  return hasAll ? matches : { ...matches, window: considered.inView }
}

/** The requests that a selective filter or phrase leaves; null where none is selective. */
async function idsOfSelective(executor: Executor, engine: SearchEngine, input: PageInput): Promise<string[] | null> {
  const { filters } = input
  const max = maxSelected + 1
  const ids = idsOfTopic(filters, max) ?? idsWithTags(filters, max) ?? idsOfProducts(filters, max)
  if (ids !== null) {
    const { rows } = await sql<{ selected: string[] }>`
      select coalesce(json_agg(id), '[]') as selected from (${ids}) as selected`.execute(executor)
    const { selected } = rows[0]!
    if (selected.length <= maxSelected) return selected
  }
  return engine.withPhrases(executor, input, maxSelected)
}

/** The page of all that a selective filter leaves; null where no filter is selective. */
async function readSelected(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  condition: RawBuilder<boolean> | null,
): Promise<SearchMatches | null> {
  const selected = await idsOfSelective(executor, engine, input)
  if (selected === null) return null
  const hits = await engine.among(executor, { ...input, words: input.allWords }, selected)
  const { matches } = await readMatches(executor, hits, { ...input, aside: undefined }, { condition, max: maxSelected })
  // More than 1,000 requests of the cache match when this is reached, though none of them may pass the filter.
  return { ...matches, anyMatch: true, isAll: false }
}

/** The records of requests in the order of their ids: those that still exist, that the view shows and that pass the filters. */
export async function readRecords(
  executor: Executor,
  ids: readonly string[],
  input: PageInput,
): Promise<RequestRecord[]> {
  if (ids.length === 0) return []
  const { filters, fullText } = input
  const view = filterView(filters)
  const { rows } = await sql<RequestRow>`
    select ${recordColumns({ fullText, view })}
    from unnest(${[...ids]}::uuid[]) with ordinality as page (id, rank) join requests on requests.id = page.id
    where ${standingIn(view, requestColumns)} >= ${sql.lit(view.least)} and ${all(requestConditions(filters))}
    order by rank`.execute(executor)
  return rows.map((row) => toRecord(row, { fullText }))
}
