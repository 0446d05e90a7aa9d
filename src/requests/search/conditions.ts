import { type RawBuilder, sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { ParsedQuery, Phrase } from './query.ts'

/** What a result must be besides a match; everything that is given must hold. */
export interface SearchFilters {
  platforms?: readonly PlatformName[]
  topicKey?: string
  /** All of them, as they are written. */
  tags?: readonly string[]
  minVotes?: number
  /** Posted then or later, by the platform's date or, where it has none, by when it entered the cache. */
  since?: Date
  /** Posted before. */
  until?: Date
}

const joined = (conditions: readonly RawBuilder<boolean>[]) =>
  conditions.length === 0 ? null : sql<boolean>`${sql.join(conditions, sql` and `)}`

/** The condition on rows of `requests`; null when nothing is filtered. */
export function filterCondition(filters: SearchFilters): RawBuilder<boolean> | null {
  const { platforms, topicKey, tags, minVotes, since, until } = filters
  const conditions: RawBuilder<boolean>[] = []
  if (platforms) conditions.push(sql`requests.platform = any(${platforms}::text[])`)
  if (topicKey !== undefined) {
    conditions.push(sql`exists (select from request_topics
      where request_topics.request_id = requests.id and request_topics.topic_key = ${topicKey})`)
  }
  if (tags) conditions.push(sql`requests.tags @> ${tags}::text[]`)
  if (minVotes !== undefined) conditions.push(sql`requests.votes >= ${minVotes}`)
  if (since) conditions.push(sql`requests.posted_at >= ${since}::timestamptz`)
  if (until) conditions.push(sql`requests.posted_at < ${until}::timestamptz`)
  return joined(conditions)
}

/** Whether a normalised text has a phrase; both are words with single spaces between them. */
const hasPhrase = (forms: Phrase) =>
  sql<boolean>`(${sql.join(
    forms.map((form) => sql`position(${` ${form} `}::text in padded.text) > 0`),
    sql` or `,
  )})`

/** The condition on `padded.text`, the normalised text between two spaces; null without phrases and exclusions. */
export const textCondition = ({ phrases, excluded }: Pick<ParsedQuery, 'phrases' | 'excluded'>) =>
  joined([...phrases.map(hasPhrase), ...excluded.map((forms) => sql<boolean>`not ${hasPhrase(forms)}`)])

/** How many requests a filter may leave at most for all of them to be looked at. */
export const fewRequests = 150

/**
 * The ids of all the requests of a topic or with tags, at most one more than `fewRequests` of them, found by an index; null when no
 * filter can tell them so.
 */
export function idsByFilter({ topicKey, tags }: SearchFilters): RawBuilder<{ request_id: string }> | null {
  const most = sql.lit(fewRequests + 1)
  if (topicKey !== undefined) {
    return sql`select request_id from request_topics where topic_key = ${topicKey} limit ${most}`
  }
  if (tags === undefined || tags.length === 0) return null
  return sql`select id as request_id from requests_with_tags(${tags}::text[], ${most}) as id`
}
