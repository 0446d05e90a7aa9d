import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { StoredRequest } from './upsert.ts'

/**
 * Notes the changed statuses of requests that a watch reported, or that are of a wish that somebody marked, as events. They have the moment of the service
 * that stores the page, as everywhere: the clock of the database may be another one.
 */
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
