import type { CorpusRecord } from './corpus.ts'
import { matchesQuery, type Query } from './query.ts'
import { resolvedAt, type SimulatedRecord } from './records.ts'

// What the searches of several platforms have in common.

type Test = (record: CorpusRecord) => boolean
type Measure = (record: CorpusRecord) => number

/** Whether a record satisfies a search; see `matchesQuery`. */
export const matching =
  (query: Query, qualifies?: (record: CorpusRecord) => (name: string, value: string) => boolean | null): Test =>
  (record) =>
    matchesQuery(query, record.searchText, qualifies?.(record))

/** Whether a record is no older than an instant; any is without one. */
export function since(instant: string | null): Test {
  const first = new Date(instant ?? 0)
  return ({ createdAt }) => createdAt >= first
}

export const created: Measure = ({ createdAt }) => createdAt.getTime()
export const votes: Measure = (record) => record.votes
export const relevance: Measure = ({ rank }) => -rank

/** Most first, or least first where the direction is -1. */
export const mostFirst =
  (measure: Measure, direction = 1) =>
  (a: CorpusRecord, b: CorpusRecord): number =>
    direction * (measure(b) - measure(a)) || a.id - b.id

/** ISO 8601, without milliseconds where there are none. */
export const shortTime = (date: Date): string => date.toISOString().replace('.000Z', 'Z')

export const epochSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000)

/** What the forms of most platforms say of a record. */
export function valuesOf(record: SimulatedRecord) {
  const { id, title, body, product, createdAt, commentCount, resolution } = record
  const closed = resolution ? resolvedAt(record) : null
  const upvotes = Math.max(0, record.votes)
  const times = { createdAt: createdAt.toISOString(), closedAt: closed?.toISOString() ?? null }
  return { id, title, body, product, votes: record.votes, upvotes, comments: commentCount, ...times }
}
