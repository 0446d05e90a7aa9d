import { type RawBuilder, sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'

/**
 * The statement that notes requests in the log of changes; without a consumer it costs one probe of an empty table.
 * @param ids a query for their ids.
 */
export const insertSearchChanges = (ids: RawBuilder<unknown>) => sql`
  insert into search_changes (request_id) select id from (${ids}) as changed (id)
  where exists (select from search_consumers) on conflict do nothing`

/** Tells what follows the log that these requests changed, in the transaction that changed them. */
export async function noteSearchChanges(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertSearchChanges(sql`select unnest(${[...ids]}::uuid[])`).execute(transaction)
}
