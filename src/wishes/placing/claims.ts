import { sql } from 'kysely'
import { type ClaimedRow, claimRows } from '../../database/claimed-work.ts'
import type { Database } from '../../database/open.ts'

const claimMs = 2 * 60_000

/** Claims requests that are to be placed, the newest first. */
export const claimRequests = (database: Database, max: number): Promise<ClaimedRow[]> =>
  claimRows(database, 'wish_queue', { where: sql`true`, order: sql`queued_at desc, request_id`, max, claimMs })

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
