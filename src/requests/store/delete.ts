import { type RawBuilder, sql } from 'kysely'
import { type PlatformName, standings } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { withdrawRequests } from '../../http/idempotency/store.ts'
import { dayMs } from '../../runtime/durations.ts'
import { recount, type WishChanges } from '../wish-numbers/recount.ts'
import { noteChangedWords } from '../words/vocabulary.ts'
import { insertSearchChanges } from './changes.ts'

/** Days that a platform's requests stay after their last refresh; platforms without an entry never expire. */
export type Retention = ReadonlyMap<PlatformName, number>

/** Requests deleted per transaction: in the embedded backend, all other statements wait for it. */
const sliceRows = 100

/** Deletes a slice of the expired requests, without suppressing them. @returns whether there may be more. */
export async function deleteExpiredRequests(database: Database, retention: Retention, now: Date): Promise<boolean> {
  let more = false
  for (const [platform, days] of retention) {
    const before = new Date(now.getTime() - days * dayMs)
    // Skips rows locked by a page that is refreshing them.
    const chosen = sql<{ id: string }>`
      select id from requests where platform = ${platform} and greatest(updated_at, seen_at) < ${before}::timestamptz
      order by greatest(updated_at, seen_at) limit ${sliceRows} for update skip locked`
    const deleted = await deleteAlone(database, chosen)
    more ||= deleted === sliceRows
  }
  return more
}

/** Unchanged requests last refreshed before this are marked as seen; null if the platform has no retention. */
export const markSeenBefore = (retention: Retention, platform: PlatformName, now: Date): Date | null =>
  retention.has(platform) ? new Date(now.getTime() - dayMs) : null

/** Deletes data derived from these requests and subtracts them from their topics' counts. */
export async function deleteDerived(transaction: Transaction, ids: readonly string[]): Promise<void> {
  const areTheirs = sql`request_id = any(${[...ids]}::uuid[])`
  await sql`
    with links as (delete from request_topics where ${areTheirs} returning request_topics as link),
    facets as (delete from request_facets where ${areTheirs}),
    searchable as (delete from searchable_requests where ${areTheirs}),
    views as (delete from account_requests where ${areTheirs}),
    sources as (delete from request_sources where ${areTheirs}),
    unwritten as (delete from unwritten_texts where ${areTheirs}),
    uncounted as (delete from uncounted_texts where ${areTheirs}),
    queued as (delete from wish_queue where ${areTheirs}),
    refreshes as (delete from request_refreshes where ${areTheirs}),
    jobs as (delete from scrape_job_requests where ${areTheirs}),
    briefs as (delete from brief_parts where request_ids && ${[...ids]}::uuid[]),
    noted as (${insertSearchChanges(sql`select unnest(${[...ids]}::uuid[])`)})
    select note_topic_changes(array(select link from links), '{}')`.execute(transaction)
}

export interface DeletedRequests {
  deleted: number
  wishes: WishChanges
}

async function readLeft(transaction: Transaction, ids: readonly string[]): Promise<WishChanges> {
  const { rows } = await sql<{ accountId: string | null; wishId: string }>`
    select account_id as "accountId", wish_id as "wishId" from account_wish_members where request_id = any(${[...ids]}::uuid[])
    union all
    select null, wish_id from wish_members where request_id = any(${[...ids]}::uuid[])`.execute(transaction)
  return {
    left: [...ids, ...rows.flatMap(({ accountId, wishId }) => (accountId === null ? [wishId] : []))],
    own: rows.flatMap(({ accountId, wishId }) => (accountId === null ? [] : [{ accountId, wishId }])),
  }
}

/**
 * Deletes requests and everything that depends on them. The only function that deletes requests.
 * @param chosen a query for their ids that locks the rows in the order of `lockRequests`; it runs once. The transaction
 * holds no other request locks and must `recount` the changed wishes at its end.
 */
export async function deleteRequests(
  transaction: Transaction,
  chosen: RawBuilder<{ id: string }>,
): Promise<DeletedRequests> {
  const { rows: locked } = await chosen.execute(transaction)
  if (locked.length === 0) return { deleted: 0, wishes: {} }
  const ids = locked.map(({ id }) => id)
  // A separate statement, to see what the pages we waited for have written.
  const { rows: texts } = await sql<{ text: string; is_counted: boolean }>`
    delete from request_texts using requests
    where request_id = any(${ids}::uuid[]) and requests.id = request_id
    returning text, standing >= ${sql.lit(standings.unlikely)} and not exists (
      select from uncounted_texts where uncounted_texts.request_id = request_texts.request_id) as is_counted`.execute(
    transaction,
  )
  // Locks in the order of all writers, before any deletion.
  await sql`
    select from account_requests where request_id = any(${ids}::uuid[]) order by account_id, request_id for update`.execute(
    transaction,
  )
  const wishes = await readLeft(transaction, ids)
  await deleteDerived(transaction, ids)
  await sql`delete from requests where id = any(${ids}::uuid[])`.execute(transaction)
  await noteChangedWords(
    transaction,
    texts.flatMap(({ text, is_counted }) => (is_counted ? [{ before: text, after: null }] : [])),
  )
  await withdrawRequests(transaction, ids)
  return { deleted: ids.length, wishes }
}

/** Deletes requests in its own transaction. @returns how many. */
export const deleteAlone = (database: Database, chosen: RawBuilder<{ id: string }>): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const { deleted, wishes } = await deleteRequests(transaction, chosen)
    await recount(transaction, wishes)
    return deleted
  })
