import { sql } from 'kysely'
import type { PlatformName } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/open.ts'
import type { Json } from '../platforms/platform.ts'
import { countPages } from './collected-topics.ts'
import type { QueueMessage } from './queue.ts'

/** A task in the hands of one worker, with the number that its writes must carry. */
export interface ClaimedTask {
  taskId: string
  jobId: string
  topic: string
  platform: PlatformName
  depth: number
  fencingToken: number
  cursor: Json
  pages: number
  tries: number
  takeovers: number
  pageDueSince: Date
  /** When its job ends at the latest. */
  expiresAt: Date
  /** Pages of this topic that the platform had delivered to other jobs when the task was taken. */
  pagesBefore: number
  queueMessage: QueueMessage
  /** When its host was first found busy in the hands of this worker; null when it was not. */
  busySince: Date | null
}

/**
 * Takes a task for a worker that was handed an entry of the queue. The entry is a free place, not a task: the place goes to the
 * account with the fewest tasks in work, and the two tasks exchange their entries. Only a task that was in work already, in
 * the hands of a worker who must have died, is taken with its own entry; and a live one, whose places nobody else wants.
 * @returns null when the entry was replaced by a later one, or its task has ended.
 */
export async function claimTask(
  database: Database,
  queueMessage: QueueMessage,
  now: Date,
): Promise<ClaimedTask | null> {
  const row = await database.transaction().execute(async (transaction) => {
    const own = await lockEntry(transaction, queueMessage.id)
    if (!own) return null
    const isTakenOver = own.state === 'running' && own.waiting_until === null
    if (own.account_id === null || isTakenOver) return take(transaction, own.id, queueMessage.id, now)
    const next = await findNext(transaction, own.id, now)
    if (next && next.id !== own.id) {
      await transaction
        .updateTable('scrape_tasks')
        .set({ queue_job_id: next.queue_job_id })
        .where('id', '=', own.id)
        .execute()
    }
    await recordAccountTurn(transaction, next?.account_id ?? own.account_id)
    return take(transaction, next?.id ?? own.id, queueMessage.id, now)
  })
  if (!row) return null
  const pagesBefore = await countPages(database, row.platform, row.topic)
  return {
    ...row,
    queueMessage,
    cursor: row.cursor as Json,
    pageDueSince: row.pageDueSince ?? now,
    pagesBefore,
    busySince: null,
  }
}

/**
 * The open task that an entry of the queue was made for or exchanged to, locked. Another worker may be exchanging the entry at
 * this moment: the lock is then had of a task that it belongs to no more, and whose it is now must be read anew.
 */
async function lockEntry(transaction: Transaction, queueMessageId: string) {
  const found = transaction
    .selectFrom('scrape_tasks')
    .innerJoin('scrape_jobs', 'scrape_jobs.id', 'scrape_tasks.job_id')
    .select(['scrape_tasks.id', 'state', 'waiting_until', 'account_id'])
    .where('queue_job_id', '=', queueMessageId)
    .where('state', 'in', ['pending', 'running'])
  for (;;) {
    const locked = await found.forNoKeyUpdate('scrape_tasks').executeTakeFirst()
    // Each further round means that another worker got on.
    if (locked || !(await found.executeTakeFirst())) return locked
  }
}

/** So many tasks that other workers are just taking are passed over; beyond, a place serves its own entry. */
const candidates = 50

/**
 * The task whose turn it is, locked: of the account with the fewest in work, and of several of the one that was given a place
 * longest ago. A task that another worker is just taking is passed over. Only queued tasks are read, so the work is bounded by the
 * jobs that may run at a time, however many wait in line or have ended.
 * @returns undefined when all that come before the own task are being taken.
 */
async function findNext(transaction: Transaction, ownId: string, now: Date) {
  const { rows } = await sql<{ id: string; queue_job_id: string; account_id: string }>`
    with queued as materialized (
      select id, job_id, position, state = 'running' and waiting_until is null as is_in_work,
        id = ${ownId}::uuid or state = 'pending' or waiting_until <= ${now}::timestamptz as is_due
      from scrape_tasks where state in ('pending', 'running') and queue_job_id is not null
    ), jobs as materialized (
      select id, account_id, created_at from scrape_jobs
      where id = any(array(select job_id from queued)) and account_id is not null
    ), in_work as (
      select account_id, count(*) as tasks from queued join jobs on jobs.id = job_id where is_in_work group by account_id
    ), ranked as (
      select queued.id, account_id,
        row_number() over (order by coalesce(tasks, 0), coalesce(turn, 0), created_at, job_id, position) as place
      from queued join jobs on jobs.id = job_id
      left join in_work using (account_id) left join scrape_turns using (account_id)
      where is_due
      order by place limit ${candidates}
    )
    select task.id, task.queue_job_id, ranked.account_id
    from ranked join scrape_tasks as task on task.id = ranked.id
    where task.state = 'pending' or task.waiting_until <= ${now}::timestamptz or task.id = ${ownId}::uuid
    order by place limit 1
    for no key update of task skip locked`.execute(transaction)
  return rows[0]
}

async function recordAccountTurn(transaction: Transaction, accountId: string): Promise<void> {
  await sql`
    insert into scrape_turns (account_id, turn) values (${accountId}::uuid, nextval('scrape_turn'))
    on conflict (account_id) do update set turn = excluded.turn`.execute(transaction)
}

const take = (transaction: Transaction, taskId: string, queueMessageId: string, now: Date) =>
  transaction
    .updateTable('scrape_tasks')
    .from('scrape_jobs')
    .whereRef('scrape_jobs.id', '=', 'scrape_tasks.job_id')
    .where('scrape_tasks.id', '=', taskId)
    .set((eb) => ({
      state: 'running',
      queue_job_id: queueMessageId,
      claim: eb('scrape_tasks.claim', '+', 1),
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
      'platform',
      'claim as fencingToken',
      'cursor',
      'pages',
      'tries',
      'takeovers',
      'page_due_since as pageDueSince',
    ])
    .executeTakeFirstOrThrow()
