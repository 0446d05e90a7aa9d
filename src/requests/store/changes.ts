import type { OpenDatabase } from '../../database/open.ts'
import type { Version } from '../../runtime/response-cache.ts'

/** The name is in the triggers that notify (`database/migrations/version-1/change-trigger.ts`). */
const channel = 'wishwell_requests'

export interface RequestChanges {
  /**
   * Of the requests and their topics. Embedded, a notification arrives with the answer to the COMMIT, before the transaction's
   * caller goes on: every change that a caller can have seen is counted. On Postgres it may arrive later, so there it is null.
   */
  version: Version
  stop(): Promise<void>
}

/** Counts the changes of the cache. */
export async function countRequestChanges({
  backend,
  listen,
}: Pick<OpenDatabase, 'backend' | 'listen'>): Promise<RequestChanges> {
  if (backend !== 'embedded') return { version: () => null, stop: async () => {} }
  let changes = 0
  const stop = await listen(channel, () => {
    changes++
  })
  return { version: () => changes, stop }
}
