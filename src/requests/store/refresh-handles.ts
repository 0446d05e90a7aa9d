import { sql } from 'kysely'
import type { RequestStatus } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import type { FoundPage } from './prepared-page.ts'

const dayMs = 86_400_000
const maxDays = 28
const ended: ReadonlySet<RequestStatus | null> = new Set<RequestStatus>(['completed', 'declined', 'duplicate'])

/**
 * How long after a request was read it is due to be read again, in ms: the more votes, the sooner. 0 votes: 28 days, 15: 7 days,
 * from 783 on: a day. An ended one, which seldom changes, waits 28 days.
 */
export const refreshIntervalMs = ({ votes, status }: { votes: number; status: RequestStatus | null }): number =>
  ended.has(status) ? maxDays * dayMs : Math.max(1, maxDays / Math.sqrt(1 + Math.max(0, votes))) * dayMs

/**
 * Notes what the requests of a page are read again by, and when: they have just been read. A row that would become due hardly
 * later than it is now is not written.
 */
export async function noteRefreshHandles(
  transaction: Transaction,
  { requests, platform, now }: FoundPage,
  idOf: ReadonlyMap<string, string>,
): Promise<void> {
  const handles = requests.flatMap(({ request }) => {
    const id = idOf.get(request.sourceId)
    if (id === undefined || request.refreshHandle === null) return []
    return [{ id, handle: request.refreshHandle, interval_ms: refreshIntervalMs(request) }]
  })
  if (handles.length === 0) return
  // Rows that stay as they are never reach the insert, which would lock each of them.
  await sql`
    with fresh as materialized (
      select id, handle, ${now}::timestamptz + interval_ms * interval '1 ms' as due_at
      from jsonb_to_recordset(${JSON.stringify(handles)}::jsonb) as fresh (id uuid, handle text, interval_ms double precision)
    )
    insert into request_refreshes (request_id, platform, handle, due_at)
    select id, ${platform}, fresh.handle, fresh.due_at
    from fresh left join request_refreshes as stored on stored.request_id = fresh.id
    where stored.request_id is null or stored.handle <> fresh.handle or stored.misses > 0
      or stored.due_at not between ${now}::timestamptz + (fresh.due_at - ${now}::timestamptz) * 0.75 and fresh.due_at
    on conflict (request_id) do update
      set handle = excluded.handle, due_at = excluded.due_at, checked_at = ${now}::timestamptz, misses = 0, missed_on = null`.execute(
    transaction,
  )
}
