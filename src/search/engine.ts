import { type RawBuilder, sql } from 'kysely'
import type { RequestStatus } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import type { RequestFilters } from '../requests/filters/filters.ts'
import type { SearchOrder } from './orders.ts'
import type { Phrase } from './query.ts'
import type { Term } from './terms.ts'

export interface Hit {
  id: string
  /** Always above 0; higher is better. */
  score: number
  hasAll: boolean
}

/** The most hits that have all words but are not among the best by score. */
export const maxLower = 150

/**
 * Matches as a relation, for the statement that ranks them and reads their records. Columns: `id`, `score` and
 * `has_all` as in `Hit`; `considered`, how many matches were ranked if too many to rank all, else null (may be null in
 * some rows); `lower`, how many requests with all words got the worst score because they rank lower and their own is
 * unknown; `totals`, a `Totals` as JSON, null if not asked for or if it needs its own statement.
 */
export type Hits = RawBuilder<unknown>

export const bestFirst = sql`has_all desc, score desc, id`

/** The matches of an external index. */
export const hitsFrom = (hits: readonly Hit[]): Hits => sql`
  select id, score, has_all, null::integer as considered, 0 as lower, null::json as totals
  from unnest(${hits.map(({ id }) => id)}::uuid[], ${hits.map(({ score }) => score)}::float8[], ${hits.map(({ hasAll }) => hasAll)}::boolean[])
    as hit (id, score, has_all)`

/** Reads matches alone, best first. */
export async function readHits(executor: Executor, hits: Hits): Promise<Hit[]> {
  const { rows } = await sql<Hit>`
    select id, score, has_all as "hasAll" from (${hits}) as hits order by ${bestFirst}`.execute(executor)
  return rows
}

export interface RankedQuery {
  words: readonly string[]
  /** A request has all words if it has one alternative of each term. Without terms, only scores order. */
  terms: readonly Term[]
  /** With the view, which limits the results. */
  filters: RequestFilters
  /** A query with the same terms and filters, whose total comes with the hits if that needs no extra statement. */
  counted?: SearchQuery | undefined
}

/** The query of exact orders, totals and facets. */
export interface SearchQuery {
  /** A request has all words if it has one alternative of each term. */
  terms: readonly Term[]
  phrases: readonly Phrase[]
  excluded: readonly Phrase[]
  filters: RequestFilters
}

/** Requests with all words of a query, or with some but not all of them. */
export type Part = 'all' | 'some'

export type ExactOrder = Exclude<SearchOrder, 'relevance'>

export interface OrderedInput {
  part: Part
  order: ExactOrder
  /** At most 1,001. */
  limit: number
}

export interface OrderedIds {
  /** Up to `limit` ids in order; ties have the greater id first, as in lists. */
  ids: string[]
  /** Matches of the class maybe that pass the filters but are not shown, at most 1,000. */
  maybeIds: string[]
  totals?: Totals
}

export const facetNames = ['platform', 'product', 'status', 'tag', 'year', 'votes'] as const

/** The values of the facet `votes`, as minimums. */
export const voteSteps = [1, 5, 10, 50, 100, 500] as const

export type FacetName = (typeof facetNames)[number]

/** Values by descending frequency. Requests without a status, product or tag are not counted there. */
export type Facets = Partial<Record<FacetName, { value: RequestStatus | string; count: number }[]>>

export interface Totals {
  /** How many requests have all words and pass the filters. */
  total: number
  /** False if there are more than `total`. */
  totalIsExact: boolean
  facets?: Facets
  /** False if the facets count only `total` of the matches. */
  facetsAreExact?: boolean
}

export interface TotalsInput {
  /** The matches to count; defaults to those with all words. */
  part?: Part
  facets: readonly FacetName[]
}

/** Searches for ids and scores (`Hits`); callers recheck filters and view. External engines ignore `executor`. */
export interface SearchEngine {
  readonly kind: 'bm25' | 'tsvector' | 'opensearch'
  /** The `max` best matches of any words, those with all words first; only matches, and all if there are fewer. */
  best(executor: Executor, query: RankedQuery, max: number): Promise<Hits>
  /** The matches among a few hundred ids, with the same scores. Reads each text. */
  among(executor: Executor, query: RankedQuery, ids: readonly string[]): Promise<Hits>
  /** Requests with the phrases and without exclusions, ignoring filters; null if there may be more than `max`. */
  withPhrases(executor: Executor, query: SearchQuery, max: number): Promise<string[] | null>
  /** The exact first matches in an order; null if too many match to sort them in time. */
  ordered(executor: Executor, query: SearchQuery, input: OrderedInput): Promise<OrderedIds | null>
  /** Counts requests with all words of the query, or some, and their distribution. */
  totals(executor: Executor, query: SearchQuery, input: TotalsInput): Promise<Totals>
}
