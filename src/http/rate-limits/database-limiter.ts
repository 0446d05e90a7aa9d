import { sql } from 'kysely'
import { deleteSlice } from '../../database/delete-slice.ts'
import type { Database } from '../../database/open.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type RateLimiter, type Verdict, windowMs } from './limiter.ts'

/** Counts calls of a key that arrived together. @returns their verdicts, in order */
type CountCalls = (key: string, limit: number, calls: number) => Promise<Verdict[]>

interface WaitingCall {
  limit: number
  verdict: PromiseWithResolvers<Verdict>
}

/** Maximum calls counted per statement. */
const maxCalls = 1_000

/** How many of the first calls share a limit: a new plan applies to later ones. */
function countAlike(calls: readonly WaitingCall[]): number {
  const other = calls.findIndex(({ limit }) => limit !== calls[0]?.limit)
  return Math.min(maxCalls, other === -1 ? calls.length : other)
}

/** Counts a key's calls in batches. A failed statement fails all waiting calls, sparing them a second failure. */
export function countTogether(count: CountCalls): RateLimiter {
  /** Waiting calls of each key with a running statement. */
  const waiting = new Map<string, WaitingCall[]>()

  const countAll = async (key: string, calls: WaitingCall[]) => {
    while (calls.length > 0) {
      const batch = calls.splice(0, countAlike(calls))
      try {
        const verdicts = await count(key, batch[0]?.limit ?? 0, batch.length)
        for (const [index, { verdict }] of batch.entries()) verdict.resolve(verdicts[index] as Verdict)
      } catch (error) {
        for (const { verdict } of [...batch, ...calls.splice(0)]) verdict.reject(error)
      }
    }
    waiting.delete(key)
  }
  return {
    take: (key, limit) => {
      const call: WaitingCall = { limit, verdict: Promise.withResolvers() }
      const calls = waiting.get(key)
      if (calls) calls.push(call)
      else {
        const first = [call]
        waiting.set(key, first)
        void countAll(key, first)
      }
      return call.verdict.promise
    },
  }
}

const window = sql`${sql.lit(windowMs)} * interval '1 millisecond'`

/** The database's time, shared by all processes; tests pass a clock. */
const timeOf = (clock: Clock | undefined) => (clock ? sql`${clock.now()}::timestamptz` : sql`clock_timestamp()`)

interface Counted {
  acceptedCalls: number
  /** Calls in the window, including accepted ones. */
  counted: number
  msUntilMore: number
}

/** Verdicts of calls counted together, in order: the first ones are accepted. */
const verdictsOf = ({ acceptedCalls, counted, msUntilMore }: Counted, limit: number, calls: number): Verdict[] =>
  Array.from({ length: calls }, (_, index) => {
    const accepted = index < acceptedCalls
    const countedThen = accepted ? counted - acceptedCalls + index + 1 : counted
    return { accepted, remaining: Math.max(0, limit - countedThen), msUntilMore }
  })

/** Shared by processes. One statement per batch drops old times, decides and counts under the lock of the key's row. */
export function createDatabaseLimiter(database: Database, clock?: Clock): RateLimiter {
  return countTogether(async (key, limit, calls) => {
    const now = timeOf(clock)
    // Future times predate a clock change and count as now. A refused call writes its verdict, not its time, because
    // RETURNING reads the locked row.
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

/** Deletes a batch of empty windows. @returns whether more may remain */
export const purgeIdleWindows = (database: Database, clock?: Clock): Promise<boolean> =>
  deleteSlice(database, 'rate_limit_windows', { where: sql`counted_at <= ${timeOf(clock)} - ${window}`, key: 'key' })
