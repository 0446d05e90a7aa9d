import { sql } from 'kysely'
import { type JobStatus, jobStatus } from '../collecting/scraping/jobs.ts'
import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import type { Database, Executor } from '../database/open.ts'
import type { SkipReason } from '../database/tables/watches.ts'
import { cursorsOf, isPositionId, isPositionNumber, type PageInput, pageIn } from '../http/pagination.ts'
import type { MaintenanceJob } from '../runtime/maintenance.ts'

interface RunRow {
  id: string
  trigger: 'schedule' | 'manual'
  due_at: Date
  begun_at: Date
  skipped: SkipReason | null
  job_id: string | null
  status: JobStatus | null
  pages: number
  created: number
  maybe: number
  problems: { platform: PlatformName; code: PlatformErrorCode; message: string }[]
  key: string
}

const toRun = (row: RunRow) => ({
  runId: row.id,
  trigger: row.trigger,
  dueAt: row.due_at.toISOString(),
  begunAt: row.begun_at.toISOString(),
  skipped: row.skipped,
  jobId: row.job_id,
  status: row.status,
  credits: row.pages,
  requestsCreated: row.created,
  maybeCreated: row.maybe,
  problems: row.problems,
})

/** A run as its account sees it. `jobId` is null if it was skipped; `credits` are those of delivered pages. */
export type WatchRun = ReturnType<typeof toRun>

const resultColumns = sql`case when scrape_jobs.id is not null then ${jobStatus} end as status, pages, created, maybe, problems`
const resultsOfRuns = sql`left join scrape_jobs on scrape_jobs.id = runs.job_id
    cross join lateral (
      select coalesce(sum(tasks.pages), 0)::integer as pages, coalesce(sum(requests_created), 0)::integer as created,
        coalesce(sum(maybe_created), 0)::integer as maybe,
        coalesce(jsonb_agg(jsonb_build_object('platform', platform, 'code', error_code, 'message', coalesce(error_message, '')) order by position)
          filter (where error_code is not null and state <> 'running'), '[]') as problems
      from scrape_tasks as tasks where tasks.job_id = runs.job_id
    ) as results`

/** The latest due run of each watch, by watch id. */
export async function readLastRuns(executor: Executor, watchIds: readonly string[]): Promise<Map<string, WatchRun>> {
  if (watchIds.length === 0) return new Map()
  const { rows } = await sql<RunRow & { watch_id: string }>`
    select runs.*, ${resultColumns}
    from unnest(${watchIds}::uuid[]) as watch (id) cross join lateral (
      select id, watch_id, trigger, due_at, begun_at, skipped, job_id from watch_runs where watch_id = watch.id
      order by due_at desc, id desc limit 1
    ) as runs ${resultsOfRuns}`.execute(executor)
  return new Map(rows.map((row) => [row.watch_id, toRun(row)]))
}

const isMoment = (value: unknown): value is number => isPositionNumber(value) && value >= 0
/** Cursor: when a run was due (microseconds since 1970), and its id. */
const cursors = cursorsOf<[dueAt: number, id: string]>('watch runs', isMoment, isPositionId)

/** A page of a watch's runs, latest due first. @throws ServiceError INVALID_REQUEST for a cursor of another list. */
export async function listRuns(executor: Executor, { watchId, limit, cursor }: PageInput & { watchId: string }) {
  const after = cursor === undefined ? null : cursors.decode(cursor)
  const from =
    after === null
      ? sql``
      : sql`and (due_at, id) < (timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond', ${after[1]}::uuid)`
  const { rows } = await sql<RunRow>`
    select runs.*, (extract(epoch from due_at) * 1000000)::bigint as key, ${resultColumns}
    from (
      select id, trigger, due_at, begun_at, skipped, job_id from watch_runs where watch_id = ${watchId}::uuid ${from}
      order by due_at desc, id desc limit ${limit + 1}
    ) as runs ${resultsOfRuns}
    order by due_at desc, runs.id desc`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ key, id }) => cursors.encode([Number(key), id]))
  return { results: page.map(toRun), ...rest }
}

/** How long runs are kept; a watch's last ones stay longer. */
const runDays = 400
const keptRuns = 1_000
const watchesPerSlice = 100
const runsPerWatch = 100

/** Deletes runs older than 400 days and not among their watch's last 1,000, some watches at a time. */
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
