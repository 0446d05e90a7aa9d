import { type RawBuilder, sql } from 'kysely'
import type { RequestStatus } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import type { RequestFilters } from '../requests/filters/filters.ts'
import type { SearchOrder } from './orders.ts'
import type { Phrase } from './query.ts'
import type { Term } from './terms.ts'

/** A request that matches. */
export interface Hit {
  id: string
  /** How well it matches: the higher the better, always above 0. */
  score: number
  /** Whether it has all words of the query. */
  hasAll: boolean
}

/** Of the requests that have all words, but are not among the best by their scores, at most so many are hits. */
export const maxLower = 150

/**
 * Matches as a relation, which the statement that reads their records ranks and reads at once: `id`, `score` and `has_all` as in `Hit`;
 * `considered`, the number of matches that were ranked where these are too many to rank them all, else null, in every row or in some; and in every row
 * `lower`, how many requests with all words have the score of the worst, because they rank lower and their own is not known, and `totals`, a JSON
 * object as `Totals`, or null where it was not asked for or takes a statement of its own.
 */
export type Hits = RawBuilder<unknown>

/** The best first. */
export const bestFirst = sql`has_all desc, score desc, id`

/** Matches that an index outside of the database gave. */
export const hitsFrom = (hits: readonly Hit[]): Hits => sql`
  select id, score, has_all, null::integer as considered, 0 as lower, null::json as totals
  from unnest(${hits.map(({ id }) => id)}::uuid[], ${hits.map(({ score }) => score)}::float8[], ${hits.map(({ hasAll }) => hasAll)}::boolean[])
    as hit (id, score, has_all)`

/** Reads matches by themselves. @returns the best first */
export async function readHits(executor: Executor, hits: Hits): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select id, score, has_all as "hasAll" from (${hits}) as hits order by ${bestFirst}`.execute(executor)
  return rows
}

/** What is ranked. */
export interface RankedQuery {
  /** Any of these words match. */
  words: readonly string[]
  /** A request has all words when it has one alternative of each term. Without terms, scores alone are the order. */
  terms: readonly Term[]
  /** With the view, which says what cannot be a result. */
  filters: RequestFilters
  /** A query of the same terms and filters: the hits also say how many requests it has, where that takes no statement of its own. */
  counted?: SearchQuery | undefined
}

/** What exact orders, totals and facets are about. */
export interface SearchQuery {
  /** A request has all of the words when it has one alternative of each term. */
  terms: readonly Term[]
  /** Each of these must be in the text … */
  phrases: readonly Phrase[]
  /** … and none of these. */
  excluded: readonly Phrase[]
  /** With the view. */
  filters: RequestFilters
}

/** The requests with all words of a query, or those that have some of them, but not all. */
export type Part = 'all' | 'some'

export type ExactOrder = Exclude<SearchOrder, 'relevance'>

export interface OrderedInput {
  part: Part
  order: ExactOrder
  /** At most 1,001. */
  limit: number
}

export interface OrderedIds {
  /** In their order, `limit` of them or all that there are. Equal ones have the greater id first, as in lists. */
  ids: string[]
  /** Requests of the class maybe that match, pass the filters and are not shown, at most 1,000. */
  maybeIds: string[]
  /** How many requests have all words; absent where they were not counted. */
  totals?: Totals
}

export const facetNames = ['platform', 'product', 'status', 'tag', 'year', 'votes'] as const

/** The values of the facet `votes`: so many votes or more. */
export const voteSteps = [1, 5, 10, 50, 100, 500] as const

export type FacetName = (typeof facetNames)[number]

/** The most frequent value first; a request without a status, product or tag is in none of theirs. */
export type Facets = Partial<Record<FacetName, { value: RequestStatus | string; count: number }[]>>

export interface Totals {
  /** How many requests have all words of the query, and pass its filters. */
  total: number
  /** False: there are more than `total`. */
  totalIsExact: boolean
  facets?: Facets
  /** Of the facets: false where they count only `total` of the matches. */
  facetsAreExact?: boolean
}

export interface TotalsInput {
  /** Which of the matches are counted: by default those with all words. */
  part?: Part
  facets: readonly FacetName[]
}

/**
 * What searches the texts of requests. Its results are ids and scores (`Hits`): callers read the records by id, and check filters and view
 * again. `executor` is where an engine inside the database reads; one outside of it ignores it.
 */
export interface SearchEngine {
  readonly kind: 'bm25' | 'tsvector' | 'opensearch'
  /**
   * The `max` best matches of any of the words, those with all words before all others; all of them when they are fewer,
   * and none that does not match.
   */
  best(executor: Executor, query: RankedQuery, max: number): Promise<Hits>
  /** Those of some requests that have any of the words, with the same scores. @param ids at most a few hundred: each text is read. */
  among(executor: Executor, query: RankedQuery, ids: readonly string[]): Promise<Hits>
  /** The requests that have the phrases and no exclusion, whatever the filters say; null when they may be more than `max`. */
  withPhrases(executor: Executor, query: SearchQuery, max: number): Promise<string[] | null>
  /** Exactly the first ones in an order; null where too many match to have them in the time of a search. */
  ordered(executor: Executor, query: SearchQuery, input: OrderedInput): Promise<OrderedIds | null>
  /** How many requests have all words of the query, or some of them, and how they are distributed. */
  totals(executor: Executor, query: SearchQuery, input: TotalsInput): Promise<Totals>
}
