import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { all, idsOfTopic, idsWithTags, requestConditions } from '../filters/conditions.ts'
import { filterView, type RequestFilters } from '../filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../record.ts'
import { requestColumns, standingIn, type View } from '../views/view.ts'
import { bestMatchScoreIn, matchColumns, reorderedMatches, tuning } from './best-match.ts'
import { type SearchOrder, searchCap } from './orders.ts'
import type { ParsedQuery } from './query.ts'
import { textCondition } from './text-condition.ts'

/** Ways to find what matches some normalised words: queries with the columns `request_id` and `score`, the lower the better. */
export interface SearchEngine {
  /** The `max` best matches. It gives no row that does not match, and all of the matches when they are fewer. */
  best(words: string, max: Depth): RawBuilder<unknown>
  /** Those of the requests in `ids` that match; for a small number of ids, since every text is read. */
  among(words: string, ids: RawBuilder<unknown>): RawBuilder<unknown>
}

/**
 * What the index cannot decide is decided among this many of the best matches, so that a filter that no match passes costs no
 * more than another.
 */
const windowSize = 1_000

/** The window where fewer than `fewInView` of the best matches are in the caller's view: else hardly any would be left. */
const wideWindowSize = 5_000
const fewInView = windowSize / 5

/** A selective filter leaves at most this many requests; the text of each of them is then matched. */
export const maxSelected = 150

/** How many matches are ever ranked: those that can be paged through or a window, and one more that tells whether there are more. */
export const depths = [searchCap + 1, windowSize + 1, wideWindowSize + 1] as const

export type Depth = (typeof depths)[number]

export interface PageInput extends Pick<ParsedQuery, 'phrases' | 'excluded'>, TextChoice {
  /** The words that the index ranks by: normalised, any of them. */
  words: string
  /** Also those that a long query does without; behind a selective filter all words are matched. */
  allWords: string
  filters: RequestFilters
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

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`best, score, id`,
  votes: sql`votes desc, score, id`,
  new: sql`posted_at desc, score, id`,
}

/** Likely requests come before those that may be one, and these before the others, where a view has more than one class. */
const classOrder = ({ least }: View) => (least === 2 ? sql`` : sql`standing desc, `)

/** What narrows or orders the matches beyond words and view; null where the index's order gives the page. */
function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = requestConditions(filters)
  const onText = textCondition({ phrases, excluded })
  const isIndexOrder = sortBy === 'relevance' && filterView(filters).least === 2
  if (onRequest.length === 0 && onText === null) return isIndexOrder ? null : sql<boolean>`true`
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
export async function readPage(executor: Executor, engine: SearchEngine, input: PageInput): Promise<SearchMatches> {
  const condition = conditionOf(input)
  if (condition === null) {
    const best = await readMatches(executor, engine.best(input.words, depths[0]), input, { condition, max: depths[0] })
    // Where nothing is hidden, all pages are slices of this ranking; else those that no deeper ranking could change.
    const isEnough = best.inView === best.found || best.certain > input.offset + input.limit
    if (best.found < depths[0] || isEnough) return best.matches
  }
  const read = (depth: Depth) =>
    readMatches(executor, engine.best(input.words, depth), input, { condition, max: depth - 1 })
  const window = await read(depths[1])
  const isCertain = condition === null && window.certain > input.offset + input.limit
  if (window.found <= windowSize || isCertain) return window.matches
  // A small topic has few of the best matches of common words, and none of them may be among the best 1,000.
  const selected = await readSelected(executor, engine, input, condition)
  if (selected !== null) return selected
  const isStarved = window.passing <= searchCap && window.inView < fewInView
  const considered = isStarved ? await read(depths[2]) : window
  const isWhole = considered.found <= (isStarved ? wideWindowSize : windowSize)
  // A page in the order of the index needs no window as long as it is full.
  const hasAll = isWhole || (condition === null && considered.passing > searchCap)
  return hasAll ? considered.matches : { ...considered.matches, window: considered.inView }
}

/** The page of all that a selective filter leaves; null where no filter is selective. */
async function readSelected(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  condition: RawBuilder<boolean> | null,
): Promise<SearchMatches | null> {
  const ids = idsOfTopic(input.filters, maxSelected + 1) ?? idsWithTags(input.filters, maxSelected + 1)
  if (ids === null) return null
  const { rows } = await sql<{ selected: string[] }>`
    select coalesce(json_agg(id), '[]') as selected from (${ids}) as selected`.execute(executor)
  const { selected } = rows[0]!
  if (selected.length > maxSelected) return null
  const matching = engine.among(input.allWords, sql`${selected}::uuid[]`)
  const { matches } = await readMatches(executor, matching, input, { condition, max: maxSelected })
  // More than 1,000 requests of the cache match when this is reached, though none of them may pass the filter.
  return { ...matches, anyMatch: true, isAll: false }
}

/**
 * How many of the shown matches keep their order whatever a deeper ranking adds. It adds matches with the worst score or a worse one:
 * those change nothing before the ones that they cannot pass even at best, and nothing at all once enough are ordered anew.
 */
const certainOnes = sql`
  select case when better >= ${sql.lit(reorderedMatches)} then better else unpassed end from (
    select count(*) filter (where score < worst)::int as better,
      count(*) filter (where best < worst * ${sql.lit(1 + tuning.band)})::int as unpassed
    from shown, (select max(score) as worst from matches) as ranked) as counted`

interface MatchOptions {
  condition: RawBuilder<boolean> | null
  /** How many of the matches are considered, the best ones. */
  max: number
}

interface Considered {
  /** How many matches were ranked: more than were considered, where there are more. */
  found: number
  /** How many of the considered ones the view shows … */
  inView: number
  /** … how many of these pass the filters … */
  passing: number
  /** … and how many of these, from the first on, no deeper ranking changes. */
  certain: number
  matches: SearchMatches
}

type MatchRow = RequestRow & Omit<Considered, 'matches'> & { maybe_ids: string[] | null; offered: number }

/** Finds the matches and reads the records of the page in one statement: others wait for each statement in the embedded backend. */
async function readMatches(
  executor: Executor,
  matching: RawBuilder<unknown>,
  { filters, sortBy, offset, limit, fullText }: PageInput,
  { condition, max }: MatchOptions,
): Promise<Considered> {
  const view = filterView(filters)
  const least = sql.lit(view.least)
  // Not shown, but counted: what `include=maybe` would add.
  const offered = sql.lit(Math.min(view.least, 1))
  // `offset 0`, so that a standing which is a query by itself runs once for each match.
  const own = sql`cross join lateral (select ${standingIn(view, requestColumns)} as standing offset 0) as considered`
  const [standing, joined] = view.account === null ? ['requests.standing', sql``] : ['considered.standing', own]
  const { rows } = await sql<MatchRow>`
    with matches as materialized (${matching}),
    -- The filters read nothing of hidden matches.
    candidates as materialized (
      select requests.id, score, votes, posted_at, confidence, ${sql.ref(standing)}, ${condition ?? sql`true`} as passes
      from (select * from matches order by score, request_id limit ${sql.lit(max)}) as best
      join requests on requests.id = best.request_id ${joined}
      where ${sql.ref(standing)} >= ${offered}
    ),
    -- The order of best match: the best by words are ordered anew, and the others stay after them.
    shown as materialized (
      select *, case when row_number() over (order by ${classOrder(view)}score, id) <= ${sql.lit(reorderedMatches)}
        then ${bestMatchScoreIn(matchColumns)} end as best
      from candidates where passes and standing >= ${least}
    ),
    page as materialized (
      select id, row_number() over (order by ${classOrder(view)}${orders[sortBy]}) as rank from shown
      order by rank limit ${limit} offset ${offset}
    )
    -- The ids, which may be thousands, in the first row only.
    select found, "inView", passing, certain, offered,
      case when page.rank > ${offset}::int + 1 then null else maybe_ids end as maybe_ids, ${recordColumns({ fullText, view })}
    from (select (select count(*)::int from matches) as found,
        count(*) filter (where standing >= ${least})::int as "inView",
        count(*) filter (where standing >= ${least} and passes)::int as passing,
        (${certainOnes}) as certain,
        coalesce(array_agg(id) filter (where standing < ${least} and passes), '{}') as maybe_ids,
        count(*)::int as offered
      from candidates) as counted
    left join page on true left join requests on requests.id = page.id
    order by page.rank`.execute(executor)
  const { found, inView, passing, certain, maybe_ids: maybeIds, offered: known } = rows[0]!
  const results = rows.filter((row) => row.id !== null).map((row) => toRecord(row, { fullText }))
  const isAll = found <= max && (found < max || max !== depths[0])
  const more = passing > offset + limit
  const matches = { results, more, window: null, maybeIds: maybeIds ?? [], anyMatch: known > 0, isAll }
  return { found, inView, passing, certain, matches }
}
