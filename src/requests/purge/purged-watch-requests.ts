import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'

/**
 * Deletes what watches know of purged requests, in the order of all that change several of these rows. What they know of requests that are stored stays.
 * To be called after the requests are deleted.
 */
export async function deletePurgedWatchRequests(transaction: Transaction, hashes: readonly string[]): Promise<void> {
  await sql`
    with known as materialized (
      select watch_id, source_hash from watch_requests as known where source_hash = any(${[...hashes]}::text[])
        and not exists (select from requests where requests.id = known.request_id)
      order by watch_id, source_hash for update of known
    )
    delete from watch_requests using known
    where watch_requests.watch_id = known.watch_id and watch_requests.source_hash = known.source_hash`.execute(
    transaction,
  )
}
