import { sql } from 'kysely'
import { type ClaimedRow, claimRows, isUnclaimed } from '../../database/claimed-work.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Executor } from '../../database/open.ts'
import type { Refresh } from '../../platforms/platform.ts'

/** A request that this process may read again until the claim runs out. */
export interface ClaimedRequest extends ClaimedRow {
  handle: string
}

/** How many of those that are due longest are compared by their votes: this bounds the work of a claim. */
const comparedRows = 1_000
/** Far longer than a call with all its tries. A claim that runs out belonged to a process that died. */
const claimMs = 10 * 60_000

type DueRequest = Pick<ClaimedRequest, 'id' | 'handle'>

async function readDue(executor: Executor, platform: PlatformName, now: Date): Promise<DueRequest[]> {
  const { rows } = await sql<DueRequest>`
    select due.id, due.handle from (
      select request_id as id, handle from request_refreshes
      where platform = ${platform} and due_at <= ${now}::timestamptz and ${isUnclaimed}
      order by due_at limit ${sql.lit(comparedRows)}
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
  // Another process may have claimed some of them meanwhile.
  return claimRows<{ handle: string }>(database, 'request_refreshes', {
    where: sql`request_id = any(${chosen.map(({ id }) => id)}::uuid[]) and due_at <= ${now}::timestamptz`,
    order: sql`request_id`,
    ...{ max: maxHandles, claimMs },
    columns: sql`handle`,
  })
}
