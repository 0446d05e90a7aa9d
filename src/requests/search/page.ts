import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { all, idsOfTopic, idsWithTags, requestConditions } from '../filters/conditions.ts'
import { filterView } from '../filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../record.ts'
import { requestColumns, standingIn, type View } from '../views/view.ts'
import { bestMatchScoreIn, matchColumns, reorderedMatches, tuning } from './best-match.ts'
import type { Hit, SearchEngine, SearchQuery } from './engine.ts'
import { type SearchOrder, searchCap } from './orders.ts'
import { textCondition } from './text-condition.ts'

/**
 * What the ranking cannot decide is decided among this many of the best matches, so that a filter that no match passes costs no
 * more than another.
 */
export const windowSize = 1_000

/** By relevance alone so many are ranked first; the second depth is enough where up to two thirds are hidden. */
const shallowDepths = [searchCap, 3 * searchCap]
/** The window where fewer than `fewInView` of the best matches are in the caller's view: else hardly any would be left. */
export const wideWindowSize = 5_000
const fewInView = windowSize / 5

/** A selective filter leaves at most this many requests; the text of each of them is then matched. */
export const maxSelected = 150

export interface PageInput extends SearchQuery, TextChoice {
  /** The words to rank by, any of them. */
  words: readonly string[]
  /** Also those that a long query does without; behind a selective filter all words are matched. */
  allWords: readonly string[]
  sortBy: SearchOrder
  offset: number
  /** `offset` + `limit` is at most 100. */
  limit: number
}

export interface SearchMatches {
  /** The page, best first. */
  results: RequestRecord[]
  /** Another match exists after these. */
  more: boolean
  /** Set when only so many of the best matches were considered and there may be more among the rest. */
  window: number | null
  /** The considered matches that are of the class maybe, pass the filters, and are not shown because the view leaves them out. */
  maybeIds: string[]
  /** Whether anything that the view shows or may offer has one of the words, whatever the filters say. */
  anyMatch: boolean
  /** Whether everything that has one of the words was considered: there is nothing beyond. */
  isAll: boolean
}

export const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`best desc nulls last, score desc, id`,
  votes: sql`votes desc, id desc`,
  new: sql`posted_at desc, id desc`,
}

/** Likely requests come before those that may be one, and these before the others, where a view has more than one class. */
export const classOrder = ({ least }: View) => (least === 2 ? sql`` : sql`standing desc, `)

/** What narrows or orders the matches beyond words and view; null where the ranking gives the page. */
export function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = requestConditions(filters)
  const onText = textCondition({ phrases, excluded })
  const isRanked = sortBy === 'relevance' && filterView(filters).least === 2
  if (onRequest.length === 0 && onText === null) return isRanked ? null : sql<boolean>`true`
  const padded = sql`(select ' ' || text || ' ' as text from request_texts where request_texts.request_id = requests.id)`
  const ofText = onText === null ? sql`true` : sql`exists (select from ${padded} as padded where ${onText})`
  // In this order: the text is read only of rows that pass the other conditions.
  return sql<boolean>`case when ${all(onRequest)} then ${ofText} else false end`
}

/**
 * One page of the best matches that the view shows. A page by relevance alone needs few matches: its answer counts where no deeper
 * ranking could change it. All other pages rank as many as the size of the cache and the classes of the matches demand,
 * whichever page it is, so that consecutive pages fit together.
 */
export async function readBestPage(executor: Executor, engine: SearchEngine, input: PageInput): Promise<SearchMatches> {
  const condition = conditionOf(input)
  for (const depth of condition === null ? shallowDepths : []) {
    const hits = await engine.best(executor, input.words, depth + 1)
    const best = await readMatches(executor, hits, input, { condition, max: hits.length })
    // Where nothing is hidden, all pages are slices of this ranking; else those that no deeper ranking could change.
    const isEnough = best.inView === hits.length || best.certain > input.offset + input.limit
    const isAll = hits.length <= depth && hits.considered === undefined
    if (isAll || isEnough) return { ...best.matches, window: hits.considered ?? null, isAll }
  }
  const read = async (size: number) => {
    const hits = await engine.best(executor, input.words, size + 1)
    const considered = await readMatches(executor, hits, input, { condition, max: size })
    return {
      ...considered,
      ranked: hits.considered ?? null,
      isWhole: hits.length <= size && hits.considered === undefined,
    }
  }
  const window = await read(windowSize)
  const isCertain = condition === null && window.certain > input.offset + input.limit
  if (window.isWhole || isCertain) return { ...window.matches, window: window.ranked, isAll: window.isWhole }
  // A small topic has few of the best matches of common words, and none of them may be among the best 1,000.
  const selected = await readSelected(executor, engine, input, condition)
  if (selected !== null) return selected
  const isStarved = window.passing <= searchCap && window.inView < fewInView
  const considered = isStarved ? await read(wideWindowSize) : window
  // A page in the order of the ranking needs no window as long as it is full.
  const hasAll = considered.isWhole || (condition === null && considered.passing > searchCap)
  const matches = { ...considered.matches, window: considered.ranked, isAll: considered.isWhole }
  return hasAll ? matches : { ...matches, window: considered.inView }
}

/** The requests that a selective filter or phrase leaves; null where none is selective. */
async function idsOfSelective(executor: Executor, engine: SearchEngine, input: PageInput): Promise<string[] | null> {
  const ids = idsOfTopic(input.filters, maxSelected + 1) ?? idsWithTags(input.filters, maxSelected + 1)
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
  const hits = await engine.among(executor, input.allWords, selected)
  const { matches } = await readMatches(executor, hits, input, { condition, max: maxSelected })
  // More than 1,000 requests of the cache match when this is reached, though none of them may pass the filter.
  return { ...matches, anyMatch: true, isAll: false }
}

/**
 * How many of the shown matches keep their order whatever a deeper ranking adds. It adds matches with the worst score or a worse one:
 * those change nothing before the ones that they cannot pass even at best, and nothing at all once enough are ordered anew.
 */
const certainOnes = (worst: number): RawBuilder<unknown> => sql`
  select case when better >= ${sql.lit(reorderedMatches)} then better else unpassed end from (
    select count(*) filter (where score > ${worst}::float8)::int as better,
      count(*) filter (where best > ${worst}::float8 * ${sql.lit(1 + tuning.band)})::int as unpassed
    from shown) as counted`

interface MatchOptions {
  condition: RawBuilder<boolean> | null
  /** How many of the hits are considered, the best ones. */
  max: number
}

interface Considered {
  /** How many of the considered hits the view shows … */
  inView: number
  /** … how many of these pass the filters … */
  passing: number
  /** … and how many of these, from the first on, no deeper ranking changes. */
  certain: number
  matches: SearchMatches
}

type MatchRow = RequestRow & Omit<Considered, 'matches'> & { maybe_ids: string[] | null; offered: number }

/** The considered hits that the view shows or may offer, with whether they pass the condition: a common table expression. */
export function candidatesOf(hits: readonly Hit[], view: View, { condition, max }: MatchOptions): RawBuilder<unknown> {
  // Not shown, but counted: what `include=maybe` would add.
  const offered = sql.lit(Math.min(view.least, 1))
  // `offset 0`, so that a standing which is a query by itself runs once for each hit.
  const own = sql`cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as considered`
  const [standing, joined] = view.account === null ? ['requests.standing', sql``] : ['considered.standing', own]
  const best = hits.slice(0, max)
  return sql`candidates as materialized (
      select requests.id, score, votes, posted_at, confidence, ${sql.ref(standing)}, ${condition ?? sql`true`} as passes
      from unnest(${best.map(({ id }) => id)}::uuid[], ${best.map(({ score }) => score)}::float8[]) as hit (request_id, score)
      join requests on requests.id = hit.request_id ${joined}
      where ${sql.ref(standing)} >= ${offered}
    )`
}

/** Of the candidates those that the view shows and that pass the condition, with what the order of best match needs. */
export const shownOf = (view: View): RawBuilder<unknown> => sql`
  -- The best by words are ordered anew, and the others stay after them.
  shown as materialized (
    select *, case when row_number() over (order by ${classOrder(view)}score desc, id) <= ${sql.lit(reorderedMatches)}
      then ${bestMatchScoreIn(matchColumns)} end as best
    from candidates where passes and standing >= ${sql.lit(view.least)}
  )`

/** Reads the records of a page of hits: those that still exist, that the view shows and that pass the filters. */
async function readMatches(
  executor: Executor,
  hits: readonly Hit[],
  { filters, sortBy, offset, limit, fullText }: PageInput,
  options: MatchOptions,
): Promise<Considered> {
  const view = filterView(filters)
  const least = sql.lit(view.least)
  const worst = hits.at(-1)?.score ?? 0
  const { rows } = await sql<MatchRow>`
    -- The filters read nothing of hidden matches.
    with ${candidatesOf(hits, view, options)},
    ${shownOf(view)},
    page as materialized (
      select id, row_number() over (order by ${classOrder(view)}${orders[sortBy]}) as rank from shown
      order by rank limit ${limit} offset ${offset}
    )
    -- The ids, which may be thousands, in the first row only.
    select "inView", passing, certain, offered,
      case when page.rank > ${offset}::int + 1 then null else maybe_ids end as maybe_ids, ${recordColumns({ fullText, view })}
    from (select count(*) filter (where standing >= ${least})::int as "inView",
        count(*) filter (where standing >= ${least} and passes)::int as passing,
        (${certainOnes(worst)}) as certain,
        coalesce(array_agg(id) filter (where standing < ${least} and passes), '{}') as maybe_ids,
        count(*)::int as offered
      from candidates) as counted
    left join page on true left join requests on requests.id = page.id
    order by page.rank`.execute(executor)
  const { inView, passing, certain, maybe_ids: maybeIds, offered } = rows[0]!
  const results = rows.filter((row) => row.id !== null).map((row) => toRecord(row, { fullText }))
  const more = passing > offset + limit
  const matches = { results, more, window: null, maybeIds: maybeIds ?? [], anyMatch: offered > 0, isAll: false }
  return { inView, passing, certain, matches }
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
