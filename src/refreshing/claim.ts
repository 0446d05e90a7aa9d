import { sql } from 'kysely'
import type { PlatformName } from '../database/column-types.ts'
import type { Database, Executor } from '../database/open.ts'
import type { Refresh } from '../platforms/platform.ts'

/** A request that this process may read again until the claim runs out. */
export interface ClaimedRequest {
  id: string
  handle: string
}

/** How many of those that are due longest are compared by their votes: this bounds the work of a claim. */
const comparedRows = 1_000
/** Far longer than a call with all its tries. A claim that runs out belonged to a process that died. */
export const claimMs = 10 * 60_000

async function readDue(executor: Executor, platform: PlatformName, now: Date): Promise<ClaimedRequest[]> {
  const { rows } = await sql<ClaimedRequest>`
    select due.id, due.handle from (
      select request_id as id, handle from request_refreshes
      where platform = ${platform} and due_at <= ${now}::timestamptz order by due_at limit ${sql.lit(comparedRows)}
    ) as due join requests using (id) order by requests.votes desc, due.id`.execute(executor)
  return rows
}

/**
 * Claims the requests of one call: the most wanted one that is due, and others that can be read together with it.
 * @returns at most `maxHandles` of one group; none when nothing is due.
 */
export async function claimRequests(
  database: Database,
  platform: PlatformName,
  { maxHandles, groupOf }: Refresh,
  now: Date,
): Promise<ClaimedRequest[]> {
  const due = await readDue(database, platform, now)
  const [first] = due
  if (first === undefined) return []
  const group = groupOf(first.handle)
  const chosen = due.filter(({ handle }) => groupOf(handle) === group).slice(0, maxHandles)
  // Another process may have claimed some of them meanwhile: each row goes to the first whose update sees it due.
  const { rows } = await sql<ClaimedRequest>`
    update request_refreshes set due_at = ${new Date(now.getTime() + claimMs)}
    where request_id in (
      select request_id from request_refreshes
      where request_id = any(${chosen.map(({ id }) => id)}::uuid[]) and due_at <= ${now}::timestamptz
      order by request_id for update skip locked
    )
    returning request_id as id, handle`.execute(database)
  return rows
}
