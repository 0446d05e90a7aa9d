import { type RawBuilder, sql } from 'kysely'
import type { RequestStatus } from '../database/column-types.ts'

/** How matches of about equal relevance are ordered. Decision 044 says how the numbers were found. */
export interface Tuning {
  /**
   * How far a request may rise that people want and that certainly is one: past matches whose score is at most this much better, as a
   * share of its own. A match of the same words that is better by more is never passed.
   */
  band: number
  /** What counts how much within the band; the three have the sum 1. */
  votes: number
  confidence: number
  age: number
  /** What all of this counts of a request that is settled: nobody waits for it any more. */
  settled: number
}

export const tuning: Tuning = { band: 0.2, votes: 0.7, confidence: 0.2, age: 0.1, settled: 0.5 }

const settledStatuses: readonly RequestStatus[] = ['completed', 'declined', 'duplicate', 'closed']

/** From this many votes on more do not count. A platform of millions must not outvote all others. */
export const maxVotes = 1_000
/** After this time a request counts as half as new. */
export const halfLifeDays = 730

/** Only so many of the best matches by words are ordered anew, whatever page of them is read, so pages fit together. */
export const reorderedMatches = 100

/** What the order by best match depends on. */
export interface Match {
  /** Of the words, by an engine: above 0, the higher the better. */
  score: number
  votes: number
  postedAt: Date
  confidence: number
  status: RequestStatus | null
}

const dayMs = 86_400_000

/** How much people want it, how likely it is a request at all, and how new it is: from 0 to 1; less where it is settled. */
function meritOf({ votes, postedAt, confidence, status }: Match, today: Date, weights: Tuning): number {
  const days = Math.max(0, (today.getTime() - postedAt.getTime()) / dayMs)
  const share = status !== null && settledStatuses.includes(status) ? weights.settled : 1
  return (
    share *
    ((weights.votes * Math.log1p(Math.min(Math.max(votes, 0), maxVotes))) / Math.log1p(maxVotes) +
      weights.confidence * confidence +
      weights.age * 0.5 ** (days / halfLifeDays))
  )
}

/**
 * The score of a match by its words, votes, confidence, age and status: from that of its words to `1 + band` times that.
 * @param today the beginning of the day in UTC: within a day no order changes by itself
 */
export const bestMatchScore = (match: Match, today: Date, by: Tuning = tuning): number =>
  match.score * (1 + by.band * meritOf(match, today, by))

/**
 * The matches in the order of a search by best match: the best 100 by words, ordered anew, and the others after them.
 * @param matches in the order of their scores; equal ones stay in this order
 */
export function orderByBestMatch<T extends Match>(matches: readonly T[], today: Date, by: Tuning = tuning): T[] {
  const reordered = matches
    .slice(0, reorderedMatches)
    .map((match) => ({ match, score: bestMatchScore(match, today, by) }))
    .sort((a, b) => b.score - a.score || b.match.score - a.match.score)
  return [...reordered.map(({ match }) => match), ...matches.slice(reorderedMatches)]
}

/** The columns of a match, as the query names them. */
export interface MatchColumns {
  score: RawBuilder<unknown>
  votes: RawBuilder<unknown>
  postedAt: RawBuilder<unknown>
  confidence: RawBuilder<unknown>
  status: RawBuilder<unknown>
}

/** Of a query over `requests` and the column `score` of an engine. */
export const matchColumns: MatchColumns = {
  score: sql.ref('score'),
  votes: sql.ref('votes'),
  postedAt: sql.ref('posted_at'),
  confidence: sql.ref('confidence'),
  status: sql.ref('status'),
}

const settledList = sql.join(settledStatuses.map((status) => sql.lit(status)))

const today = sql`date_trunc('day', now(), 'UTC')`

/** `bestMatchScore` in SQL. */
export const bestMatchScoreIn = (
  { score, votes, postedAt, confidence, status }: MatchColumns,
  day: RawBuilder<unknown> = today,
): RawBuilder<number> => sql<number>`(${score} * (1 + ${sql.lit(tuning.band)}
  * case when ${status} in (${settledList}) then ${sql.lit(tuning.settled)} else 1 end * (
  ${sql.lit(tuning.votes / Math.log1p(maxVotes))} * ln(1 + least(greatest(${votes}, 0), ${sql.lit(maxVotes)})::float8)
  + ${sql.lit(tuning.confidence)} * ${confidence}::float8
  + ${sql.lit(tuning.age)} * exp(${sql.lit(Math.log(0.5) / halfLifeDays)}
    * greatest(0, least(date_part('epoch', ${day} - ${postedAt}) / 86400, 100000))))))`
