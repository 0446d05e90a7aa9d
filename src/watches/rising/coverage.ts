import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { dayMs } from '../../requests/timeline.ts'

/** After a pause of more days the next run does not find all that was missed. */
const longestPauseDays = 35

/**
 * Since when all that people ask on each platform is known to a watch: its first run there, or the first after a long pause, and never what has
 * expired since.
 */
export async function readKnownSince(
  executor: Executor,
  { watchId, retention, now }: { watchId: string; retention: Retention; now: Date },
): Promise<Map<PlatformName, Date>> {
  const { rows } = await sql<{ platform: PlatformName; since: Date }>`
    with run as (
      select platform, begun_at, lag(begun_at) over (partition by platform order by begun_at) as before
      from watch_runs join scrape_tasks on scrape_tasks.job_id = watch_runs.job_id
      where watch_id = ${watchId} and state = 'done'
    )
    select platform, max(begun_at) as since from run
    where before is null or begun_at > before + make_interval(days => ${sql.lit(longestPauseDays)}) group by platform`.execute(
    executor,
  )
  return new Map(
    rows.map(({ platform, since }) => {
      const days = retention.get(platform)
      const kept = days === undefined ? -Infinity : now.getTime() - days * dayMs
      return [platform, new Date(Math.max(since.getTime(), kept))]
    }),
  )
}
