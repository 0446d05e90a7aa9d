import { sql } from 'kysely'
import type { Database } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'
import { type RateLimiter, windowMs } from './limiter.ts'

const window = sql`${sql.lit(windowMs)} * interval '1 millisecond'`

/** The time of the database, which all processes share; tests pass a clock. */
const timeOf = (clock: Clock | undefined) => (clock ? sql`${clock.now()}::timestamptz` : sql`clock_timestamp()`)

interface Counted {
  accepted: boolean
  counted: number
  msUntilMore: number
}

/**
 * A limiter in the database, for all processes that share it. A key has one row. One statement for each call removes old
 * moments, decides and counts while it locks the row, so that concurrent calls are decided one after the other.
 */
export function createDatabaseLimiter(database: Database, clock?: Clock): RateLimiter {
  return {
    take: async (key, limit) => {
      const now = timeOf(clock)
      // A future moment was counted before the clock was set back: it counts as now, for one window at most.
      // A refused call writes its verdict but not its moment, because RETURNING reads the decision from the locked row.
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
      if (!row) throw new Error('the rate limit returned no verdict')
      return { accepted: row.accepted, remaining: Math.max(0, limit - row.counted), msUntilMore: row.msUntilMore }
    },
  }
}

/** The maximum of one statement: in the embedded backend all other statements wait for it. */
const sliceRows = 500

/**
 * Deletes a slice of the empty windows.
 * @returns whether there may be more.
 */
export async function purgeIdleWindows(database: Database, clock?: Clock): Promise<boolean> {
  // An array, since Postgres may run a subquery of IN more than once, each time with another slice.
  const { rows } = await sql`
    delete from rate_limit_windows where key = any(array(
      select key from rate_limit_windows where counted_at <= ${timeOf(clock)} - ${window}
      limit ${sliceRows} for update skip locked
    )) returning key`.execute(database)
  return rows.length === sliceRows
}
