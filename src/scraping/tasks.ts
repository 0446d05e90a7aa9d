import type { PlatformErrorCode } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/open.ts'
import type { Page } from '../platforms/platform.ts'
import type { FoundPage, PreparedPage } from '../requests/store/prepared-page.ts'
import { storePage } from '../requests/store/store.ts'
import type { ClaimedTask } from './claim.ts'
import { countPage } from './collected-topics.ts'
import { lockJob, settleIfEnded, type TaskEnd } from './job-end.ts'
import type { TaskQueue } from './queue.ts'

/** The task was given to another worker, or ended, meanwhile: this one must stop and write nothing. */
export class TaskLostError extends Error {
  override readonly name = 'TaskLostError'
}

/** The update of a task that only its present holder can make. */
const updateHeld = (transaction: Transaction, task: ClaimedTask) =>
  transaction
    .updateTable('scrape_tasks')
    .where('id', '=', task.taskId)
    .where('claim', '=', task.claim)
    .where('state', '=', 'running')

function assertHeld({ numUpdatedRows }: { numUpdatedRows: bigint }): void {
  if (numUpdatedRows !== 1n) throw new TaskLostError('the task was taken over or has ended')
}

/** Ends a task and, with its last one, the job: credits are settled for the pages of all tasks, the rest is released. */
async function endTask(transaction: Transaction, queue: TaskQueue, task: ClaimedTask, end: TaskEnd, now: Date) {
  // One ending at a time for a job, so that exactly one of two tasks that end together sees itself as the last.
  await lockJob(transaction, task.jobId)
  assertHeld(
    await updateHeld(transaction, task)
      .set({
        state: end.state,
        error_code: end.error?.code ?? null,
        error_message: end.error?.message ?? null,
        completed_at: now,
        waiting_until: null,
      })
      .executeTakeFirst(),
  )
  await queue.complete(transaction, task.queueJob)
  await settleIfEnded(transaction, queue, task.jobId, now)
}

/** Ends a task in a transaction of its own. @throws TaskLostError */
export const finishTask = (database: Database, queue: TaskQueue, task: ClaimedTask, end: TaskEnd, now: Date) =>
  database.transaction().execute((transaction) => endTask(transaction, queue, task, end, now))

/**
 * Stores a page with its checkpoint, and ends the task when it was the last, all in one transaction.
 * @returns the task as it is now; null when it has ended.
 * @throws TaskLostError when another worker has it; nothing is stored then.
 */
export function checkpointPage(
  database: Database,
  queue: TaskQueue,
  task: ClaimedTask,
  page: Pick<Page, 'nextCursor'> & PreparedPage & Pick<FoundPage, 'markSeenBefore'>,
  now: Date,
): Promise<ClaimedTask | null> {
  const pages = task.pages + 1
  const more = page.nextCursor !== null && pages < task.depth
  return database.transaction().execute(async (transaction) => {
    const { platform, jobId, topic } = task
    const { requests, markSeenBefore } = page
    const ofJob = { platform, jobId: task.queueJob.isLive ? null : jobId, topic }
    const { found, created } = await storePage(transaction, { ...ofJob, requests, markSeenBefore, now })
    if (!more) await lockJob(transaction, jobId)
    assertHeld(
      await updateHeld(transaction, task)
        .set((eb) => ({
          pages,
          cursor: JSON.stringify(page.nextCursor),
          requests_found: eb('requests_found', '+', found),
          requests_created: eb('requests_created', '+', created),
          tries: 0,
          takeovers: 0,
          page_due_since: now,
          error_code: null,
          error_message: null,
        }))
        .executeTakeFirst(),
    )
    await countPage(transaction, platform, topic, now)
    if (!more) await endTask(transaction, queue, task, { state: 'done' }, now)
    return more ? { ...task, pages, cursor: page.nextCursor, tries: 0, takeovers: 0, pageDueSince: now } : null
  })
}

/** Whether any other task of the job is open and has not failed to reach its platform. */
export async function othersGetOn(database: Database, jobId: string, taskId: string): Promise<boolean> {
  const other = await database
    .selectFrom('scrape_tasks')
    .select('id')
    .where('job_id', '=', jobId)
    .where('id', '<>', taskId)
    .where('state', 'in', ['pending', 'running'])
    .where((eb) => eb.or([eb('error_code', 'is', null), eb('error_code', 'not in', ['unavailable', 'timeout'])]))
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

/** Puts a task back in the queue until its platform may be asked again; why is kept until a page comes. @throws TaskLostError */
export function deferTask(
  database: Database,
  queue: TaskQueue,
  task: ClaimedTask,
  { until, tries, reason }: { until: Date; tries: number; reason?: { code: PlatformErrorCode; message: string } },
): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    const queueJobId = await queue.enqueue(transaction, task.taskId, {
      isLive: task.queueJob.isLive,
      startAfter: until,
    })
    assertHeld(
      await updateHeld(transaction, task)
        .set({
          ...{ waiting_until: until, tries, queue_job_id: queueJobId },
          ...(reason ? { error_code: reason.code, error_message: reason.message } : {}),
        })
        .executeTakeFirst(),
    )
    await queue.complete(transaction, task.queueJob)
  })
}

/**
 * Queues every open task of a job that was begun anew. Only for the embedded database at its start: the lock of its directory proves that no
 * worker is alive that could still hold one.
 */
export async function recoverTasks(database: Database, queue: TaskQueue): Promise<number> {
  await queue.clear()
  return database.transaction().execute(async (transaction) => {
    const open = await transaction
      .selectFrom('scrape_tasks')
      .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
      .select(['scrape_tasks.id', 'waiting_until', 'account_id'])
      .where('state', 'in', ['pending', 'running'])
      .where('begun_at', 'is not', null)
      .execute()
    for (const task of open) {
      const queueJobId = await queue.enqueue(transaction, task.id, {
        isLive: task.account_id === null,
        startAfter: task.waiting_until,
      })
      await transaction
        .updateTable('scrape_tasks')
        .set({ queue_job_id: queueJobId })
        .where('id', '=', task.id)
        .execute()
    }
    return open.length
  })
}
