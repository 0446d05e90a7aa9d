import { type RawBuilder, sql } from 'kysely'
import type { OpenDatabase, Transaction } from '../../database/open.ts'
import type { Version } from '../../runtime/response-cache.ts'

/** Logs changed requests; costs one probe of an empty table without a consumer. @param ids a query for ids */
export const insertSearchChanges = (ids: RawBuilder<unknown>) => sql`
  insert into search_changes (request_id) select id from (${ids}) as changed (id)
  where exists (select from search_consumers) on conflict do nothing`

/** Logs changed requests for consumers of the change log, in the transaction that changed them. */
export async function noteSearchChanges(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertSearchChanges(sql`select unnest(${[...ids]}::uuid[])`).execute(transaction)
}

/** Also in the notifying function (`database/schema/answers.sql`). */
const channel = 'wishwell_requests'

export interface RequestChanges {
  /** Version of the requests, topics and wishes behind answers; null if changes cannot be followed. */
  version: Version
  stop(): Promise<void>
}

/** Follows changes of data. Notified before COMMIT returns if embedded, else after other processes' commits. */
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
