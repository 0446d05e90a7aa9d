import { type RawBuilder, sql } from 'kysely'
import type { OpenDatabase, Transaction } from '../../database/open.ts'
import type { Version } from '../../runtime/response-cache.ts'

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

/** The name is in the function that notifies (`database/schema/answers.sql`). */
const channel = 'wishwell_requests'

export interface RequestChanges {
  /** Of the requests, topics and wishes that answers are built from; null where their changes cannot be followed. */
  version: Version
  stop(): Promise<void>
}

/**
 * Follows the changes of what answers are built from. Embedded, a notification arrives with the answer to the COMMIT, before the
 * transaction's caller goes on. On Postgres other processes write too, and a notification of theirs arrives after their COMMIT.
 */
export async function followRequestChanges({
  backend,
  listen,
}: Pick<OpenDatabase, 'backend' | 'listen'>): Promise<RequestChanges> {
  if (backend === 'postgres') return { version: () => null, stop: async () => {} }
  let changes = 0
  const stop = await listen(channel, () => {
    changes++
  })
  return { version: () => changes, stop }
}
