import { sql } from 'kysely'
import type { Pricing } from '../accounts/plans.ts'
import { startJob } from '../collecting/scraping/jobs.ts'
import type { TaskQueue } from '../collecting/scraping/queue.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { Transaction } from '../database/open.ts'
import { choosePlatforms } from '../platforms/off-platforms.ts'
import type { Watch } from './watch.ts'

export interface RunDependencies {
  queue: TaskQueue
  jobTimeLimitMs: number
  enabledPlatforms: readonly PlatformName[]
  pricing: Pricing
}

interface NewRun {
  trigger: 'schedule' | 'manual'
  /** The schedule's instant, or the call's. */
  dueAt: Date
  /** The key whose budget pays. */
  keyId: string | null
  now: Date
}

/** Platforms may index a request up to an hour late, so look back that far before the last run. */
const overlapMs = 3600_000
/** Runs considered for where a platform's new requests start. */
const consideredRuns = 100
/** After this many runs in which a platform was never done, the others stop waiting for it. */
const maxFirstRuns = 3

/**
 * Since when to ask for new requests: of each platform's last complete run the start, of these the earliest, minus an
 * overlap. A stopped, failed or cut-off platform may have missed pages, so its instant stays, but no longer than the
 * considered runs reach back; likewise for one never done.
 * @returns null to ask by relevance: in the first run, and while a platform has not had one.
 */
async function newestSinceOf(
  transaction: Transaction,
  watchId: string,
  { on, now }: { on: readonly PlatformName[]; now: Date },
): Promise<Date | null> {
  const { rows } = await sql<{ platform: PlatformName; tries: number; done_at: Date | null }>`
    select platform, count(tasks.started_at)::integer as tries, coalesce(
      max(runs.begun_at) filter (where tasks.state = 'done' and (jobs.newest_since is null or tasks.cursor = 'null'::jsonb)),
      case when max(runs.considered) = ${consideredRuns} and (count(*) = ${consideredRuns} or count(tasks.started_at) >= ${maxFirstRuns})
        then min(runs.oldest) end) as done_at
    from (
      select job_id, begun_at, count(*) over () as considered, min(begun_at) over () as oldest from (
        -- One that begins later was begun by a clock that was ahead: nothing is newer than that.
        select job_id, begun_at from watch_runs
        where watch_id = ${watchId}::uuid and job_id is not null and begun_at <= ${now}::timestamptz
        order by due_at desc limit ${consideredRuns}
      ) as last_runs
    ) as runs
    join scrape_jobs as jobs on jobs.id = runs.job_id join scrape_tasks as tasks on tasks.job_id = runs.job_id
    group by platform`.execute(transaction)
  const of = new Map(rows.map((row) => [row.platform, row]))
  const waitsForFirst = on.some((platform) => {
    const { tries = 0, done_at = null } = of.get(platform) ?? {}
    return done_at === null && tries < maxFirstRuns
  })
  const done = on.flatMap((platform) => of.get(platform)?.done_at?.getTime() ?? [])
  return waitsForFirst || done.length === 0 ? null : new Date(Math.min(...done) - overlapMs)
}

/** Whether a run of a locked watch is still in progress. */
export async function isUnderWay(transaction: Transaction, watchId: string): Promise<boolean> {
  const open = await transaction
    .selectFrom('scrape_jobs')
    .select('id')
    .where('watch_id', '=', watchId)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open !== undefined
}

/** Starts a run of a locked watch as a job. @returns its id. @throws ServiceError RATE_LIMITED: then roll back. */
export async function startRun(
  transaction: Transaction,
  { queue, jobTimeLimitMs, enabledPlatforms, pricing }: RunDependencies,
  watch: Watch,
  { trigger, dueAt, keyId, now }: NewRun,
): Promise<string> {
  const { id: watchId, account_id: accountId, topic, platforms, depth, monthly_credits: watchMonthlyCredits } = watch
  const { on, off } = choosePlatforms(platforms, enabledPlatforms)
  const jobId = await startJob(transaction, queue, {
    accountId,
    keyId,
    watchId,
    watchMonthlyCredits,
    pricing,
    topic,
    platforms,
    off,
    depth,
    sources: new Map(Object.entries(watch.sources ?? {}) as [PlatformName, string[]][]),
    newestSince: await newestSinceOf(transaction, watchId, { on, now }),
    now,
    expiresAt: new Date(now.getTime() + jobTimeLimitMs),
  })
  await transaction
    .insertInto('watch_runs')
    .values({ watch_id: watchId, trigger, due_at: dueAt, begun_at: now, job_id: jobId, skipped: null })
    .execute()
  return jobId
}
