import { type RawBuilder, sql } from 'kysely'
import { all, conditionsOn } from '../filters/conditions.ts'
import { filterView } from '../filters/filters.ts'
import { standingIn } from '../views/view.ts'
import type { Part, SearchQuery } from './engine.ts'
import type { Phrase } from './query.ts'
import type { Term } from './terms.ts'
import { textCondition } from './text-condition.ts'

// The requests that match a query, by `searchable_requests` and its index of words.

const joined = (queries: readonly RawBuilder<unknown>[], operator: '&&' | '||') =>
  sql`(${sql.join(queries, operator === '&&' ? sql` && ` : sql` || `)})`

/** All words of each alternative, in any of the alternatives. */
const oneOf = (alternatives: Term | Phrase) =>
  joined(
    alternatives.map((words) => sql`plainto_tsquery('wishwell', ${words})`),
    '||',
  )

/** The words of the phrases: an index has them, where the phrases themselves are compared with each text. */
export const phraseWords = ({ phrases }: SearchQuery): RawBuilder<unknown> | null =>
  phrases.length === 0 ? null : joined(phrases.map(oneOf), '&&')

/** All words of a query, as a `tsquery`. */
export const allWords = (terms: readonly Term[]): RawBuilder<unknown> => joined(terms.map(oneOf), '&&')

/** The words of a part of the matches, as a `tsquery`. */
export function wordsQuery(query: SearchQuery, part: Part): RawBuilder<unknown> {
  const all = allWords(query.terms)
  const ofPhrases = phraseWords(query)
  const parts = [
    ...(part === 'all' ? [all] : [joined(query.terms.map(oneOf), '||'), sql`!!${all}`]),
    ...(ofPhrases === null ? [] : [ofPhrases]),
  ]
  return joined(parts, '&&')
}

/** Whether the text of `request_id` has the phrases and no exclusion. */
export function phrasesHold(query: SearchQuery, id: RawBuilder<unknown>): RawBuilder<boolean> {
  const condition = textCondition(query)
  if (condition === null) return sql<boolean>`true`
  return sql<boolean>`exists (select from (
    select ' ' || text || ' ' as text from request_texts where request_texts.request_id = ${id} offset 0
  ) as padded where ${condition})`
}

/** The filters on a row of `searchable_requests`; the text is read only of rows that pass the others. */
function passesFilters(query: SearchQuery): RawBuilder<boolean> {
  const conditions = all(conditionsOn('searchable_requests', query.filters))
  // Without it the planner may read all requests of a topic at once.
  if (textCondition(query) === null) return conditions
  const onText = phrasesHold(query, sql.ref('searchable_requests.request_id'))
  return sql<boolean>`case when ${conditions} then ${onText} else false end`
}

/** Whether anything beside its words and its class decides if a request is a result. */
export const hasFilters = (query: SearchQuery): boolean =>
  conditionsOn('searchable_requests', query.filters).length > 0 || textCondition(query) !== null

/** Whether a match in the view's class may be no result: then matches are read and checked one by one. */
export const isChecked = (query: SearchQuery): boolean =>
  hasFilters(query) || filterView(query.filters).account !== null

/** The rows of `searchable_requests` with the words of a `tsquery`, always read by the index. */
export const requestsWithWords = (
  words: RawBuilder<unknown>,
  { least = -1, max = sql`null` }: { least?: number; max?: RawBuilder<unknown> | undefined },
): RawBuilder<unknown> => sql`requests_with_words(${words}, ${sql.lit(least)}::smallint, ${max}::bigint)`

/** The requests of the sample with the words of a `tsquery`. */
const sampledRequestsWithWords = (words: RawBuilder<unknown>, least: number, max: number): RawBuilder<unknown> =>
  sql`sampled_requests_with_words(${words}, ${sql.lit(least)}::smallint, ${sql.lit(max)}::bigint)`

/** The lowest standing in the shared view of what a view may show or offer. For an account a request may have a higher one. */
export function leastOffered({ filters }: Pick<SearchQuery, 'filters'>): number {
  const view = filterView(filters)
  return view.account === null ? Math.min(view.least, 1) : -1
}

interface MatchesOptions {
  /** The first `max` ones only, else all. */
  max?: RawBuilder<unknown>
  /** The lowest standing in the shared view: by default what the view of the query may show or offer. */
  least?: number
}

/** A query for rows of `searchable_requests` with the words of a part of the matches. */
export const matchesOf = (
  query: SearchQuery,
  part: Part,
  { max, least = leastOffered(query) }: MatchesOptions = {},
): RawBuilder<unknown> => sql`select * from ${requestsWithWords(wordsQuery(query, part), { least, max })}`

/** Those of the sample, at most `max`. */
export const sampledMatchesOf = (
  query: SearchQuery,
  part: Part,
  { max, least = leastOffered(query) }: { max: number; least?: number },
): RawBuilder<unknown> => sql`select * from ${sampledRequestsWithWords(wordsQuery(query, part), least, max)}`

/** How many matches there are where every match of a standing is a result: an integer, at most `max`. */
export const countOfMatches = (query: SearchQuery, least: number, max: number): RawBuilder<number> =>
  sql`count_requests_with_words(${wordsQuery(query, 'all')}, ${sql.lit(least)}::smallint, ${sql.lit(max)}::bigint)`

/**
 * A query for the matches that the view shows or may offer, that pass the filters and have the phrases, with their standing in the view.
 * @param matches as of `matchesOf`
 */
export function offeredOf(query: SearchQuery, matches: RawBuilder<unknown>): RawBuilder<unknown> {
  const view = filterView(query.filters)
  const columns = {
    id: sql.ref('searchable_requests.request_id'),
    standing: sql.ref('searchable_requests.standing'),
  }
  const passing = sql`
    select request_id as id, platform, status, tags, votes, posted_at, ${standingIn(view, columns)} as standing
    from (${matches}) as searchable_requests where ${passesFilters(query)}`
  // `offset 0`: a standing that is a query by itself runs once for each row.
  const ofView = view.account === null ? passing : sql`${passing} offset 0`
  return sql`select * from (${ofView}) as passing where standing >= ${sql.lit(Math.min(view.least, 1))}`
}
