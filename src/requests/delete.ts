import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../database/open.ts'
import { lockTopics } from '../topics/lock.ts'

/**
 * Deletes the requests that a query selects, with everything that hangs on them: text, topics with their counts, job results.
 * The only way in which requests are deleted.
 * @param ids a query with the one column `id`; it runs once, after the lock.
 * @returns how many.
 */
export async function deleteRequests(transaction: Transaction, ids: RawBuilder<unknown>): Promise<number> {
  await lockTopics(transaction)
  const { rows: found } = await sql<{ id: string }>`
    select id from requests where id in (${ids}) order by platform, source_id for update`.execute(transaction)
  if (found.length === 0) return 0
  const all = found.map(({ id }) => id)
  // Before their requests, so that the counts are brought up to date once and not once for each.
  await sql`delete from request_topics where request_id = any(${all}::uuid[])`.execute(transaction)
  const { rows } = await sql`delete from requests where id = any(${all}::uuid[]) returning 1`.execute(transaction)
  return rows.length
}
