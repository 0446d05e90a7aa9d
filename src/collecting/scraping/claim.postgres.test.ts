import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createAccount } from '../../accounts/accounts.ts'
import { defaultPricing } from '../../accounts/plans.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'
import { claimTask } from './claim.ts'
import { cancelJob, lockJob } from './job-end.ts'
import { startJob } from './jobs.ts'
import type { QueueMessage, TaskQueue } from './queue.ts'
import { deferTask, finishTask } from './tasks.ts'
import { startUnownedJobs } from './unowned-jobs.ts'

// Holds (Jobs): one account's many tasks do not delay another's first

const now = new Date('2026-11-21T12:00:00Z')
const expiresAt = new Date('2026-11-21T18:00:00Z')
const later = (seconds: number) => new Date(now.getTime() + seconds * 1000)

/** A queue that delivers nothing by itself: the tests choose the message that a worker receives. */
const queue = {
  runningJobs: { free: 1, pro: 2, max: 100 },
  enqueue: async () => crypto.randomUUID(),
  complete: async () => {},
} as unknown as TaskQueue

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterEach(() => opened.reset())
afterAll(() => opened.close())

const inTransaction = <T>(run: (transaction: Transaction) => Promise<T>) => opened.database.transaction().execute(run)
const makeAccount = (tier: 'pro' | 'max' = 'max') => createAccount(opened.database, { name: 'a', tier, now })
/** Starts a job. @returns its id and the queue messages of its tasks. */
async function start(accountId: string, platforms: PlatformName[] = ['github'], startedAt = now) {
  const job = { accountId, topic: 'dark mode', platforms, depth: 2, pricing: defaultPricing, now: startedAt, expiresAt }
  const jobId = await inTransaction((transaction) => startJob(transaction, queue, job))
  const tasks = await opened.database
    .selectFrom('scrape_tasks')
    .select(['id', 'queue_message_id'])
    .where('job_id', '=', jobId)
    .orderBy('position')
    .execute()
  return { jobId, messages: tasks.map((task) => task.queue_message_id) }
}
const messageOf = (id: string | null | undefined, isLive = false): QueueMessage => ({
  id: id ?? '',
  retryCount: 0,
  isLive,
})
const claim = (id: string | null | undefined, at = now) => claimTask(opened.database, messageOf(id), at)
/** Polls within the transaction, because one that idles for ten seconds is ended. */
const isWaitingForLock = (transaction: Transaction) =>
  expect
    .poll(
      async () => {
        await sql`select pg_stat_clear_snapshot()`.execute(transaction)
        const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
        return (await waiting.execute(transaction)).rows.length
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0)

describe('a queue message', () => {
  it('that was replaced by a later one claims nothing', async () => {
    const { messages } = await start(await makeAccount())
    const task = await claim(messages[0])
    expect(task?.fencingToken).toBe(1)
    await deferTask(opened.database, queue, task!, { until: later(60), tries: 0 })
    expect(await claim(messages[0], later(61))).toBeNull()
    expect(await claim(crypto.randomUUID(), later(61))).toBeNull()
  })

  it('is a slot for the account with the fewest running tasks, and the two tasks exchange their messages', async () => {
    const big = await start(await makeAccount(), ['github', 'hackernews', 'stackexchange'])
    expect((await claim(big.messages[0]))?.platform).toBe('github')
    const small = await start(await makeAccount(), ['lemmy'], later(1))
    expect((await claim(big.messages[1]))?.jobId).toBe(small.jobId)
    // The message of the small account's task belongs to a task of the big account now.
    expect((await claim(small.messages[0]))?.platform).toBe('hackernews')
    expect((await claim(big.messages[2]))?.platform).toBe('stackexchange')
    const states = await opened.database.selectFrom('scrape_tasks').select('queue_message_id').distinct().execute()
    expect(states).toHaveLength(4)
  })

  it('counts the tasks that run now, not the slots that an account had', async () => {
    const idle = await start(await makeAccount(), ['github', 'hackernews'], later(1))
    const busy = await start(await makeAccount(), ['github', 'hackernews'])
    await claim(busy.messages[0])
    const done = await claim(idle.messages[0])
    await finishTask(opened.database, queue, done!, { state: 'done' }, now)
    expect((await claim(busy.messages[1]))?.jobId).toBe(idle.jobId)
  })

  it('is given round-robin to accounts with equally many running tasks', async () => {
    const [first, second] = [await makeAccount(), await makeAccount()]
    const one = await start(first, ['github', 'hackernews', 'lemmy'])
    const two = await start(second, ['github', 'hackernews', 'lemmy'], later(1))
    const owners = []
    for (const id of [...one.messages, ...two.messages]) {
      const task = await claim(id)
      owners.push(task?.jobId === one.jobId ? 'first' : 'second')
      await finishTask(opened.database, queue, task!, { state: 'done' }, now)
    }
    expect(owners).toEqual(['first', 'second', 'first', 'second', 'first', 'second'])
  })

  it('of a worker that died claims the task of that worker', async () => {
    const big = await start(await makeAccount(), ['github', 'hackernews'])
    const held = await claim(big.messages[0])
    await start(await makeAccount(), ['lemmy'])
    expect(await claim(big.messages[0])).toMatchObject({ taskId: held?.taskId, fencingToken: 2, takeovers: 1 })
  })

  it('skips a task that must wait for its platform until the wait is over', async () => {
    const waiting = await start(await makeAccount())
    const task = await claim(waiting.messages[0])
    await deferTask(opened.database, queue, task!, { until: later(60), tries: 0 })
    const other = await start(await makeAccount(), ['github', 'hackernews'])
    expect((await claim(other.messages[0], later(59)))?.jobId).toBe(other.jobId)
    expect((await claim(other.messages[1], later(60)))?.jobId).toBe(waiting.jobId)
  })

  it('of an unowned job claims its own task, however many accounts wait', async () => {
    await start(await makeAccount(), ['github', 'hackernews'])
    const task = { id: crypto.randomUUID(), platform: 'lemmy' }
    const live = {
      id: crypto.randomUUID(),
      topic: 'dark mode',
      topicKey: 'dark mode',
      fromExpansion: true,
      tasks: [task],
    }
    let queued = ''
    const liveQueue = {
      enqueueLive: async (_transaction: Transaction, [first]: readonly { queueMessageId: string }[]) => {
        queued = first?.queueMessageId ?? ''
      },
    }
    await inTransaction((transaction) => startUnownedJobs(transaction, liveQueue, [live], { now, expiresAt }))
    const claimed = await claimTask(opened.database, messageOf(queued, true), now)
    expect(claimed?.jobId).toBe(live.id)
    await finishTask(opened.database, queue, claimed!, { state: 'done' }, now)
    const job = await opened.database
      .selectFrom('scrape_jobs')
      .select('ended_at')
      .where('id', '=', live.id)
      .executeTakeFirst()
    expect(job).toEqual({ ended_at: now })
  })

  it.runIf(process.env.TEST_BACKEND === 'postgres')('that is exchanged during its delivery is not lost', async () => {
    const big = await start(await makeAccount(), ['github', 'hackernews'])
    const [own, other] = big.messages
    let delivered: ReturnType<typeof claim> | undefined
    await inTransaction(async (transaction) => {
      await sql`select 1 from scrape_tasks for no key update`.execute(transaction)
      delivered = claim(own)
      await isWaitingForLock(transaction)
      // Another worker exchanges the message meanwhile.
      const exchange = sql`update scrape_tasks
        set queue_message_id = case queue_message_id when ${own}::uuid then ${other}::uuid else ${own}::uuid end`
      await exchange.execute(transaction)
    })
    expect(await delivered).toMatchObject({ jobId: big.jobId })
    expect(await claim(other)).toMatchObject({ jobId: big.jobId })
  })
})

describe.runIf(process.env.TEST_BACKEND === 'postgres')('the end of a job', () => {
  it('locks the job before its tasks, so that two ends never wait for each other', async () => {
    const { jobId, messages } = await start(await makeAccount(), ['github', 'hackernews'])
    const task = await claim(messages[0])
    let cancelled: Promise<void> | undefined
    await inTransaction(async (transaction) => {
      await lockJob(transaction, jobId)
      cancelled = inTransaction((other) => cancelJob(other, queue, jobId, now))
      await isWaitingForLock(transaction)
      // The end that has locked the job can lock its tasks: no transaction holds a task and waits for the job.
      const free = sql`select 1 from scrape_tasks where id = ${task!.taskId} for update nowait`
      expect((await free.execute(transaction)).rows).toHaveLength(1)
    })
    await cancelled
  })

  it('begins the next queued job once, however many jobs end at the same time', async () => {
    const account = await makeAccount('pro')
    const jobs: Awaited<ReturnType<typeof start>>[] = []
    for (let job = 0; job < 6; job++) jobs.push(await start(account, ['github'], later(job)))
    const running = await Promise.all([claim(jobs[0]?.messages[0]), claim(jobs[1]?.messages[0])])
    await Promise.all([
      ...running.map((task) => finishTask(opened.database, queue, task!, { state: 'done' }, now)),
      inTransaction((transaction) => cancelJob(transaction, queue, jobs[2]!.jobId, now)),
    ])
    const begun = await opened.database
      .selectFrom('scrape_jobs')
      .select('id')
      .where('begun_at', 'is not', null)
      .where('ended_at', 'is', null)
      .execute()
    expect(begun).toHaveLength(2)
  })
})
