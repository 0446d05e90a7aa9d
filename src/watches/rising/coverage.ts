import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { dayMs } from '../../runtime/durations.ts'

/** After a longer pause, the next run misses some requests. */
const longestPauseDays = 35

/**
 * Since when a watch knows everything asked on a platform: its first run there, after a long pause, or with new sources
 * or more depth after a cut-off, within retention. A removed source only makes the past too large, which raises no
 * false alarm.
 */
export async function readKnownSince(
  executor: Executor,
  { watchId, retention, now }: { watchId: string; retention: Retention; now: Date },
): Promise<Map<PlatformName, Date>> {
  const { rows } = await sql<{ platform: PlatformName; since: Date }>`
    with run as (
      select task.platform, watch_runs.begun_at, lag(watch_runs.begun_at) over earlier as before,
        coalesce(not task.sources <@ lag(task.sources) over earlier, task.sources is distinct from lag(task.sources) over earlier)
          as has_other_sources,
        job.depth > lag(job.depth) over earlier and lag(task.cursor) over earlier <> 'null'::jsonb as goes_further
      from watch_runs join scrape_jobs as job on job.id = watch_runs.job_id join scrape_tasks as task on task.job_id = job.id
      where watch_runs.watch_id = ${watchId} and task.state = 'done'
      window earlier as (partition by task.platform order by watch_runs.begun_at)
    )
    select platform, max(begun_at) as since from run
    where before is null or begun_at > before + make_interval(days => ${sql.lit(longestPauseDays)}) or has_other_sources or goes_further
    group by platform`.execute(executor)
  return new Map(
    rows.map(({ platform, since }) => {
      const days = retention.get(platform)
      const kept = days === undefined ? -Infinity : now.getTime() - days * dayMs
      return [platform, new Date(Math.max(since.getTime(), kept))]
    }),
  )
}
