import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'

/**
 * Locks requests in the order of all writers, which prevents deadlocks (decision 052). Lock all of a transaction's
 * requests in one statement, and take no advisory lock afterwards.
 * @param ids a query for `id`; unknown ids are ignored
 */
export async function lockRequestsOf(transaction: Transaction, ids: RawBuilder<unknown>): Promise<void> {
  await sql`
    select from requests where id = any(array(${ids})) order by platform, source_id for no key update`.execute(
    transaction,
  )
}

/** `lockRequestsOf` for a list of ids. */
export const lockRequests = (transaction: Transaction, ids: readonly string[]): Promise<void> =>
  lockRequestsOf(transaction, sql`select unnest(${[...ids]}::uuid[])`)
