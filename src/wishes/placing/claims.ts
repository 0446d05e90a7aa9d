import { sql } from 'kysely'
import type { Database } from '../../database/open.ts'

/** A request that this process places, until `claimedUntil`. */
export interface Claim {
  id: string
  /** By the clock of the database, as text with all its digits: it tells one claim of a request from another. */
  claimedUntil: string
}

/** A process that died has placed nothing; others place its requests after this. */
const claimDuration = sql`interval '2 minutes'`

/** Claims requests that are to be placed, the newest first; no request is claimed by two processes at a time. */
export async function claimRequests(database: Database, max: number): Promise<Claim[]> {
  const { rows } = await sql<Claim>`
    with next as materialized (
      select request_id from wish_queue where claimed_until is null or claimed_until < clock_timestamp()
      order by queued_at desc, request_id limit ${max} for update skip locked
    )
    update wish_queue set claimed_until = clock_timestamp() + ${claimDuration}
    from next where wish_queue.request_id = next.request_id
    returning wish_queue.request_id as id, claimed_until::text as "claimedUntil"`.execute(database)
  return rows
}

/** A count up to this is exact. */
const maxCounted = 10_000

/** How many requests wait to be placed; `isExact` is false for more than 10,000. */
export async function readBacklog(database: Database): Promise<{ waiting: number; isExact: boolean }> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (select from wish_queue limit ${sql.lit(maxCounted + 1)}) as queued`.execute(
    database,
  )
  const { waiting } = rows[0]!
  return { waiting: Math.min(waiting, maxCounted), isExact: waiting <= maxCounted }
}
