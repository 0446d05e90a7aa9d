import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database, Transaction } from '../../database/open.ts'
import type { Json } from '../../platforms/platform.ts'
import { countPages, countPagesOfSources, countPagesOfWatch } from './collected-topics.ts'
import type { QueueMessage } from './queue.ts'

export interface ClaimedTask {
  taskId: string
  jobId: string
  topic: string
  platform: PlatformName
  depth: number
  /** The account's; null: the operator's. */
  sources: string[] | null
  /** Required for each of the worker's writes; a later claim invalidates it. */
  fencingToken: number
  cursor: Json
  pages: number
  tries: number
  takeovers: number
  pageDueSince: Date
  /** End of its job at the latest. */
  expiresAt: Date
  /** The job collects newest first from this time on; null: by relevance. */
  newestSince: Date | null
  /** Pages of this topic delivered before, to all jobs, to the account's with the same sources, or to the watch. */
  pagesBefore: number
  queueMessage: QueueMessage
  busySince: Date | null
}

/**
 * A queue message is a free slot, not a task: it goes to the account with the fewest running tasks, and the tasks swap
 * messages. Running tasks (their worker died) and live tasks (own queue) keep their message.
 * @returns null if the message was replaced or its task has ended
 */
export async function claimTask(
  database: Database,
  queueMessage: QueueMessage,
  now: Date,
): Promise<ClaimedTask | null> {
  const row = await database.transaction().execute(async (transaction) => {
    const own = await lockTaskOf(transaction, queueMessage.id)
    if (!own) return null
    const isTakenOver = own.state === 'running' && own.waiting_until === null
    if (own.account_id === null || isTakenOver) return claim(transaction, own.id, queueMessage.id, now)
    const next = await findNext(transaction, own.id, now)
    if (next && next.id !== own.id) {
      await transaction
        .updateTable('scrape_tasks')
        .set({ queue_message_id: next.queue_message_id })
        .where('id', '=', own.id)
        .execute()
    }
    await recordSlotGiven(transaction, next?.account_id ?? own.account_id)
    return claim(transaction, next?.id ?? own.id, queueMessage.id, now)
  })
  if (!row) return null
  return {
    ...row,
    queueMessage,
    cursor: row.cursor as Json,
    pageDueSince: row.pageDueSince ?? now,
    pagesBefore: await countPagesBefore(database, row),
    busySince: null,
  }
}

/** Newest first, a job starts where its watch's last one stopped: the watch does not know what others collected. */
function countPagesBefore(
  database: Database,
  task: Pick<ClaimedTask, 'jobId' | 'platform' | 'topic' | 'sources' | 'newestSince'>,
): Promise<number> {
  const { platform, topic, sources } = task
  if (task.newestSince !== null) return countPagesOfWatch(database, task)
  return sources === null ? countPages(database, platform, topic) : countPagesOfSources(database, { ...task, sources })
}

/** If another worker swaps the message now, the locked task no longer has it: read the current one again. */
async function lockTaskOf(transaction: Transaction, queueMessageId: string) {
  const found = transaction
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .select(['scrape_tasks.id', 'state', 'waiting_until', 'account_id'])
    .where('queue_message_id', '=', queueMessageId)
    .where('state', 'in', ['pending', 'running'])
  for (;;) {
    const locked = await found.forNoKeyUpdate('scrape_tasks').executeTakeFirst()
    // Each further round means another worker claimed a task, so the loop ends.
    if (locked || !(await found.executeTakeFirst())) return locked
  }
}

/** Maximum tasks being claimed by others to skip; beyond it, a message serves its own task. */
const maxCandidates = 50

/**
 * Locks the next task: fewest running tasks of its account, then longest without a slot. Reads only tasks with
 * messages, so the work is bounded.
 * @returns undefined if all candidates are being claimed
 */
async function findNext(transaction: Transaction, ownId: string, now: Date) {
  const { rows } = await sql<{ id: string; queue_message_id: string; account_id: string }>`
    with queued as materialized (
      select id, job_id, position, state = 'running' and waiting_until is null as is_running,
        id = ${ownId}::uuid or state = 'pending' or waiting_until <= ${now}::timestamptz as is_due
      from scrape_tasks where state in ('pending', 'running') and queue_message_id is not null
    ), jobs as materialized (
      select id, account_id, created_at from scrape_jobs
      where id = any(array(select job_id from queued)) and account_id is not null
    ), running as (
      select account_id, count(*) as tasks from queued join jobs on jobs.id = job_id where is_running group by account_id
    ), ranked as (
      select queued.id, account_id,
        row_number() over (order by coalesce(tasks, 0), coalesce(last_served, 0), created_at, job_id, position) as rank
      from queued join jobs on jobs.id = job_id
      left join running using (account_id) left join account_schedule using (account_id)
      where is_due
      order by rank limit ${maxCandidates}
    )
    select task.id, task.queue_message_id, ranked.account_id
    from ranked join scrape_tasks as task on task.id = ranked.id
    where task.state = 'pending' or task.waiting_until <= ${now}::timestamptz or task.id = ${ownId}::uuid
    order by rank limit 1
    for no key update of task skip locked`.execute(transaction)
  return rows[0]
}

/** Moves an account to the end of the round-robin. */
async function recordSlotGiven(transaction: Transaction, accountId: string): Promise<void> {
  await sql`
    insert into account_schedule (account_id, last_served) values (${accountId}::uuid, nextval('account_schedule_last_served_seq'))
    on conflict (account_id) do update set last_served = excluded.last_served`.execute(transaction)
}

const claim = (transaction: Transaction, taskId: string, queueMessageId: string, now: Date) =>
  transaction
    .updateTable('scrape_tasks')
    .from('scrape_jobs')
    .whereRef('scrape_jobs.id', '=', 'scrape_tasks.job_id')
    .where('scrape_tasks.id', '=', taskId)
    .set((eb) => ({
      state: 'running',
      queue_message_id: queueMessageId,
      fencing_token: eb('scrape_tasks.fencing_token', '+', 1),
      takeovers: sql<number>`takeovers + (state = 'running' and waiting_until is null)::integer`,
      waiting_until: null,
      started_at: eb.fn.coalesce('scrape_tasks.started_at', eb.val(now)),
      page_due_since: eb.fn.coalesce('scrape_tasks.page_due_since', eb.val(now)),
    }))
    .returning([
      'scrape_tasks.id as taskId',
      'scrape_tasks.job_id as jobId',
      'scrape_jobs.topic',
      'scrape_jobs.depth',
      'scrape_jobs.expires_at as expiresAt',
      'scrape_jobs.newest_since as newestSince',
      'platform',
      'scrape_tasks.sources',
      'fencing_token as fencingToken',
      'cursor',
      'pages',
      'tries',
      'takeovers',
      'page_due_since as pageDueSince',
    ])
    .executeTakeFirstOrThrow()
