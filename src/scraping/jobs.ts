import { reserve } from '../credits/ledger.ts'
import type { Executor, Transaction } from '../database/open.ts'
import type { TaskState } from '../database/tables.ts'
import type { PlatformErrorCode, PlatformName } from '../platforms/platform.ts'
import type { TaskQueue } from './queue.ts'

export const jobStatuses = ['pending', 'running', 'completed', 'failed'] as const

export type JobStatus = (typeof jobStatuses)[number]

export interface NewJob {
  accountId: string
  topic: string
  platforms: readonly PlatformName[]
  depth: number
  now: Date
}

/** What a job costs at most, in credits: a page each. */
export const costOf = ({ depth, platforms }: Pick<NewJob, 'depth' | 'platforms'>): number => depth * platforms.length

/**
 * Starts a job: reserves its credits, writes the job with its tasks and queues them, all in the caller's transaction.
 * @returns the job's id.
 * @throws ServiceError RATE_LIMITED when the account cannot pay for all of it; the transaction must be undone then.
 */
export async function startJob(transaction: Transaction, queue: TaskQueue, job: NewJob): Promise<string> {
  const { accountId, topic, platforms, depth, now } = job
  const { id: jobId } = await transaction
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic, depth, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await reserve(transaction, { accountId, operation: 'scrape', jobId, amount: costOf(job), now })
  const tasks = await transaction
    .insertInto('scrape_tasks')
    .values(platforms.map((platform, position) => ({ job_id: jobId, platform, position })))
    .returning('id')
    .execute()
  for (const task of tasks) {
    const queueJobId = await queue.enqueue(transaction, task.id)
    await transaction.updateTable('scrape_tasks').set({ queue_job_id: queueJobId }).where('id', '=', task.id).execute()
  }
  return jobId
}

/** The job's status, from the states of its tasks and nothing else. */
export function statusOf(tasks: readonly { state: TaskState; error_code: PlatformErrorCode | null }[]): JobStatus {
  if (tasks.every((task) => task.state === 'pending')) return 'pending'
  if (tasks.some((task) => task.state === 'pending' || task.state === 'running')) return 'running'
  const skippedByItself = tasks.every((task) => task.state === 'skipped' && task.error_code !== 'cancelled')
  return skippedByItself || tasks.some((task) => task.state === 'done') ? 'completed' : 'failed'
}

export interface Job {
  jobId: string
  status: JobStatus
  topic: string
  platforms: PlatformName[]
  progress: Record<string, TaskState>
  requestsCreated: number
  startedAt: string | null
  completedAt: string | null
  errors?: { platform: PlatformName; code: PlatformErrorCode; message: string }[]
}

const earliest = (moments: (Date | null)[]) => moments.flatMap((moment) => moment ?? []).sort((a, b) => +a - +b)[0]

/** A job as its account sees it; null when there is none of that id in that account. */
export async function readJob(executor: Executor, accountId: string, jobId: string): Promise<Job | null> {
  const tasks = await executor
    .selectFrom('scrape_jobs')
    .innerJoin('scrape_tasks', 'scrape_tasks.job_id', 'scrape_jobs.id')
    .selectAll('scrape_tasks')
    .select('scrape_jobs.topic')
    .where('scrape_jobs.id', '=', jobId)
    .where('scrape_jobs.account_id', '=', accountId)
    .orderBy('scrape_tasks.position')
    .execute()
  const [first] = tasks
  if (!first) return null
  const status = statusOf(tasks)
  const ended = status === 'completed' || status === 'failed'
  const lastEnd = Math.max(...tasks.map((task) => task.completed_at?.getTime() ?? 0))
  const errors = tasks.flatMap(({ platform, error_code: code, error_message: message }) =>
    code === null ? [] : [{ platform, code, message: message ?? '' }],
  )
  return {
    jobId,
    status,
    topic: first.topic,
    platforms: tasks.map((task) => task.platform),
    progress: Object.fromEntries(tasks.map((task) => [task.platform, task.state])),
    requestsCreated: tasks.reduce((sum, task) => sum + task.requests_created, 0),
    startedAt: earliest(tasks.map((task) => task.started_at))?.toISOString() ?? null,
    completedAt: ended ? new Date(lastEnd).toISOString() : null,
    ...(errors.length > 0 ? { errors } : {}),
  }
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
