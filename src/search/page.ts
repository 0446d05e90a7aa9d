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
  whole: number
  /** Set if requests with only some of the words come just from this many best matches. */
  window: number | null
}

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

/** Ids of the first `wanted` results: those with all words, then with some. Null if too many match to sort them. */
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
  // Deduplicate: while the index merges new entries, a request may seem to lack a word.
  return {
    ...known,
    ids: [...new Set([...whole.ids, ...some.ids])],
    maybeIds: [...new Set([...whole.maybeIds, ...some.maybeIds])],
    window: null,
  }
}

async function matchesAnything(executor: Executor, engine: SearchEngine, input: PageInput): Promise<boolean> {
  const filters = { view: filterView(input.filters) }
  const bare = { ...input, filters, phrases: [], excluded: [], sortBy: 'relevance' as const, offset: 0, limit: 1 }
  return (await readBestPage(executor, engine, bare)).anyMatch
}

/** One page in an exact order. If too many match to sort them, it sorts the best and says among how many. */
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

/** What the ranking cannot decide is decided among this many best matches, whatever the filter. */
export const windowSize = 1_000

/** Depths that a ranking by relevance tries first; the second suffices if up to two thirds are hidden. */
const shallowDepths = [searchCap, 3 * searchCap] as const
/** The window if fewer than `fewInView` of the best matches are in the caller's view. */
export const wideWindowSize = 5_000
const fewInView = windowSize / 5

/** A filter that leaves at most this many requests is selective: each of their texts is matched. */
export const maxSelected = 150

/** What narrows or reorders matches beyond words and view; null if the ranking alone gives the page. */
export function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = conditionsOn('searchable_requests', filters)
  const onText = textCondition({ phrases, excluded })
  const isRanked = sortBy === 'relevance' && filterView(filters).least === standings.likely
  if (onRequest.length === 0 && onText === null) return isRanked ? null : sql<boolean>`true`
  const padded = sql`(select ' ' || text || ' ' as text from request_texts where request_texts.request_id = searchable_requests.request_id)`
  const ofText = onText === null ? sql`true` : sql`exists (select from ${padded} as padded where ${onText})`
  // The order matters: texts are read only of rows that pass the other conditions.
  return sql<boolean>`case when ${all(onRequest)} then ${ofText} else false end`
}

/** Whether a page is the ranking minus exclusions: then it has most of the best matches. */
const isOnlyLeavingOut = ({ filters, phrases, excluded, sortBy }: PageInput): boolean =>
  excluded.length > 0 &&
  phrases.length === 0 &&
  sortBy === 'relevance' &&
  filterView(filters).least === standings.likely &&
  conditionsOn('searchable_requests', filters).length === 0

/** The depths to rank before trying a window, which costs more. */
export function depthsOf(input: PageInput, condition: RawBuilder<boolean> | null): readonly number[] {
  if (condition === null) return shallowDepths
  return isOnlyLeavingOut(input) ? shallowDepths.slice(1) : []
}

/**
 * One page of the best matches that the view shows. By relevance alone, it ranks only until no deeper ranking could
 * change the page. All other pages rank a number that does not depend on the page, so that pages fit together.
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
    // Pages are slices of this ranking if nothing is hidden; else only those that no deeper ranking can change.
    const isWithoutHidden = best.passing === best.hits && best.lower < maxLower
    if (best.isWhole || isWithoutHidden || best.final > input.offset + input.limit) {
      return { ...best.matches, window: best.ranked, isAll: best.isWhole }
    }
  }
  const window = await read(windowSize)
  const isRanking = condition === null || isOnlyLeavingOut(input)
  const isFinal = isRanking && window.final > input.offset + input.limit
  if (window.isWhole || isFinal) return { ...window.matches, window: window.ranked, isAll: window.isWhole }
  // A small topic may have none of the best 1,000 matches of common words.
  const selected = await readSelected(executor, engine, input, condition)
  if (selected !== null) return { ...selected, aside }
  const isTooNarrow = window.passing <= searchCap && window.inView < fewInView
  const considered = isTooNarrow ? await read(wideWindowSize) : window
  // A full page in ranking order needs no window.
  const hasAll = considered.isWhole || (isRanking && considered.passing > searchCap)
  const matches = { ...considered.matches, window: considered.ranked, isAll: considered.isWhole }
  return hasAll ? matches : { ...matches, window: considered.inView }
}

/** The requests left by a selective filter or phrase; null if none is selective. */
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

/** The page of everything that a selective filter leaves; null if no filter is selective. */
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
  // More than 1,000 requests match here, though perhaps none passes the filter.
  return { ...matches, anyMatch: true, isAll: false }
}

/** Reads records in the order of the ids: those that still exist, are shown in the view and pass the filters. */
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
