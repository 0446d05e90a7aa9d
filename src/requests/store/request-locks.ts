import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'

/**
 * Locks requests in the order in which every writer locks them (decision 052): so no two transactions wait for each other. A transaction
 * locks all of its requests in one statement, and takes no advisory lock afterwards.
 * @param ids a query for `id`; ids without a request are ignored.
 */
export async function lockRequestsOf(transaction: Transaction, ids: RawBuilder<unknown>): Promise<void> {
  await sql`
    select from requests where id = any(array(${ids})) order by platform, source_id for no key update`.execute(
    transaction,
  )
}

/** The same for ids. */
export const lockRequests = (transaction: Transaction, ids: readonly string[]): Promise<void> =>
  lockRequestsOf(transaction, sql`select unnest(${[...ids]}::uuid[])`)
