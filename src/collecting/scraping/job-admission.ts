import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database, Transaction } from '../../database/open.ts'
import { passOverFailures } from '../../runtime/maintenance.ts'
import type { TaskQueue } from './queue.ts'

// Each account runs as many jobs as its plan allows; the others start later, in order.

async function queueTasks(transaction: Transaction, queue: TaskQueue, jobId: string): Promise<void> {
  const tasks = await transaction
    .selectFrom('scrape_tasks')
    .select('id')
    .where('job_id', '=', jobId)
    .where('state', '=', 'pending')
    .orderBy('position')
    .execute()
  for (const { id } of tasks) {
    const queueMessageId = await queue.enqueue(transaction, id, { isLive: false })
    await transaction
      .updateTable('scrape_tasks')
      .set({ queue_message_id: queueMessageId })
      .where('id', '=', id)
      .execute()
  }
}

/**
 * Starts an account's queued jobs, oldest first, as far as its plan allows. The lock of its balance serializes job
 * starts and ends. It is the last lock, so locked jobs are skipped: their holder ends them and starts the next.
 * @returns how many started
 */
export async function beginJobs(
  transaction: Transaction,
  queue: TaskQueue,
  accountId: string,
  now: Date,
): Promise<number> {
  const { tier } = await transaction
    .selectFrom('accounts')
    .innerJoin('credit_balances', 'credit_balances.account_id', 'accounts.id')
    .select('tier')
    .where('accounts.id', '=', accountId)
    .forNoKeyUpdate('credit_balances')
    .executeTakeFirstOrThrow()
  const limit = queue.runningJobs[tier]
  const { rows } = await sql<{ id: string }>`
    with next as materialized (
      select id from scrape_jobs
      where account_id = ${accountId}::uuid and ended_at is null and begun_at is null
      order by created_at, id
      limit greatest(0, ${limit}::integer - (
        select count(*) from scrape_jobs
        where account_id = ${accountId}::uuid and ended_at is null and begun_at is not null))
      for no key update skip locked
    )
    update scrape_jobs set begun_at = ${now}::timestamptz from next where scrape_jobs.id = next.id
    returning scrape_jobs.id`.execute(transaction)
  for (const { id } of rows) await queueTasks(transaction, queue, id)
  return rows.length
}

const accountsPerSlice = 20

/** Starts jobs missed after a raised limit or plan, or a rolled back job end. @returns whether more may remain */
export async function beginForgottenJobs(
  database: Database,
  log: Logger,
  queue: TaskQueue,
  now: Date,
): Promise<boolean> {
  const { free, pro, max } = queue.runningJobs
  const { rows } = await sql<{ id: string }>`
    select accounts.id from scrape_jobs join accounts on accounts.id = scrape_jobs.account_id
    where scrape_jobs.ended_at is null
    group by accounts.id
    having count(*) > count(begun_at)
      and count(begun_at) < case accounts.tier when 'free' then ${free}::integer when 'pro' then ${pro}::integer else ${max}::integer end
    limit ${accountsPerSlice}`.execute(database)
  let begun = 0
  await passOverFailures(rows, log, async ({ id }) => {
    begun += await database.transaction().execute((transaction) => beginJobs(transaction, queue, id, now))
  })
  return begun > 0 && rows.length === accountsPerSlice
}
