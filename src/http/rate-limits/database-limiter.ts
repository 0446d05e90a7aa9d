import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../runtime/clock.ts'
import { countTogether } from './counted-together.ts'
import { type RateLimiter, type Verdict, windowMs } from './limiter.ts'

const window = sql`${sql.lit(windowMs)} * interval '1 millisecond'`

/** The time of the database, which all processes share; tests pass a clock. */
const timeOf = (clock: Clock | undefined) => (clock ? sql`${clock.now()}::timestamptz` : sql`clock_timestamp()`)

interface Counted {
  acceptedCalls: number
  /** Calls in the window now, the accepted ones included. */
  counted: number
  msUntilMore: number
}

/** The verdicts of calls that were counted together, in their order: the first ones are accepted. */
const verdictsOf = ({ acceptedCalls, counted, msUntilMore }: Counted, limit: number, calls: number): Verdict[] =>
  Array.from({ length: calls }, (_, index) => {
    const accepted = index < acceptedCalls
    const countedThen = accepted ? counted - acceptedCalls + index + 1 : counted
    return { accepted, remaining: Math.max(0, limit - countedThen), msUntilMore }
  })

/**
 * A limiter in the database, for all processes that share it. A key has one row. One statement for all calls that arrive
 * together removes old moments, decides and counts while it locks the row, so that concurrent calls are decided one after the other.
 */
export function createDatabaseLimiter(database: Database, clock?: Clock): RateLimiter {
  return countTogether(async (key, limit, calls) => {
    const now = timeOf(clock)
    // A future moment was counted before the clock was set back: it counts as now, for one window at most.
    // A refused call writes its verdict but not its moment, because RETURNING reads the decision from the locked row.
    const { rows } = await sql<Counted>`
      insert into rate_limit_windows as kept (key, hits, accepted, accepted_calls, counted_at)
      select ${key}, array_fill(now, array[accepted_calls]), true, accepted_calls, now
      from (select ${now} as now, least(${calls}::integer, ${limit}::integer) as accepted_calls) first
      on conflict (key) do update set (hits, accepted, accepted_calls, counted_at) = (
        select inside || array_fill(now, array[accepted_calls]), accepted_calls > 0, accepted_calls, now
        from (
          select now, inside,
            greatest(0, least(${calls}::integer, ${limit}::integer - cardinality(inside))) as accepted_calls
          from (
            select now, kept.hits[width_bucket(now - ${window}, kept.hits) + 1 : width_bucket(now, kept.hits)]
              || array_fill(now, array[cardinality(kept.hits) - width_bucket(now, kept.hits)]) as inside
            from (select ${now} as now) time
          ) pruned
        ) decided
      )
      returning accepted_calls as "acceptedCalls", cardinality(hits) as counted, (1000 * extract(epoch from
        hits[greatest(1, cardinality(hits) - ${limit}::integer + 1)] + ${window} - counted_at))::double precision
        as "msUntilMore"`.execute(database)
    const [row] = rows
    if (!row) throw new Error('the rate limit returned no verdict')
    return verdictsOf(row, limit, calls)
  })
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
