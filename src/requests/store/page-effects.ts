import { sql } from 'kysely'
import type { RequestStatus } from '../../database/column-types.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import { dayMs } from '../../runtime/durations.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import type { FoundPage } from './prepared-page.ts'
import type { StoredRequest } from './upsert.ts'

/** Logs status changes of watched or marked requests, dated by the service: the database's clock may differ. */
export async function noteStatusChanges(
  transaction: Transaction,
  stored: readonly StoredRequest[],
  now: Date,
): Promise<void> {
  const changes = stored.flatMap(({ id, status, before }) =>
    before === null || before.status === null || before.status === status
      ? []
      : [{ id, status, previous: before.status }],
  )
  if (changes.length === 0) return
  await sql`
    insert into events (account_id, type, subject, created_at)
    select null, 'wish.status_changed', jsonb_build_object('requestId', id, 'status', status, 'previousStatus', previous), ${now}
    from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as change (id uuid, status text, previous text)
      cross join lateral (
        select coalesce((select wish_id from wish_members where request_id = change.id), change.id) as wish) as shared
    where exists (select from watch_requests where request_id = change.id and votes is not null)
      or exists (select from wish_marks where wish_id = shared.wish)
      or exists (select from account_wish_members as own join wish_marks as mark
        on mark.account_id = own.account_id and mark.wish_id = own.wish_id where own.request_id = change.id)
      or exists (select from account_wish_merges as own join wish_marks as mark
        on mark.account_id = own.account_id and mark.wish_id = own.into_wish_id where own.wish_id = shared.wish)`.execute(
    transaction,
  )
}

/**
 * Samples changed votes, once per request and UTC day; a later change of the day overwrites the sample. The first
 * sample comes with a base: the votes before, dated to when they were last read. Growth since a day is the votes minus
 * the last sample up to that day, or 0 without samples.
 */
export async function sampleVotes(
  transaction: Transaction,
  stored: readonly StoredRequest[],
  now: Date,
): Promise<void> {
  const changes = stored.flatMap(({ id, votes, before }) =>
    before === null || before.votes === votes ? [] : [{ id, votes, base: before.votes, read_at: before.updatedAt }],
  )
  if (changes.length === 0) return
  await sql`
    with changes as materialized (
      select id, votes, base, (read_at at time zone 'UTC')::date as base_day,
        (${now}::timestamptz at time zone 'UTC')::date as today
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
        as changes (id uuid, votes integer, base integer, read_at timestamptz)
    )
    insert into vote_samples (request_id, day, votes)
    select id, base_day, base from changes
    where base_day < today and not exists (select from vote_samples where request_id = id)
    union all
    select id, today, votes from changes
    on conflict (request_id, day) do update set votes = excluded.votes`.execute(transaction)
}

const maxDays = 28
const ended: ReadonlySet<RequestStatus | null> = new Set<RequestStatus>(['completed', 'declined', 'duplicate'])

/** When to read a request again, in ms: 28 days for ended ones or 0 votes, 7 for 15 votes, 1 from 783 votes on. */
export const refreshIntervalMs = ({ votes, status }: { votes: number; status: RequestStatus | null }): number =>
  ended.has(status) ? maxDays * dayMs : Math.max(1, maxDays / Math.sqrt(1 + Math.max(0, votes))) * dayMs

/** Makes refreshes that are due implausibly late (the clock moved) due within a day. @returns how many. */
export async function correctRefreshes(executor: Executor, now: Date): Promise<number> {
  const latest = new Date(now.getTime() + maxDays * dayMs + clockToleranceMs)
  const { numAffectedRows } = await sql`
    update request_refreshes set due_at = ${now}::timestamptz + random() * interval '1 day' where due_at > ${latest}::timestamptz`.execute(
    executor,
  )
  return Number(numAffectedRows)
}

/** Records how and when to refresh the requests of a page just read. Skips rows whose due time would hardly change. */
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
  // Keeps unchanged rows from the insert, which would lock them.
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
