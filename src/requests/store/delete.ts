import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import { withdrawRequests } from '../../idempotency/store.ts'
import { noteChangedWords } from '../search/vocabulary.ts'

/**
 * Deletes requests with everything that depends on them: text, words that no other request has, topics with their counts, job
 * results, stored answers of idempotent calls. The only way in which requests are deleted.
 * @param chosen a query for their ids that locks the rows, those that it waits for in the order of `lockRequests`; it runs once. The transaction
 * has no lock of other requests.
 * @returns how many.
 */
export async function deleteRequests(transaction: Transaction, chosen: RawBuilder<{ id: string }>): Promise<number> {
  const { rows: locked } = await chosen.execute(transaction)
  if (locked.length === 0) return 0
  const ids = locked.map(({ id }) => id)
  // A statement of its own: it must see what a page wrote whose locks were waited for.
  const { rows: texts } = await sql<{ text: string; is_counted: boolean }>`
    delete from request_texts using requests
    where request_id = any(${ids}::uuid[]) and requests.id = request_id
    returning text, standing >= 0 and not exists (
      select from uncounted_texts where uncounted_texts.request_id = request_texts.request_id) as is_counted`.execute(
    transaction,
  )
  // In the order of all writers; the foreign key would delete them in any.
  await sql`
    select from account_requests where request_id = any(${ids}::uuid[]) order by account_id, request_id for update`.execute(
    transaction,
  )
  // Before their requests, so that the counts are brought up to date once and not once for each.
  await sql`delete from wish_members where request_id = any(${ids}::uuid[])`.execute(transaction)
  await sql`delete from request_topics where request_id = any(${ids}::uuid[])`.execute(transaction)
  await sql`delete from requests where id = any(${ids}::uuid[])`.execute(transaction)
  await noteChangedWords(
    transaction,
    texts.flatMap(({ text, is_counted }) => (is_counted ? [{ before: text, after: null }] : [])),
  )
  await withdrawRequests(transaction, ids)
  return ids.length
}
