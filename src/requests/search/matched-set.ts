import { type RawBuilder, sql } from 'kysely'
import { all, conditionsOn } from '../filters/conditions.ts'
import { filterView } from '../filters/filters.ts'
import { standingIn } from '../views/view.ts'
import type { Part, SearchQuery } from './engine.ts'
import type { Phrase } from './query.ts'
import type { Term } from './terms.ts'
import { textCondition } from './text-condition.ts'

// The requests that match a query, by `request_texts.words` and `request_facets`.

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

/** The words of a part of the matches, as a `tsquery`. */
export function wordsQuery(query: SearchQuery, part: Part): RawBuilder<unknown> {
  const terms = query.terms.map(oneOf)
  const ofPhrases = phraseWords(query)
  const parts = [
    ...(part === 'all' ? [joined(terms, '&&')] : [joined(terms, '||'), sql`!!${joined(terms, '&&')}`]),
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

/** The standing of a row of `request_facets` in the view of the query. */
export const facetStanding = ({ filters }: SearchQuery): RawBuilder<unknown> =>
  standingIn(filterView(filters), {
    id: sql.ref('request_facets.request_id'),
    standing: sql.ref('request_facets.standing'),
  })

/** The filters on a row of `request_facets`; the text is read only of rows that pass the others. */
export const passesFilters = (query: SearchQuery): RawBuilder<boolean> => sql<boolean>`
  case when ${all(conditionsOn('request_facets', query.filters))}
    then ${phrasesHold(query, sql.ref('request_facets.request_id'))} else false end`

/**
 * The common table expressions `matches` (the first `max` requests with the words, or all) and `offered` (those that the view shows
 * or may offer, that pass the filters and have the phrases). @param maxRead of more matches than these none is read
 */
export function matchedSet(
  query: SearchQuery,
  part: Part,
  { max, maxRead = null }: { max: RawBuilder<unknown> | null; maxRead?: number | null },
): RawBuilder<unknown> {
  const { least } = filterView(query.filters)
  return sql`
    matches as materialized (
      select request_id from requests_with_words(${wordsQuery(query, part)}, ${max ?? sql`null`}::bigint) as request_id
    ), offered as materialized (
      select * from (
        -- \`offset 0\`: a standing that is a query by itself runs once for each row.
        select request_facets.request_id as id, platform, status, tags, votes, posted_at, ${facetStanding(query)} as standing
        from matches join request_facets using (request_id)
        where ${maxRead === null ? sql`true` : sql`(select count(*) from matches) <= ${sql.lit(maxRead)}`}
          and ${passesFilters(query)} offset 0
      ) as passing where standing >= ${sql.lit(Math.min(least, 1))}
    )`
}
