import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { all, idsOfTopic, idsWithTags, requestConditions } from '../filters/conditions.ts'
import type { RequestFilters } from '../filters/filters.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../record.ts'
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

/** A selective filter leaves at most this many requests; the text of each of them is then matched. */
export const maxSelected = 150

/** How many matches are ever ranked: those that can be paged through or the window, and one more that tells whether there are more. */
export const depths = [searchCap + 1, windowSize + 1] as const

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
  /** Whether anything at all has one of the words, whatever the filters say. */
  anyMatch: boolean
  /** Whether everything that has one of the words was considered: there is nothing beyond. */
  isAll: boolean
}

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`score, id`,
  votes: sql`votes desc, score, id`,
  new: sql`posted_at desc, score, id`,
}

/** What narrows or orders the matches beyond what the index does; null where the index alone gives the page. */
function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = requestConditions(filters)
  const onText = textCondition({ phrases, excluded })
  if (onRequest.length === 0 && onText === null) return sortBy === 'relevance' ? null : sql<boolean>`true`
  const padded = sql`(select ' ' || text || ' ' as text from request_texts where request_texts.request_id = requests.id)`
  const ofText = onText === null ? sql`true` : sql`exists (select from ${padded} as padded where ${onText})`
  // In this order: the text is read only of rows that pass the other conditions.
  return sql<boolean>`case when ${all(onRequest)} then ${ofText} else false end`
}

/**
 * One page of the best matches. Always the same number of them is ranked, whichever page it is: where equally good ones are
 * cut off then does not depend on the page.
 */
export async function readPage(executor: Executor, engine: SearchEngine, input: PageInput): Promise<SearchMatches> {
  const condition = conditionOf(input)
  const [ofPages, ofWindow] = depths
  if (condition === null) {
    const options = { ...input, condition, max: ofPages }
    return (await readMatches(executor, engine.best(input.words, ofPages), options)).matches
  }
  const options = { ...input, condition, max: windowSize }
  const { found, matches } = await readMatches(executor, engine.best(input.words, ofWindow), options)
  if (found <= windowSize) return matches
  // A small topic has few of the best matches of common words, and none of them may be among the best 1,000.
  return (await readSelected(executor, engine, input, condition)) ?? { ...matches, window: windowSize }
}

/** The page of all that a selective filter leaves; null where no filter is selective. */
async function readSelected(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  condition: RawBuilder<boolean>,
): Promise<SearchMatches | null> {
  const ids = idsOfTopic(input.filters, maxSelected + 1) ?? idsWithTags(input.filters, maxSelected + 1)
  if (ids === null) return null
  const { rows } = await sql<{ selected: string[] }>`
    select coalesce(json_agg(id), '[]') as selected from (${ids}) as selected`.execute(executor)
  const { selected } = rows[0]!
  if (selected.length > maxSelected) return null
  const matching = engine.among(input.allWords, sql`${selected}::uuid[]`)
  const { matches } = await readMatches(executor, matching, { ...input, condition, max: maxSelected })
  // More than 1,000 requests of the cache match when this is reached, though none of them may pass the filter.
  return { ...matches, anyMatch: true, isAll: false }
}

interface MatchOptions extends TextChoice {
  condition: RawBuilder<boolean> | null
  sortBy: SearchOrder
  /** How many of the matches are considered, the best ones. */
  max: number
  offset: number
  limit: number
}

/** Finds the matches and reads the records of the page in one statement: others wait for each statement in the embedded backend. */
async function readMatches(
  executor: Executor,
  matching: RawBuilder<unknown>,
  { condition, sortBy, max, offset, limit, fullText }: MatchOptions,
): Promise<{ found: number; matches: SearchMatches }> {
  const candidates =
    condition === null
      ? sql`select request_id as id, score from matches`
      : sql`select id, score, votes, posted_at
          from (select * from matches order by score, request_id limit ${sql.lit(max)}) as considered
          join requests on requests.id = considered.request_id where ${condition}`
  const { rows } = await sql<RequestRow & { found: number; remaining: number }>`
    with matches as materialized (${matching}),
    candidates as materialized (${candidates}),
    page as materialized (
      select id, row_number() over (order by ${orders[sortBy]}) as rank from candidates
      order by rank limit ${limit} offset ${offset}
    )
    select counted.found, counted.remaining, ${recordColumns({ fullText })}
    from (select (select count(*)::int from matches) as found,
      (select count(*)::int from candidates) as remaining) as counted
    left join page on true left join requests on requests.id = page.id
    order by page.rank`.execute(executor)
  const { found, remaining } = rows[0]!
  const results = rows.filter((row) => row.id !== null).map((row) => toRecord(row, { fullText }))
  const isAll = found < max || (condition !== null && found === max)
  const matches = { results, more: remaining > offset + limit, window: null, anyMatch: found > 0, isAll }
  return { found, matches }
}
