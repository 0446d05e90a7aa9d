import { type Selectable, sql } from 'kysely'
import { noteEvent } from '../../accounts/events/events.ts'
import type { Pricing } from '../../accounts/plans.ts'
import { reserve } from '../../credits/ledger.ts'
import { type JobCost, type JobCostRow, jobCostOf } from '../../credits/spending.ts'
import type { PlatformErrorCode, PlatformName, TaskState } from '../../database/column-types.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { Tables } from '../../database/tables.ts'
import { offError } from '../../platforms/off-platforms.ts'
import type { SourcesByPlatform } from '../../platforms/sources/named-sources.ts'
import { recount } from '../../requests/wish-numbers/recount.ts'
import { nameSources } from './account-sources.ts'
import { beginJobs } from './job-admission.ts'
import { describeSources, type JobSourcesRecord } from './job-terms.ts'
import type { TaskQueue } from './queue.ts'
import { failureOf, resultOf, type TaskResult, type TaskRow } from './task-row.ts'

export const jobStatuses = ['pending', 'running', 'completed', 'failed'] as const

export type JobStatus = (typeof jobStatuses)[number]

export interface NewJob {
  accountId: string
  topic: string
  platforms: readonly PlatformName[]
  /** Disabled platforms among them: skipped from the start, nothing is reserved for them. */
  off?: readonly PlatformName[]
  depth: number
  /** The account's sources, normalized and verified; by default the operator's. */
  sources?: SourcesByPlatform
  /** The paying API key; none for a session without a key. */
  keyId?: string | null
  keyHasBudget?: boolean
  personName?: string | null
  /** The watch that runs it, whose budget pays too. */
  watchId?: string | null
  /** Maximum credits of all the watch's runs per UTC month. */
  watchMonthlyCredits?: number | null
  /** Collects newest first from this time on; without it, the most relevant. */
  newestSince?: Date | null
  pricing: Pricing
  now: Date
  /** End at the latest, whatever its platforms do. */
  expiresAt: Date
}

/** Maximum pages of a job. */
export const pagesOf = ({ depth, platforms, off = [] }: Pick<NewJob, 'depth' | 'platforms' | 'off'>): number =>
  depth * (platforms.length - off.length)

/** Maximum cost of a job, in credits. */
export const costOf = ({ prices }: Pricing, job: Parameters<typeof pagesOf>[0]): number => pagesOf(job) * prices.page

const noSources: SourcesByPlatform = new Map()

const skipped = (platform: PlatformName, now: Date) => {
  const { code, message } = offError(platform)
  return { state: 'skipped', error_code: code, error_message: message, completed_at: now } as const
}

/**
 * Writes, pays for, and starts or queues a job, in the caller's transaction; with only disabled platforms it has ended
 * at once, for free.
 * @returns its id
 * @throws ServiceError RATE_LIMITED if account, key or watch cannot pay for all; roll back then
 */
export async function startJob(transaction: Transaction, queue: TaskQueue, job: NewJob): Promise<string> {
  const { accountId, topic, platforms, off = [], depth, sources = noSources, pricing, now, expiresAt } = job
  const { keyId = null, keyHasBudget = true, personName = null } = job
  const { watchId = null, watchMonthlyCredits = null, newestSince = null } = job
  const isOver = off.length === platforms.length
  const verified = new Map([...sources].filter(([platform]) => !off.includes(platform)))
  const wishes = await nameSources(transaction, { accountId, sources: verified, now })
  const { id: jobId } = await transaction
    .insertInto('scrape_jobs')
    .values({
      account_id: accountId,
      topic,
      depth,
      created_at: now,
      expires_at: expiresAt,
      watch_id: watchId,
      newest_since: newestSince,
      ...(sources.size > 0 ? { sources: JSON.stringify(Object.fromEntries(sources)) } : {}),
      ...(isOver ? { begun_at: now, ended_at: now } : {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('scrape_tasks')
    .values(
      platforms.map((platform, position) => ({
        job_id: jobId,
        platform,
        position,
        sources: sources.get(platform) ?? null,
        ...(off.includes(platform) ? skipped(platform, now) : {}),
      })),
    )
    .execute()
  if (isOver) {
    await noteEvent(transaction, { accountId, type: 'scrape.completed', subject: { jobId, watchId }, now })
    await recount(transaction, wishes)
    return jobId
  }
  const payer = { accountId, keyId, keyHasBudget, personName, watchId, watchMonthlyCredits, pricing }
  await reserve(transaction, { ...payer, operation: 'scrape', jobId, amount: costOf(pricing, job), now })
  await beginJobs(transaction, queue, accountId, now)
  await recount(transaction, wishes)
  return jobId
}

/** A job's status, from its tasks' states alone. `jobStatus` is the same in SQL. */
export function statusOf(tasks: readonly Pick<TaskRow, 'state' | 'error_code' | 'started_at'>[]): JobStatus {
  if (tasks.some((task) => task.state === 'pending' || task.state === 'running')) {
    // A platform disabled from the start is skipped, so has not begun.
    const isBegun = tasks.some(({ state, started_at }) => state !== 'pending' && !(state === 'skipped' && !started_at))
    return isBegun ? 'running' : 'pending'
  }
  if (tasks.some((task) => task.error_code === 'cancelled')) return 'failed'
  const allSkipped = tasks.every((task) => task.state === 'skipped')
  return allSkipped || tasks.some((task) => task.state === 'done') ? 'completed' : 'failed'
}

/** The status of a `scrape_jobs` row, for filtered lists; a test compares it with `statusOf`. */
export const jobStatus = sql<JobStatus>`(
  select case
    when bool_or(state in ('pending', 'running')) then
      case when bool_and(state = 'pending' or state = 'skipped' and started_at is null) then 'pending' else 'running' end
    when bool_or(error_code = 'cancelled') then 'failed'
    when bool_and(state = 'skipped') or bool_or(state = 'done') then 'completed'
    else 'failed'
  end
  from scrape_tasks where job_id = scrape_jobs.id)`

export interface Job extends JobSourcesRecord, JobCost {
  jobId: string
  status: JobStatus
  error: string | null
  topic: string
  platforms: PlatformName[]
  depth: number
  progress: Record<string, TaskState>
  requestsCreated: number
  /** New requests that may be feature requests. */
  maybeCreated: number
  tasks: TaskResult[]
  startedAt: string | null
  completedAt: string | null
  errors?: { platform: PlatformName; code: PlatformErrorCode; message: string }[]
  waiting?: { platform: PlatformName; code: PlatformErrorCode; message: string; until: string | null }[]
}

const earliest = (moments: (Date | null)[]) => moments.flatMap((moment) => moment ?? []).sort((a, b) => +a - +b)[0]

export type JobTerms = Pick<Selectable<Tables['scrape_jobs']>, 'topic' | 'depth' | 'expires_at'> & JobCostRow

/** A job in API form, from its terms and all its tasks, in order. */
export function describeJob(jobId: string, terms: JobTerms, tasks: readonly TaskRow[]): Job {
  const { topic, depth, expires_at: expiresAt } = terms
  const status = statusOf(tasks)
  const ended = status === 'completed' || status === 'failed'
  const lastEnd = Math.max(...tasks.map((task) => task.completed_at?.getTime() ?? 0))
  const reported = tasks.flatMap(
    ({ platform, state, error_code: code, error_message: message, waiting_until: until }) =>
      code === null ? [] : [{ state, until, error: { platform, code, message: message ?? '' } }],
  )
  const errors = reported.flatMap(({ state, error }) => (state === 'running' ? [] : [error]))
  const waiting = reported.flatMap(({ state, error, until }) =>
    state === 'running' ? [{ ...error, until: until?.toISOString() ?? null }] : [],
  )
  return {
    jobId,
    status,
    error: status === 'failed' ? failureOf(tasks, expiresAt) : null,
    topic,
    platforms: tasks.map((task) => task.platform),
    depth,
    progress: Object.fromEntries(tasks.map((task) => [task.platform, task.state])),
    requestsCreated: tasks.reduce((sum, task) => sum + task.requests_created, 0),
    maybeCreated: tasks.reduce((sum, task) => sum + task.maybe_created, 0),
    tasks: tasks.map(resultOf),
    startedAt: earliest(tasks.map((task) => task.started_at))?.toISOString() ?? null,
    completedAt: ended ? new Date(lastEnd).toISOString() : null,
    ...describeSources(tasks),
    ...jobCostOf(terms),
    ...(errors.length > 0 ? { errors } : {}),
    ...(waiting.length > 0 ? { waiting } : {}),
  }
}

/** Tasks of jobs, in order, with their job's terms and cost, by job id. */
export async function readTasks(executor: Executor, jobIds: readonly string[]) {
  const tasks = await executor
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .leftJoin('credit_reservations as reserved', 'reserved.job_id', 'scrape_jobs.id')
    .leftJoin('api_keys', 'api_keys.id', 'reserved.key_id')
    .leftJoin('watches', 'watches.id', 'reserved.watch_id')
    .selectAll('scrape_tasks')
    .select(['scrape_jobs.topic', 'scrape_jobs.depth', 'scrape_jobs.expires_at'])
    .select(['reserved.state as reservation_state', 'pool_part', 'payg_part', 'settled', 'reserved.person_name'])
    .select(['api_keys.id as key_id', 'api_keys.name as key_name', 'reserved.watch_id', 'watches.name as watch_name'])
    .where('scrape_tasks.job_id', 'in', [...jobIds])
    .orderBy('position')
    .execute()
  return Map.groupBy(tasks, (task) => task.job_id)
}

/** A job in API form; null if the account has no such job. */
export async function readJob(executor: Executor, accountId: string, jobId: string): Promise<Job | null> {
  if (!(await ownsJob(executor, accountId, jobId))) return null
  const tasks = (await readTasks(executor, [jobId])).get(jobId)
  return tasks?.[0] ? describeJob(jobId, tasks[0], tasks) : null
}

/** Whether the account has such a job. */
export async function ownsJob(executor: Executor, accountId: string, jobId: string): Promise<boolean> {
  const row = await executor
    .selectFrom('scrape_jobs')
    .select('id')
    .where('id', '=', jobId)
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row !== undefined
}
