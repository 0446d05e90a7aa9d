import { setTimeout as sleep } from 'node:timers/promises'
import type { OpenDatabase } from './open.ts'

/** Maximum time for the smallest query before the service counts as not ready. */
const timeoutMs = 3_000

/** @returns a check whether the database answers and takes writes, within `timeoutMs`, one query at a time */
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
