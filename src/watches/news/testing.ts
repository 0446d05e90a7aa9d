import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'

// Watches and their runs for tests, written as the rooms below do it.

export interface TestWatch {
  accountId: string
  watchId: string
}

export interface TestWatchOptions {
  accountId?: string
  goal?: string
  filters?: object
  reportsQuiet?: boolean
}

export async function makeWatch(database: Database, options: TestWatchOptions = {}): Promise<TestWatch> {
  const now = new Date('2026-01-01T00:00:00Z')
  const made =
    options.accountId === undefined
      ? await database
          .insertInto('accounts')
          .values({ name: 'watcher', tier: 'max', created_at: now })
          .returning('id')
          .executeTakeFirstOrThrow()
      : { id: options.accountId }
  const watch = await database
    .insertInto('watches')
    .values({
      account_id: made.id,
      key_id: null,
      name: 'Dark <mode>',
      topic: 'dark mode',
      platforms: ['github'],
      sources: null,
      depth: 1,
      schedule: 'daily',
      timezone: 'UTC',
      monthly_credits: 100,
      goal: options.goal ?? null,
      filters: JSON.stringify(options.filters ?? {}),
      channels: [],
      reports_quiet: options.reportsQuiet ?? false,
      created_at: now,
      next_run_at: null,
      last_looked_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { accountId: made.id, watchId: watch.id }
}

export interface TestRun {
  requests: FoundRequest[]
  now: Date
  platform?: PlatformName
  /** What its watch named, of the platform. */
  sources?: string[]
  depth?: number
  /** Whether the platform had more pages than its depth. */
  isCutOff?: boolean
  /** Whether its requests stay in the queue of wishes. */
  staysUnplaced?: boolean
}

/** Stores a page of a job. */
export async function storeFound(
  database: Database,
  { requests, now, platform = 'github', jobId }: TestRun & { jobId: string | null },
): Promise<void> {
  const prepared = await preparePage(platform, { requests, incomplete: [], offTopic: [] }, null)
  const page = { ...prepared, platform, topic: 'dark mode', jobId, markSeenBefore: null, now }
  await storePageAlone(database, page)
}

/** A run of a watch whose job stored a page and has ended. @returns the id of the run. */
export async function endedRun(database: Database, { accountId, watchId }: TestWatch, run: TestRun): Promise<string> {
  const { now } = run
  const job = await database
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic: 'dark mode', depth: run.depth ?? 1, created_at: now, watch_id: watchId })
    .returning('id')
    .executeTakeFirstOrThrow()
  const { id } = await database
    .insertInto('watch_runs')
    .values({ watch_id: watchId, trigger: 'manual', due_at: now, begun_at: now, job_id: job.id, skipped: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  const task = {
    job_id: job.id,
    platform: run.platform ?? 'github',
    position: 0,
    state: 'done' as const,
    completed_at: now,
    sources: run.sources ?? null,
    cursor: JSON.stringify(run.isCutOff === true ? 2 : null),
  }
  await database.insertInto('scrape_tasks').values(task).execute()
  if (run.requests.length > 0) await storeFound(database, { ...run, jobId: job.id })
  if (run.staysUnplaced !== true) await sql`delete from wish_queue`.execute(database)
  await database.updateTable('scrape_jobs').set({ ended_at: now }).where('id', '=', job.id).execute()
  return id
}
