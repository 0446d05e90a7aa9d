import { sql } from 'kysely'
import type { Database } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'
import { type RateLimiter, windowMs } from './limiter.ts'

const window = sql`${sql.lit(windowMs)} * interval '1 millisecond'`

/** The database's own time, the one clock that all processes share; a clock only in tests. */
const timeOf = (clock: Clock | undefined) => (clock ? sql`${clock.now()}::timestamptz` : sql`clock_timestamp()`)

interface Counted {
  accepted: boolean
  counted: number
  msUntilMore: number
}

/**
 * A limiter in the database, for all processes on it: one row a key, and one statement a call that prunes, decides and
 * counts while it holds the row, so that callers who race are decided one after the other.
 */
export function createDatabaseLimiter(database: Database, clock?: Clock): RateLimiter {
  return {
    take: async (key, limit) => {
      const now = timeOf(clock)
      // A hit of the future was counted before the clock was set back: it counts as if made now, for a window at most.
      // A refused call writes its verdict but never its moment: RETURNING is how the decision leaves the locked row.
      const { rows } = await sql<Counted>`
        insert into rate_limit_windows as kept (key, hits, accepted, counted_at)
        select ${key}, array[now], true, now from (select ${now} as now) time
        on conflict (key) do update set (hits, accepted, counted_at) = (
          select case when cardinality(inside) < ${limit}::integer then array_append(inside, now) else inside end,
            cardinality(inside) < ${limit}::integer, now
          from (
            select now, kept.hits[width_bucket(now - ${window}, kept.hits) + 1 : width_bucket(now, kept.hits)]
              || array_fill(now, array[cardinality(kept.hits) - width_bucket(now, kept.hits)]) as inside
            from (select ${now} as now) time
          ) pruned
        )
        returning accepted, cardinality(hits) as counted, (1000 * extract(epoch from
          hits[greatest(1, cardinality(hits) - ${limit}::integer + 1)] + ${window} - counted_at))::double precision
          as "msUntilMore"`.execute(database)
      const [row] = rows
      if (!row) throw new Error('the rate limit gave no verdict')
      return { accepted: row.accepted, remaining: Math.max(0, limit - row.counted), msUntilMore: row.msUntilMore }
    },
  }
}

/** How many rows one statement deletes at most: everybody else waits for it in the embedded backend. */
const sliceRows = 500

/**
 * Deletes windows that are empty by now, a slice of them.
 * @returns whether there may be more.
 */
export async function purgeIdleWindows(database: Database, clock?: Clock): Promise<boolean> {
  const { rows } = await sql`
    delete from rate_limit_windows where key in (
      select key from rate_limit_windows where counted_at <= ${timeOf(clock)} - ${window}
      limit ${sliceRows} for update skip locked
    ) returning key`.execute(database)
  return rows.length === sliceRows
}
