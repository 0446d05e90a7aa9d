import { type Selectable, sql } from 'kysely'
import { reserve } from '../credits/ledger.ts'
import type { Executor, Transaction } from '../database/open.ts'
import type { Tables, TaskState } from '../database/tables.ts'
import type { PlatformErrorCode, PlatformName } from '../platforms/platform.ts'
import { beginJobs, beginLiveJob } from './line.ts'
import type { TaskQueue } from './queue.ts'

export const jobStatuses = ['pending', 'running', 'completed', 'failed'] as const

export type JobStatus = (typeof jobStatuses)[number]

export interface NewJob {
  /** Null for a job of nobody, which reserves nothing: its callers pay for their calls. */
  accountId: string | null
  topic: string
  platforms: readonly PlatformName[]
  depth: number
  now: Date
  /** When it ends at the latest, whatever its platforms do. */
  expiresAt: Date
}

/** What a job costs at most, in credits: a page each. */
export const costOf = ({ depth, platforms }: Pick<NewJob, 'depth' | 'platforms'>): number => depth * platforms.length

/**
 * Starts a job: writes it with its tasks, reserves its credits, and begins it or puts it in its account's line, all in the
 * caller's transaction.
 * @returns the job's id.
 * @throws ServiceError RATE_LIMITED when the account cannot pay for all of it; the transaction must be undone then.
 */
export async function startJob(transaction: Transaction, queue: TaskQueue, job: NewJob): Promise<string> {
  const { accountId, topic, platforms, depth, now, expiresAt } = job
  const { id: jobId } = await transaction
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic, depth, created_at: now, expires_at: expiresAt })
    .returning('id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('scrape_tasks')
    .values(platforms.map((platform, position) => ({ job_id: jobId, platform, position })))
    .execute()
  if (accountId === null) await beginLiveJob(transaction, queue, jobId, now)
  else {
    await reserve(transaction, { accountId, operation: 'scrape', jobId, amount: costOf(job), now })
    await beginJobs(transaction, queue, accountId, now)
  }
  return jobId
}

/** The job's status, from the states of its tasks and nothing else. `jobStatus` is the same in SQL. */
export function statusOf(tasks: readonly { state: TaskState; error_code: PlatformErrorCode | null }[]): JobStatus {
  if (tasks.every((task) => task.state === 'pending')) return 'pending'
  if (tasks.some((task) => task.state === 'pending' || task.state === 'running')) return 'running'
  if (tasks.some((task) => task.error_code === 'cancelled')) return 'failed'
  const allSkipped = tasks.every((task) => task.state === 'skipped')
  return allSkipped || tasks.some((task) => task.state === 'done') ? 'completed' : 'failed'
}

/** The status of the row of `scrape_jobs` at hand, for lists that are filtered by it; a test holds it to `statusOf`. */
export const jobStatus = sql<JobStatus>`(
  select case
    when bool_and(state = 'pending') then 'pending'
    when bool_or(state in ('pending', 'running')) then 'running'
    when bool_or(error_code = 'cancelled') then 'failed'
    when bool_and(state = 'skipped') or bool_or(state = 'done') then 'completed'
    else 'failed'
  end
  from scrape_tasks where job_id = scrape_jobs.id)`

export interface Job {
  jobId: string
  status: JobStatus
  topic: string
  platforms: PlatformName[]
  depth: number
  progress: Record<string, TaskState>
  requestsCreated: number
  startedAt: string | null
  completedAt: string | null
  errors?: { platform: PlatformName; code: PlatformErrorCode; message: string }[]
}

const earliest = (moments: (Date | null)[]) => moments.flatMap((moment) => moment ?? []).sort((a, b) => +a - +b)[0]

export type TaskRow = Selectable<Tables['scrape_tasks']>
export type JobTerms = Pick<Selectable<Tables['scrape_jobs']>, 'topic' | 'depth'>

/** A job as its account sees it, from what it was started with and all its tasks in their order. */
export function describeJob(jobId: string, { topic, depth }: JobTerms, tasks: readonly TaskRow[]): Job {
  const status = statusOf(tasks)
  const ended = status === 'completed' || status === 'failed'
  const lastEnd = Math.max(...tasks.map((task) => task.completed_at?.getTime() ?? 0))
  const errors = tasks.flatMap(({ platform, error_code: code, error_message: message }) =>
    code === null ? [] : [{ platform, code, message: message ?? '' }],
  )
  return {
    jobId,
    status,
    topic,
    platforms: tasks.map((task) => task.platform),
    depth,
    progress: Object.fromEntries(tasks.map((task) => [task.platform, task.state])),
    requestsCreated: tasks.reduce((sum, task) => sum + task.requests_created, 0),
    startedAt: earliest(tasks.map((task) => task.started_at))?.toISOString() ?? null,
    completedAt: ended ? new Date(lastEnd).toISOString() : null,
    ...(errors.length > 0 ? { errors } : {}),
  }
}

/** The tasks of jobs, in their order, with the topic and depth of their job, by the job's id. */
export async function readTasks(executor: Executor, jobIds: readonly string[]) {
  const tasks = await executor
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .selectAll('scrape_tasks')
    .select(['scrape_jobs.topic', 'scrape_jobs.depth'])
    .where('job_id', 'in', [...jobIds])
    .orderBy('position')
    .execute()
  return Map.groupBy(tasks, (task) => task.job_id)
}

/** A job as its account sees it; null when there is none of that id in that account. */
export async function readJob(executor: Executor, accountId: string, jobId: string): Promise<Job | null> {
  if (!(await ownsJob(executor, accountId, jobId))) return null
  const tasks = (await readTasks(executor, [jobId])).get(jobId)
  return tasks?.[0] ? describeJob(jobId, tasks[0], tasks) : null
}

/** Whether a job is this account's. */
export async function ownsJob(executor: Executor, accountId: string, jobId: string): Promise<boolean> {
  const row = await executor
    .selectFrom('scrape_jobs')
    .select('id')
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined
}
