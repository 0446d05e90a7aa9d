import { type RawBuilder, sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import { all as allOf, conditionsOn } from '../requests/filters/conditions.ts'
import { filterView } from '../requests/filters/filters.ts'
import { type StandingColumns, standingIn } from '../requests/view.ts'
import type { Part, SearchQuery } from './engine.ts'
import type { Phrase } from './query.ts'
import { quotedWords, someOf, type Term } from './terms.ts'

// Finds the requests that match a query, by `searchable_requests` and its index of words.

/** Whether a normalized text has a phrase (both with single spaces between words). */
const hasPhrase = (forms: Phrase) =>
  sql<boolean>`(${sql.join(
    forms.map((form) => sql`position(${` ${form} `}::text in padded.text) > 0`),
    sql` or `,
  )})`

/** The condition on `padded.text`, the normalized text between two spaces; null without phrases and exclusions. */
export function textCondition({
  phrases,
  excluded,
}: Record<'phrases' | 'excluded', readonly Phrase[]>): RawBuilder<boolean> | null {
  if (phrases.length + excluded.length === 0) return null
  return allOf([...phrases.map(hasPhrase), ...excluded.map((forms) => sql`not ${hasPhrase(forms)}`)])
}

export const searchableColumns: StandingColumns = {
  id: sql.ref('searchable_requests.request_id'),
  standing: sql.ref('searchable_requests.standing'),
}

/** Quotes keep a word from being a `tsquery` operator. */
const quoted = (word: string) => `'${word.replace(/['\\]/g, '$&$&')}'`

/** Any of the alternatives, each with all its words, adjacent if quoted; in `to_tsquery` syntax. */
const oneOf = (alternatives: Term | Phrase): string => {
  const textOf = (words: string) =>
    quotedWords(words)?.map(quoted).join(' <-> ') ?? words.split(' ').map(quoted).join(' & ')
  return `(${alternatives.map(textOf).join(' | ')})`
}

/** A `tsquery` as one parameter: with one per word, each query length would be planned separately. */
const wordsIn = (text: string): RawBuilder<unknown> => sql`to_tsquery('wishwell', ${text})`

const all = (parts: readonly (Term | Phrase)[]) => parts.map(oneOf).join(' & ')
const any = (parts: readonly (Term | Phrase)[]) => parts.map(oneOf).join(' | ')

/** The words of the phrases, for the index; the phrases themselves are compared with each text. */
export const phraseWords = ({ phrases }: SearchQuery): RawBuilder<unknown> | null =>
  phrases.length === 0 ? null : wordsIn(all(phrases))

/** All words of a query, as a `tsquery`. */
export const allWords = (terms: readonly Term[]): RawBuilder<unknown> => wordsIn(all(terms))

/** The words of a part as a `tsquery`. */
export function wordsQuery({ terms, phrases }: SearchQuery, part: Part): RawBuilder<unknown> {
  const words = part === 'all' ? all(terms) : `${oneOf(someOf(terms))} & !(${all(terms)})`
  return wordsIn(phrases.length === 0 ? words : `(${words}) & ${all(phrases)}`)
}

/** Whether a request's text has the phrases and no exclusion. */
export function phrasesHold(query: SearchQuery, id: RawBuilder<unknown>): RawBuilder<boolean> {
  const condition = textCondition(query)
  if (condition === null) return sql<boolean>`true`
  return sql<boolean>`exists (select from (
    select ' ' || text || ' ' as text from request_texts where request_texts.request_id = ${id} offset 0
  ) as padded where ${condition})`
}

/** Whether a request has no exclusion, comparing only indexed candidates, or all if one has no indexed word. */
function hasNoExclusion(query: SearchQuery, part: Part, holds: RawBuilder<boolean>): RawBuilder<boolean> {
  const { excluded } = query
  const having = sql`${wordsQuery(query, part)} && ${wordsIn(any(excluded))}`
  return sql<boolean>`case
    when (select least(${sql.join(excluded.map((phrase) => sql`numnode(${wordsIn(oneOf(phrase))})`))}) > 0)
      and searchable_requests.request_id not in (select request_id from ${requestsWithWords(having, {})}) then true
    else ${holds} end`
}

/** The filters on a row of `searchable_requests`; texts are read only of rows that pass the others. */
function passesFilters(query: SearchQuery, part: Part | null): RawBuilder<boolean> {
  const conditions = allOf(conditionsOn('searchable_requests', query.filters))
  // Else the planner may read all requests of a topic at once.
  if (textCondition(query) === null) return conditions
  const holds = phrasesHold(query, sql.ref('searchable_requests.request_id'))
  const onText = part === null || query.phrases.length > 0 ? holds : hasNoExclusion(query, part, holds)
  return sql<boolean>`case when ${conditions} then ${onText} else false end`
}

/** Whether anything besides words and class decides about results. */
export const hasFilters = (query: SearchQuery): boolean =>
  conditionsOn('searchable_requests', query.filters).length > 0 || textCondition(query) !== null

/** Whether matches in the view's class may still be no results, and so must be checked one by one. */
export const isChecked = (query: SearchQuery): boolean =>
  hasFilters(query) || filterView(query.filters).account !== null

/** The rows of `searchable_requests` with the words of a `tsquery`, always read by the index. */
export const requestsWithWords = (
  words: RawBuilder<unknown>,
  { least = sql`-1`, max = sql`null` }: { least?: RawBuilder<unknown>; max?: RawBuilder<unknown> | undefined },
): RawBuilder<unknown> => sql`requests_with_words(${words}, (${least})::smallint, (${max})::bigint)`

/** Matches of a `tsquery` in the 1-in-32 sample: many there means very many in all. */
export const sampledRequestsWithWords = (
  words: RawBuilder<unknown>,
  { least, max }: { least: number; max: number },
): RawBuilder<unknown> =>
  sql`sampled_requests_with_words(${words}, ${sql.lit(least)}::smallint, ${sql.lit(max)}::bigint)`

/** The lowest shared standing that a view may show or offer. An account may see a request higher. */
export function leastVisible({ filters }: Pick<SearchQuery, 'filters'>): number {
  const view = filterView(filters)
  return view.account === null ? Math.min(view.least, standings.maybe) : standings.unlisted
}

interface MatchesOptions {
  max?: RawBuilder<unknown>
  /** The lowest standing in the shared view; defaults to what the query's view may show or offer. */
  least?: number
}

/** The rows of `searchable_requests` with the words of a part. */
export const matchesOf = (
  query: SearchQuery,
  part: Part,
  { max, least = leastVisible(query) }: MatchesOptions = {},
): RawBuilder<unknown> =>
  sql`select * from ${requestsWithWords(wordsQuery(query, part), { least: sql.lit(least), max })}`

/** A query for matches that the view shows or may offer, passing filters and phrases. @param part null: any requests */
export function visibleOf(
  query: SearchQuery,
  matches: RawBuilder<unknown>,
  part: Part | null = null,
): RawBuilder<unknown> {
  const view = filterView(query.filters)
  const passing = sql`
    select request_id as id, platform, product, status, tags, votes, posted_at, ${standingIn(view, searchableColumns)} as standing
    from (${matches}) as searchable_requests where ${passesFilters(query, part)}`
  // `offset 0`: a standing from a subquery is computed once per row.
  const ofView = view.account === null ? passing : sql`${passing} offset 0`
  return sql`select * from (${ofView}) as passing where standing >= ${sql.lit(Math.min(view.least, standings.maybe))}`
}
