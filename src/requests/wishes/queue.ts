import { sql } from 'kysely'
import { noClaim } from '../../database/claimed-work.ts'
import type { Transaction } from '../../database/open.ts'

/**
 * The statement that queues those of these requests to be placed in a wish that are in none, and are likely for all or for an account. One that is queued
 * again loses its claim: what is being placed was read before the change.
 */
export const insertQueued = (ids: readonly string[]) => sql`
  insert into wish_queue (request_id)
  select id from requests
  where id = any(${[...ids]}::uuid[]) and not exists (select from wish_members where wish_members.request_id = id)
    and (standing = 2 or exists (
      select from account_requests as own where own.request_id = id and own.standing = 2))
  on conflict (request_id) do update set queued_at = excluded.queued_at, ${noClaim}`

/** Queues requests whose text changed, or that became likely, in the transaction of the change. */
export async function queuePlacing(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertQueued(ids).execute(transaction)
}
