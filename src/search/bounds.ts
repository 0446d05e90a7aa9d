import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'

/** What an exact search may read. */
export interface Bounds {
  /** In caches of so many requests all matches are read, and every answer is exact. The statistics that say the size lag behind. */
  small: number
  /** In a larger cache so many matches are sorted; of more, the best ones by relevance are. */
  sorted: number
  /** More matches are "more than" so many. */
  counted: number
  /** In a large cache filters may leave few of very many matches: so many of them are read to be counted. */
  filtered: number
  /** With so many matches in the sample there are more than `counted` in all. */
  manySampled: number
}

/**
 * Caches up to 200,000 requests are always exact. The index `searchable_requests_sample` has one request in 32. Of 10,000 matches it has 312 on average,
 * with a standard deviation of 18: it has 400 once in more than 300,000 such queries.
 */
export const defaultBounds: Bounds = {
  small: 250_000,
  sorted: 10_000,
  counted: 10_000,
  filtered: 100_000,
  manySampled: 400,
}

/** What bounds a search, and how many requests there are to search. */
export interface CacheBounds extends Bounds {
  /** By the statistics of the table. */
  requests: number
  isSmall: boolean
}

/** Statistics are made anew when a tenth of the table has changed, so they are seldom newer. */
const rememberedMs = 10_000

/** @returns a function that says what bounds a search now. The size of the cache is read every 10 s. */
export function createCacheBounds(
  bounds: Bounds,
  now: () => number = Date.now,
): (executor: Executor) => Promise<CacheBounds> {
  let [requests, readAt] = [0, Number.NEGATIVE_INFINITY]
  return async (executor) => {
    if (now() - readAt > rememberedMs) {
      const { rows } = await sql<{ requests: number }>`
        select reltuples::float8 as requests from pg_class where oid = 'searchable_requests'::regclass`.execute(
        executor,
      )
      requests = Math.max(0, rows[0]!.requests)
      readAt = now()
    }
    return { ...bounds, requests, isSmall: requests <= bounds.small }
  }
}
