import { sql } from 'kysely'
import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import { failuresIn } from '../../platforms/adapters/round-robin.ts'
import type { Json, Page } from '../../platforms/platform.ts'
import { markSeenBefore, type Retention } from '../../requests/store/delete.ts'
import { type PreparedPage, preparePage } from '../../requests/store/prepared-page.ts'
import { storePage } from '../../requests/store/store.ts'
import { recount } from '../../requests/wish-numbers/recount.ts'
import type { ClaimedTask } from './claim.ts'
import { countPage, listNamedTopic } from './collected-topics.ts'
import { lockJob, settleIfEnded, type TaskEnd } from './job-end.ts'
import { withAdded } from './job-schema.ts'
import type { TaskQueue } from './queue.ts'
import type { TaskRow } from './task-row.ts'

/** The task was ended or taken over meanwhile: this worker must stop and write nothing. */
export class TaskLostError extends Error {
  override readonly name = 'TaskLostError'
}

/** How a task that delivered ends, with the failures of its sources from its last cursor. */
export function doneWith(cursor: Json): TaskEnd {
  const error = failuresIn(cursor)
  return error === null ? { state: 'done' } : { state: 'done', error }
}

/** Updates a running task, only for the worker with its newest fencing token. */
const updateHeld = (transaction: Transaction, task: ClaimedTask) =>
  transaction
    .updateTable('scrape_tasks')
    .where('id', '=', task.taskId)
    .where('fencing_token', '=', task.fencingToken)
    .where('state', '=', 'running')

function assertHeld({ numUpdatedRows }: { numUpdatedRows: bigint }): void {
  if (numUpdatedRows !== 1n) throw new TaskLostError('the task was taken over or has ended')
}

/** Ends a task and, with the last one, its job: charges all pages, releases the remaining credits. */
async function endTask(transaction: Transaction, queue: TaskQueue, task: ClaimedTask, end: TaskEnd, now: Date) {
  // Serializes the ends of a job's tasks: exactly one is the last.
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
  await queue.complete(transaction, task.queueMessage)
  await settleIfEnded(transaction, queue, task.jobId, now)
}

/** Ends a task in its own transaction. @throws TaskLostError */
export const finishTask = (database: Database, queue: TaskQueue, task: ClaimedTask, end: TaskEnd, now: Date) =>
  database.transaction().execute((transaction) => endTask(transaction, queue, task, end, now))

/** A fetched page, ready to store, and where its task continues. */
export interface FetchedPage extends PreparedPage {
  nextCursor: Json
  nextCursorIfKnown: Json
  /** Items of the page not stored, by reason, and how many of the rest have no date. */
  discarded: TaskRow['discarded']
}

/** Prepares a page for `checkpointPage` without statements, so that no transaction waits for it. */
export async function prepareFetchedPage(
  page: Page,
  platform: PlatformName,
  retention: Retention,
  now: Date,
): Promise<FetchedPage> {
  const prepared = await preparePage(platform, page, markSeenBefore(retention, platform, now))
  const { nextCursor, nextCursorIfKnown = null } = page
  const undated = page.requests.filter(({ originalCreatedAt }) => originalCreatedAt === null).length
  const discarded = { ...page.discarded, ...(undated > 0 ? { undated } : {}) }
  return { ...prepared, nextCursor, nextCursorIfKnown, discarded }
}

/** Whether joined requests are new to the job's watch, if any, even if other jobs had stored them. */
async function areNewToWatch(transaction: Transaction, jobId: string, joined: readonly string[]): Promise<boolean> {
  if (joined.length === 0) return false
  const { rows } = await sql<{ found: boolean }>`
    select exists (
      select from unnest(${joined}::uuid[]) as joined (id) where not exists (
        select from scrape_job_requests as earlier join scrape_jobs as jobs on jobs.id = earlier.job_id
        where earlier.request_id = joined.id and jobs.id <> ${jobId}::uuid
          and jobs.watch_id = (select watch_id from scrape_jobs where id = ${jobId}::uuid))
    ) as found`.execute(transaction)
  return rows[0]?.found ?? false
}

/** Whether the platform returned nothing at all, not even discarded items. */
const isEmpty = ({ requests, discarded }: Pick<FetchedPage, 'requests' | 'discarded'>) =>
  requests.length === 0 && Object.values(discarded).every((count) => count === 0)

/**
 * Stores a page with its checkpoint and ends a finished task, in one transaction. Newest first, a page of known
 * requests is its source's last.
 * @returns the updated task; null once it ended
 * @throws TaskLostError if another worker has it, storing nothing
 */
export function checkpointPage(
  database: Database,
  queue: TaskQueue,
  task: ClaimedTask,
  { discarded, ...fetched }: FetchedPage,
  now: Date,
): Promise<ClaimedTask | null> {
  const pages = task.pages + 1
  const { nextCursor: usual, nextCursorIfKnown, ...prepared } = fetched
  return database.transaction().execute(async (transaction) => {
    const { platform, jobId, topic } = task
    // No caller can list an unowned job's requests, so they are not linked to it.
    const job = task.queueMessage.isLive ? { jobId: null, unownedJobId: jobId } : { jobId }
    const stored = await storePage(transaction, { ...prepared, ...job, platform, topic, now })
    // The rest of the source is older. If all items are left out, only the adapter knows how far the page reached.
    const isKnown =
      task.newestSince !== null &&
      usual !== null &&
      (stored.found > 0 || isEmpty({ ...prepared, discarded })) &&
      !(await areNewToWatch(transaction, jobId, stored.joined))
    const nextCursor = isKnown ? nextCursorIfKnown : usual
    const more = nextCursor !== null && pages < task.depth
    // Lock order: an unowned job before its topic, as where `storePage` spells one; a topic before an account's job.
    if (task.queueMessage.isLive) await lockJob(transaction, jobId)
    // Only pages of the operator's sources make a topic fresh.
    if (task.sources === null) {
      await countPage(transaction, platform, topic, now)
      await listNamedTopic(transaction, jobId, topic)
    }
    if (!more) await lockJob(transaction, jobId)
    assertHeld(
      await updateHeld(transaction, task)
        .set((eb) => ({
          pages,
          cursor: JSON.stringify(nextCursor),
          requests_found: eb('requests_found', '+', stored.found),
          requests_created: eb('requests_created', '+', stored.created),
          maybe_created: eb('maybe_created', '+', stored.maybeCreated),
          discarded: withAdded(discarded),
          tries: 0,
          takeovers: 0,
          page_due_since: now,
          error_code: null,
          error_message: null,
        }))
        .executeTakeFirst(),
    )
    if (!more) await endTask(transaction, queue, task, doneWith(nextCursor), now)
    await recount(transaction, stored.wishes)
    return more ? { ...task, pages, cursor: nextCursor, tries: 0, takeovers: 0, pageDueSince: now } : null
  })
}

/** Whether another open task of the job has not failed to reach its platform. */
export async function othersProgress(database: Database, jobId: string, taskId: string): Promise<boolean> {
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

/** Requeues a task until its platform may be called, with the reason. @throws TaskLostError */
export function deferTask(
  database: Database,
  queue: TaskQueue,
  task: ClaimedTask,
  { until, tries, reason }: { until: Date; tries: number; reason?: { code: PlatformErrorCode; message: string } },
): Promise<void> {
  return database.transaction().execute(async (transaction) => {
    const queueMessageId = await queue.enqueue(transaction, task.taskId, {
      isLive: task.queueMessage.isLive,
      startAfter: until,
    })
    assertHeld(
      await updateHeld(transaction, task)
        .set({
          waiting_until: until,
          tries,
          queue_message_id: queueMessageId,
          ...(reason ? { error_code: reason.code, error_message: reason.message } : {}),
        })
        .executeTakeFirst(),
    )
    await queue.complete(transaction, task.queueMessage)
  })
}

/** Only when the embedded database starts, so no worker can be alive. @returns the number of tasks */
export async function recoverTasks(database: Database, queue: TaskQueue): Promise<number> {
  await queue.clear()
  return database.transaction().execute((transaction) => queueOpenTasks(transaction, queue))
}

/** Queues the open tasks of started jobs, in a queue without any. @returns the number of tasks */
export async function queueOpenTasks(transaction: Transaction, queue: TaskQueue): Promise<number> {
  const open = await transaction
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .select(['scrape_tasks.id', 'waiting_until', 'account_id'])
    .where('state', 'in', ['pending', 'running'])
    .where('begun_at', 'is not', null)
    .execute()
  for (const task of open) {
    const queueMessageId = await queue.enqueue(transaction, task.id, {
      isLive: task.account_id === null,
      startAfter: task.waiting_until,
    })
    await transaction
      .updateTable('scrape_tasks')
      .set({ queue_message_id: queueMessageId })
      .where('id', '=', task.id)
      .execute()
  }
  return open.length
}
