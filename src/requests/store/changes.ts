import type { OpenDatabase } from '../../database/open.ts'
import type { Version } from '../../runtime/response-cache.ts'

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
