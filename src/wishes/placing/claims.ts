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

/** How many requests wait to be placed; 10,000 stands for that many or more. */
export async function readBacklog(database: Database): Promise<number> {
  const { rows } = await sql<{ waiting: number }>`
    select count(*)::int as waiting from (select from wish_queue limit ${sql.lit(maxCounted)}) as queued`.execute(
    database,
  )
  return rows[0]!.waiting
}
