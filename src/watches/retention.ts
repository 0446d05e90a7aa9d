import { sql } from 'kysely'
import type { Database } from '../database/open.ts'
import type { MaintenanceJob } from '../runtime/maintenance.ts'

/** How long runs are kept; the last ones of a watch stay longer. */
export const runDays = 400
export const keptRuns = 1_000
const watchesPerSlice = 100
/** Of a watch in one round: what is left goes in the next ones. */
const runsPerWatch = 100

/** Deletes runs of watches that are older than 400 days and not among the last 1,000 of their watch, some watches at a time. */
export function createRunRetention(database: Database, now: () => Date): MaintenanceJob {
  let last: string | null = null
  return async () => {
    const before = new Date(now().getTime() - runDays * 86_400_000)
    const { rows } = await sql<{ id: string }>`
      select id from watches where created_at < ${before}::timestamptz and (${last}::uuid is null or id > ${last}::uuid)
      order by id limit ${watchesPerSlice}`.execute(database)
    if (rows.length > 0) {
      await sql`
        delete from watch_runs where id = any(array(
          select old.id from unnest(${rows.map(({ id }) => id)}::uuid[]) as watch (id) cross join lateral (
            select id from watch_runs where watch_id = watch.id and due_at < ${before}::timestamptz
              and due_at < (select due_at from watch_runs where watch_id = watch.id order by due_at desc offset ${keptRuns - 1} limit 1)
              and (job_id is null or reported_at is not null)
            order by due_at limit ${runsPerWatch}
          ) as old
        ))`.execute(database)
    }
    last = rows.length === watchesPerSlice ? rows.at(-1)!.id : null
    return last !== null
  }
}
