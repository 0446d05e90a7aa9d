import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../record.ts'
import { fewRequests, filterCondition, idsByFilter, type SearchFilters, textCondition } from './conditions.ts'
import type { ParsedQuery } from './query.ts'

/** Ways to find what matches some normalised words: queries with the columns `request_id` and `score`, the lower the better. */
export interface SearchEngine {
  /** The `most` best matches. It gives no row that does not match, and all of the matches when they are fewer. */
  best(words: string, most: Depth): RawBuilder<unknown>
  /** Those of the requests in `ids` that match; for few of them, since every text is looked at. */
  among(words: string, ids: RawBuilder<unknown>): RawBuilder<unknown>
}

export const searchOrders = ['relevance', 'votes', 'new'] as const

export type SearchOrder = (typeof searchOrders)[number]

/** However a search is paged, nobody sees more than its best 100 (spec 4.3). */
export const searchCap = 100
/**
 * Whatever cannot be asked of the index looks at this many of the best matches, so that a filter that keeps nothing costs no
 * more than another.
 */
const windowSize = 1_000

/** How many matches are ever ranked: those that can be paged through or the window, and one more that tells whether there are more. */
export const depths = [searchCap + 1, windowSize + 1] as const

export type Depth = (typeof depths)[number]

export interface PageInput extends Pick<ParsedQuery, 'phrases' | 'excluded'>, TextChoice {
  /** What the index is asked for: normalised, any of them. */
  words: string
  /** The same with those that a long query does without; of few requests all words can be asked for. */
  allWords: string
  filters: SearchFilters
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
  /** Set when only so many of the best matches were looked at and there may be more among the rest. */
  window: number | null
  /** Whether anything at all has one of the words, whatever the filters say. */
  anyMatch: boolean
  /** Whether everything that has one of the words was looked at: there is nothing beyond. */
  isAll: boolean
}

const orders: Record<SearchOrder, RawBuilder<unknown>> = {
  relevance: sql`score, id`,
  votes: sql`votes desc, score, id`,
  new: sql`posted_at desc, score, id`,
}

/** What narrows or orders the matches beyond what the index does; null where the index alone gives the page. */
function conditionOf({ filters, phrases, excluded, sortBy }: PageInput): RawBuilder<boolean> | null {
  const onRequest = filterCondition(filters)
  const onText = textCondition({ phrases, excluded })
  if (onRequest === null && onText === null) return sortBy === 'relevance' ? null : sql<boolean>`true`
  const padded = sql`(select ' ' || text || ' ' as text from request_texts where request_texts.request_id = requests.id)`
  const ofText = onText === null ? sql`true` : sql`exists (select from ${padded} as padded where ${onText})`
  // In this order: a text is only read of a row that passes the rest.
  return sql<boolean>`case when ${onRequest ?? sql`true`} then ${ofText} else false end`
}

/**
 * One page of the best matches. Always the same number of them is ranked, whichever page is asked for: where equally good
 * ones are cut off then does not depend on the page.
 */
export async function readPage(executor: Executor, engine: SearchEngine, input: PageInput): Promise<SearchMatches> {
  const condition = conditionOf(input)
  const [ofPages, ofWindow] = depths
  if (condition === null) {
    const options = { ...input, condition, most: ofPages }
    return (await readMatches(executor, engine.best(input.words, ofPages), options)).matches
  }
  const options = { ...input, condition, most: windowSize }
  const { found, matches } = await readMatches(executor, engine.best(input.words, ofWindow), options)
  const ids = idsByFilter(input.filters)
  if (found <= windowSize) return matches
  const windowed = { ...matches, window: windowSize }
  // A small topic has few of the best matches of common words, and none of them may be among the best 1,000.
  return ids === null ? windowed : ((await readFew(executor, engine, input, { condition, ids })) ?? windowed)
}

/** The page of all that is left by a filter; null when that is too much to be looked at. */
async function readFew(
  executor: Executor,
  engine: SearchEngine,
  input: PageInput,
  { condition, ids }: { condition: RawBuilder<boolean>; ids: RawBuilder<unknown> },
): Promise<SearchMatches | null> {
  const { rows } = await sql<{ few: string[] }>`
    select coalesce(json_agg(request_id), '[]') as few from (${ids}) as few`.execute(executor)
  const { few } = rows[0]!
  if (few.length > fewRequests) return null
  const matching = engine.among(input.allWords, sql`${few}::uuid[]`)
  const { matches } = await readMatches(executor, matching, { ...input, condition, most: fewRequests })
  // It is only come to when the whole cache has more than 1,000 matches, though the filter may leave none.
  return { ...matches, anyMatch: true, isAll: false }
}

interface MatchOptions extends TextChoice {
  condition: RawBuilder<boolean> | null
  sortBy: SearchOrder
  /** How many of the matches are considered, the best ones. */
  most: number
  offset: number
  limit: number
}

/** Finds the matches and reads the records of the page in one statement: others wait for each statement in the embedded backend. */
async function readMatches(
  executor: Executor,
  matching: RawBuilder<unknown>,
  { condition, sortBy, most, offset, limit, fullText }: MatchOptions,
): Promise<{ found: number; matches: SearchMatches }> {
  const candidates =
    condition === null
      ? sql`select request_id as id, score from matches`
      : sql`select id, score, votes, posted_at
          from (select * from matches order by score, request_id limit ${sql.lit(most)}) as considered
          join requests on requests.id = considered.request_id where ${condition}`
  const { rows } = await sql<RequestRow & { found: number; remaining: number }>`
    with matches as materialized (${matching}),
    candidates as materialized (${candidates}),
    page as materialized (
      select id, row_number() over (order by ${orders[sortBy]}) as place from candidates
      order by place limit ${limit} offset ${offset}
    )
    select counted.found, counted.remaining, ${recordColumns({ fullText })}
    from (select (select count(*)::int from matches) as found,
      (select count(*)::int from candidates) as remaining) as counted
    left join page on true left join requests on requests.id = page.id
    order by page.place`.execute(executor)
  const { found, remaining } = rows[0]!
  const results = rows.filter((row) => row.id !== null).map((row) => toRecord(row, { fullText }))
  const isAll = found < most || (condition !== null && found === most)
  const matches = { results, more: remaining > offset + limit, window: null, anyMatch: found > 0, isAll }
  return { found, matches }
}
