import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDatabase } from './open.ts'

/** How long the database may take for the smallest query until the service counts as not ready. */
const timeoutMs = 3_000

/**
 * Whether the database answers and takes writes.
 * @returns a function that answers within `timeoutMs`. However often it is called, one query runs at a time.
 */
export function watchReadiness({ database, takesWrites }: OpenDatabase): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null
  const check = async () => {
    try {
      await database.selectFrom('accounts').select('id').limit(1).execute()
      return await takesWrites()
    } catch {
      return false
    } finally {
      underWay = null
    }
  }
  return () => {
    underWay ??= check()
    return Promise.race([underWay, sleep(timeoutMs, false, { ref: false })])
  }
}
