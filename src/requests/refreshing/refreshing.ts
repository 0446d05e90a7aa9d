import type { Logger } from 'pino'
import { releaseClaims } from '../../database/claimed-work.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { Budget } from '../../platforms/budget/budget.ts'
import { type Platform, PlatformError } from '../../platforms/platform.ts'
import { type BackgroundRun, createBackgroundRun } from '../../runtime/background-run.ts'
import type { Clock } from '../../runtime/clock.ts'
import { applyRefresh, claimRefreshes } from './apply.ts'

/** Share of the tightest window and of a daily quota that refreshes leave to jobs. */
const shareForJobs = 0.5

/** Whether the platform has a queued, running or waiting task. Tasks of queued jobs count: they can start any time. */
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

/** Whether jobs leave the platform unused at the moment. */
async function isIdle(
  database: Database,
  platform: PlatformName,
  hosts: readonly Budget[],
  now: Date,
): Promise<boolean> {
  for (const host of hosts) if (!(await hasRoom(host, now))) return false
  return !(await hasOpenTask(database, platform))
}

export interface RefreshingOptions {
  database: Database
  clock: Clock
  log: Logger
  platforms: ReadonlyMap<PlatformName, Platform>
  hosts: ReadonlyMap<PlatformName, readonly Budget[]>
}

const intervalMs = 60_000
/** Calls to a platform per round: jobs that start meanwhile go first. */
const maxCalls = 10
const pauseMs = 60 * 60_000

/** Refreshes known requests in the background, a few calls a minute. After a stop, claimed requests stay due. */
export function startRefreshing(options: RefreshingOptions): BackgroundRun {
  const { clock, log, platforms } = options
  const pausedUntil = new Map<PlatformName, Date>()

  async function refreshPlatform(platform: Platform, signal: AbortSignal): Promise<void> {
    for (let call = 0; call < maxCalls && !signal.aborted; call++) {
      if ((pausedUntil.get(platform.name) ?? new Date(0)) > clock.now()) return
      if (!(await refreshOnce(options, platform, signal))) return
    }
  }
  async function step(signal: AbortSignal): Promise<false> {
    for (const platform of platforms.values()) {
      try {
        await refreshPlatform(platform, signal)
      } catch (error) {
        if (signal.aborted) break
        const now = clock.now()
        const retryAt = error instanceof PlatformError ? error.retryAt : null
        pausedUntil.set(platform.name, retryAt ?? new Date(now.getTime() + pauseMs))
        // Unreadable platforms are routine; anything else is our bug.
        if (error instanceof PlatformError) log.info({ platform: platform.name, code: error.code }, 'refreshes paused')
        else log.error({ err: error, platform: platform.name }, 'refreshing failed')
      }
    }
    return false
  }
  return createBackgroundRun({
    everyMs: intervalMs,
    step,
    onError: (error) => log.error({ err: error }, 'refreshing failed'),
  })
}

/** Makes one call to a platform. @returns whether there may be more to do now. */
async function refreshOnce(
  { database, clock, log, hosts }: RefreshingOptions,
  { name, refresh }: Platform,
  signal: AbortSignal,
): Promise<boolean> {
  if (refresh === undefined || !(await isIdle(database, name, hosts.get(name) ?? [], clock.now()))) return false
  const claimed = await claimRefreshes(database, name, refresh, clock.now())
  if (claimed.length === 0) return false
  try {
    const answers = await refresh.read(
      claimed.map(({ handle }) => handle),
      signal,
    )
    const outcome = await applyRefresh(database, name, claimed, answers, clock.now())
    log.debug({ platform: name, ...outcome }, 'requests were read again')
    return true
  } finally {
    await releaseClaims(database, 'request_refreshes', claimed)
  }
}
