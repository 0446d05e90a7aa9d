import { sql } from 'kysely'
import type { Logger } from 'pino'
import { noteEvent } from '../../accounts/events/events.ts'
import { closeReservation } from '../../credits/ledger.ts'
import type { PlatformErrorCode } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { passOverFailures } from '../../runtime/maintenance.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { beginJobs } from './job-admission.ts'
import { jobStatus } from './jobs.ts'
import type { TaskQueue } from './queue.ts'

/** How a task ends, and why it is incomplete. */
export interface TaskEnd {
  state: 'done' | 'error' | 'skipped'
  error?: { code: PlatformErrorCode; message: string }
}

/** How long a task may go without a page, including waits. */
export const maxIdleMs = 30 * 60_000

/** Locks a job until the transaction ends; always before its tasks, or two endings could deadlock. */
export const lockJob = (transaction: Transaction, jobId: string) =>
  sql`select 1 from scrape_jobs where id = ${jobId} for no key update`.execute(transaction)

/**
 * With its last task, ends a job exactly once: notifies, charges all pages, releases the rest, starts the next job. The
 * caller holds the job's lock and has just ended a task.
 */
export async function settleIfEnded(
  transaction: Transaction,
  queue: TaskQueue,
  jobId: string,
  now: Date,
): Promise<void> {
  const { open, pages } = await transaction
    .selectFrom('scrape_tasks')
    .select(({ fn, eb }) => [
      fn
        .countAll<number>()
        .filterWhere(eb('state', 'in', ['pending', 'running']))
        .as('open'),
      fn.sum<number>('pages').as('pages'),
    ])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  if (Number(open) > 0) return
  const { accountId, watchId, status } = await transaction
    .updateTable('scrape_jobs')
    .set({ ended_at: now })
    .where('id', '=', jobId)
    .returning(['account_id as accountId', 'watch_id as watchId', jobStatus.as('status')])
    .executeTakeFirstOrThrow()
  // An unowned job has no reservation: its live calls pay.
  if (accountId === null) return
  const type = status === 'completed' ? 'scrape.completed' : 'scrape.failed'
  await noteEvent(transaction, { accountId, type, subject: { jobId, watchId }, now })
  await closeReservation(transaction, { operation: 'scrape', jobId, settled: Number(pages), now })
  await beginJobs(transaction, queue, accountId, now)
}

/** Ends a job by its tasks: a page being stored counts, a fetching worker loses its task. */
async function stopJob(
  transaction: Transaction,
  queue: TaskQueue,
  jobId: string,
  end: Required<TaskEnd>,
  now: Date,
): Promise<void> {
  await lockJob(transaction, jobId)
  const stopped = await transaction
    .updateTable('scrape_tasks')
    .set({
      state: end.state,
      error_code: end.error.code,
      error_message: end.error.message,
      completed_at: now,
      waiting_until: null,
    })
    .where('job_id', '=', jobId)
    .where('state', 'in', ['pending', 'running'])
    .returning('id')
    .execute()
  if (stopped.length > 0) await settleIfEnded(transaction, queue, jobId, now)
}

/** Cancels a job unless it has ended. The caller must have checked that the account owns it. */
export const cancelJob = (transaction: Transaction, queue: TaskQueue, jobId: string, now: Date): Promise<void> => {
  const error = { code: 'cancelled', message: 'The job was cancelled.' } as const
  return stopJob(transaction, queue, jobId, { state: 'skipped', error }, now)
}

/** Ends an overdue job, in its own transaction. */
export const endOverdueJob = (database: Database, queue: TaskQueue, jobId: string, now: Date): Promise<void> => {
  const error = { code: 'timeout', message: 'The time of the job was over before the platform was done.' } as const
  return database
    .transaction()
    .execute((transaction) => stopJob(transaction, queue, jobId, { state: 'error', error }, now))
}

/** Pulls in ends of jobs and waits of tasks that lie too far ahead. @param timeLimitMs of a job @returns how many */
export const correctJobs = (database: Database, queue: TaskQueue, timeLimitMs: number, now: Date): Promise<number> =>
  database.transaction().execute(async (transaction) => {
    const latest = new Date(now.getTime() + timeLimitMs + clockToleranceMs)
    const jobs = await sql`
      update scrape_jobs set expires_at = ${latest} where ended_at is null and expires_at > ${latest}::timestamptz`.execute(
      transaction,
    )
    const { rows: tasks } = await sql<{ queueMessageId: string }>`
      update scrape_tasks set waiting_until = ${now}, page_due_since = least(page_due_since, ${now}::timestamptz)
      where state in ('pending', 'running') and waiting_until > ${new Date(now.getTime() + maxIdleMs + clockToleranceMs)}::timestamptz
      returning queue_message_id as "queueMessageId"`.execute(transaction)
    await queue.startNow(
      transaction,
      tasks.map(({ queueMessageId }) => queueMessageId),
    )
    return Number(jobs.numAffectedRows) + tasks.length
  })

const jobsPerSlice = 20

/** Ends overdue jobs that no worker ended because it died or hangs. @returns whether more may remain */
export async function endOverdueJobs(database: Database, log: Logger, queue: TaskQueue, now: Date): Promise<boolean> {
  const overdue = await database
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .select('job_id as id')
    .distinct()
    .where('state', 'in', ['pending', 'running'])
    .where('expires_at', '<=', now)
    .limit(jobsPerSlice)
    .execute()
  const ended = await passOverFailures(overdue, log, ({ id }) => endOverdueJob(database, queue, id, now))
  return ended > 0 && overdue.length === jobsPerSlice
}
