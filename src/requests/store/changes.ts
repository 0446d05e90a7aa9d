import type { Database, OpenDatabase } from '../../database/open.ts'
import { readAnswerVersion } from '../../database/postgres/answer-version.ts'
import { createCoalescedReads } from '../../runtime/request-coalescing.ts'
import type { Version } from '../../runtime/response-cache.ts'

/** The name is in the function that notifies (`database/migrations/version-4/answers.ts`). */
const channel = 'wishwell_requests'

export interface RequestChanges {
  /** Of the requests, topics and wishes that answers are built from, as last read. */
  version: Version
  /**
   * Makes `version` as new as this call: every change of any process that was committed before is in it.
   * Postgres: one short statement, shared by the calls that wait for it. Embedded there is nothing to wait for.
   */
  follow(): Promise<void>
  stop(): Promise<void>
}

/** Embedded, a notification arrives with the answer to the COMMIT, before the transaction's caller goes on. */
async function countNotifications(listen: OpenDatabase['listen']): Promise<RequestChanges> {
  let changes = 0
  const stop = await listen(channel, () => {
    changes++
  })
  return { version: () => changes, follow: async () => {}, stop }
}

function readVersions(database: Database): RequestChanges {
  let version: string | null = null
  const share = createCoalescedReads()
  return {
    version: () => version,
    follow: () =>
      // One read at a time, so that no earlier one overwrites a later one.
      share('version', async () => {
        version = await readAnswerVersion(database)
      }),
    stop: async () => {},
  }
}

/** The changes of the cache, by this process and others. */
export const followRequestChanges = async ({
  backend,
  database,
  listen,
}: Pick<OpenDatabase, 'backend' | 'database' | 'listen'>): Promise<RequestChanges> =>
  backend === 'embedded' ? countNotifications(listen) : readVersions(database)
