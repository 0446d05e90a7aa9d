import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { Budget } from '../../platforms/budget/budget.ts'

/** The share of the tightest window that must be left, and of a daily quota: the rest belongs to jobs. */
const shareForJobs = 0.5

/** Whether a task of the platform is queued, running or waiting. Tasks of queued jobs count too: they begin at any moment. */
async function hasOpenTask(database: Database, platform: PlatformName): Promise<boolean> {
  const open = await database
    .selectFrom('scrape_tasks')
    .select('id')
    .where('state', 'in', ['pending', 'running'])
    .where('platform', '=', platform)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

async function hasRoom(host: Budget, now: Date): Promise<boolean> {
  const { room, cooldownUntil } = host.state(now)
  if (cooldownUntil !== null && cooldownUntil > now) return false
  if (room.remaining < room.limit * shareForJobs) return false
  const quota = await host.readQuota(now)
  return quota === null || quota.used < quota.limit * shareForJobs
}

/** Whether jobs leave a request of this platform over at this moment. */
export async function isIdle(
  database: Database,
  platform: PlatformName,
  hosts: readonly Budget[],
  now: Date,
): Promise<boolean> {
  for (const host of hosts) if (!(await hasRoom(host, now))) return false
  return !(await hasOpenTask(database, platform))
}
