import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/open.ts'

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
