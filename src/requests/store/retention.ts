import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import { deleteAlone } from './delete.ts'

/** How many days a platform's requests stay after they were last refreshed; without an entry they do not expire. */
export type Retention = ReadonlyMap<PlatformName, number>

/** The maximum rows that one transaction deletes, with all their words: in the embedded backend all other statements wait for it. */
const sliceRows = 100
const dayMs = 86_400_000

/**
 * Deletes requests that were not refreshed for longer than their platform allows, a slice of them. They are not suppressed:
 * a later collection may store them again.
 * @returns whether there may be more.
 */
export async function deleteExpiredRequests(database: Database, retention: Retention, now: Date): Promise<boolean> {
  let more = false
  for (const [platform, days] of retention) {
    const before = new Date(now.getTime() - days * dayMs)
    // A row that a page is just refreshing is locked, and stays.
    const chosen = sql<{ id: string }>`
      select id from requests where platform = ${platform} and greatest(updated_at, seen_at) < ${before}::timestamptz
      order by greatest(updated_at, seen_at) limit ${sliceRows} for update skip locked`
    const deleted = await deleteAlone(database, chosen)
    more ||= deleted === sliceRows
  }
  return more
}

/**
 * Which unchanged requests of a platform a page marks as seen: those last refreshed before this moment. Null where nothing
 * expires, so that nothing is rewritten there.
 */
export const markSeenBefore = (retention: Retention, platform: PlatformName, now: Date): Date | null =>
  retention.has(platform) ? new Date(now.getTime() - dayMs) : null
