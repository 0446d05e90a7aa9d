import { sql } from 'kysely'
import { fromKysely, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Tier } from '../../database/column-types.ts'
import { isDatabaseUnavailable } from '../../database/errors.ts'
import type { OpenDatabase, Transaction } from '../../database/open.ts'

/** Separate queues: callers wait for live tasks, which must not queue behind jobs. */
const queueNames = { jobs: 'scrape-task', live: 'live-task' } as const

/** Concurrent tasks per process, not counting those that wait for their platform. */
const slots = { jobs: 10, live: 40 } as const

/** The database must agree that a deferred task is due. */
const pollMarginMs = 10

const queueSettings = {
  notify: true,
  heartbeatSeconds: 10,
  // The task decides when to give up; the queue must not drop it earlier.
  retryLimit: 10_000,
  retentionSeconds: 10 * 365 * 24 * 3600,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 15,
  expireInSeconds: 2 * 3600,
  deleteAfterSeconds: 3600,
}

/** One delivery of a queue message. Deliveries are distinct, so an old one cannot complete a new one. */
export interface QueueMessage {
  id: string
  retryCount: number
  /** Whether its task is of an unowned job. */
  isLive: boolean
}

export type RunningJobs = Record<Tier, number>

export interface TaskQueue {
  /** How many jobs of an account run at a time (job-admission.ts). */
  readonly runningJobs: RunningJobs
  /** Creates or updates the queue's tables and starts supervision. */
  start(): Promise<void>
  /** Queues a task, visible after the commit. @returns the queue message's id */
  enqueue(transaction: Transaction, taskId: string, options: EnqueueOptions): Promise<string>
  /** Queues tasks of unowned jobs in one statement, under the caller's ids. */
  enqueueLive(transaction: Transaction, tasks: readonly { taskId: string; queueMessageId: string }[]): Promise<void>
  /** Makes waiting queue messages due now. */
  startNow(transaction: Transaction, messageIds: readonly string[]): Promise<void>
  /** Polls again after `waitMs`; otherwise a deferred task waits for the next regular poll. */
  pollAgainIn(waitMs: number): void
  /** Removes a queue message, in the transaction that makes it obsolete. */
  complete(transaction: Transaction, message: QueueMessage): Promise<void>
  /** Removes all queue messages; only while no worker can be alive. */
  clear(): Promise<void>
  /** Delivers due queue messages to `run`. If it throws, the message is redelivered a little later. */
  work(run: (message: QueueMessage) => Promise<void>): Promise<void>
  stop(): Promise<void>
}

interface EnqueueOptions {
  isLive: boolean
  startAfter?: Date | null
}

const nameOf = ({ isLive }: { isLive: boolean }) => (isLive ? queueNames.live : queueNames.jobs)

/** Logs such an error once a minute: without the database, every poll of every worker fails. */
const repeatedErrorMs = 60_000

function createErrorLog(log: Pick<Logger, 'error'>): (error: Error) => void {
  let silentUntil = Number.NEGATIVE_INFINITY
  return (error) => {
    const now = performance.now()
    if (isDatabaseUnavailable(error)) {
      if (now < silentUntil) return
      silentUntil = now + repeatedErrorMs
    }
    log.error({ err: error }, 'queue error')
  }
}

/** The task queue, in pg-boss in the same database: jobs and their messages share transactions. */
export function createTaskQueue(
  { backend, queueOptions }: OpenDatabase,
  log: Logger,
  runningJobs: RunningJobs,
): TaskQueue {
  const boss = new PgBoss({
    ...queueOptions,
    schedule: false,
    useListenNotify: true,
    // How soon a dead worker is noticed. Embedded, no other process can die.
    ...(backend === 'postgres' ? { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 } : {}),
  })
  boss.on('error', createErrorLog(log))
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'queue warning'))
  const workers = new Set<string>()
  const polls = createDelayedCalls(() => {
    for (const worker of workers) boss.notifyWorker(worker)
  })
  return {
    runningJobs,
    start: () => start(boss),
    enqueue: (transaction, taskId, options) => enqueue(boss, transaction, taskId, options),
    enqueueLive: async (transaction, tasks) => {
      const jobs = tasks.map(({ taskId, queueMessageId }) => ({ id: queueMessageId, data: { taskId } }))
      const ids = await boss.insert(queueNames.live, jobs, { db: fromKysely(transaction), returnId: true })
      if (ids?.length !== jobs.length) throw new Error('live tasks could not be queued')
    },
    // pg-boss has no call for this.
    startNow: async (transaction, messageIds) => {
      await sql`update pgboss.job set start_after = now() where id = any(${[...messageIds]}::uuid[]) and start_after > now()`.execute(
        transaction,
      )
      polls.callIn(pollMarginMs)
    },
    pollAgainIn: (waitMs) => polls.callIn(waitMs + pollMarginMs),
    complete: async (transaction, message) => {
      await boss.complete(nameOf(message), message, null, { db: fromKysely(transaction) })
    },
    clear: async () => {
      for (const name of Object.values(queueNames)) await boss.deleteAllJobs(name)
    },
    work: (run) => startWorkers(boss, workers, run),
    stop: () => {
      polls.stop()
      return boss.stop({ graceful: true, timeout: 20_000, close: true })
    },
  }
}

async function start(boss: PgBoss): Promise<void> {
  await boss.start()
  for (const name of Object.values(queueNames)) {
    await boss.createQueue(name, queueSettings)
    await boss.updateQueue(name, queueSettings)
    // Fills pg-boss' queue cache, as `getQueue` does not: a lookup in our transaction would wait for itself forever.
    await boss.findJobs(name, { id: '00000000-0000-0000-0000-000000000000' })
  }
}

async function enqueue(boss: PgBoss, transaction: Transaction, taskId: string, options: EnqueueOptions) {
  const { isLive, startAfter } = options
  const id = await boss.send(
    nameOf({ isLive }),
    { taskId },
    { db: fromKysely(transaction), ...(startAfter ? { startAfter } : {}) },
  )
  if (id === null) throw new Error(`task ${taskId} could not be queued`)
  return id
}

/** Adds a worker per slot to `workers`. */
async function startWorkers(boss: PgBoss, workers: Set<string>, run: Parameters<TaskQueue['work']>[0]): Promise<void> {
  const options = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 }
  // Not `localConcurrency`: only the first of its workers can be notified, and it may be busy.
  for (const isLive of [false, true]) {
    for (let count = 0; count < (isLive ? slots.live : slots.jobs); count++) {
      const worker = await boss.work(nameOf({ isLive }), options, async ([job]) => {
        if (!job) return
        // A freed slot polls at once, not at the next regular poll.
        await run({ id: job.id, retryCount: job.retryCount, isLive }).finally(() => boss.notifyWorker(worker))
      })
      workers.add(worker)
    }
  }
}

/** Timers for one function, which do not keep the process alive. */
function createDelayedCalls(call: () => void) {
  const timers = new Set<NodeJS.Timeout>()
  return {
    callIn: (ms: number) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        call()
      }, ms)
      timers.add(timer.unref())
    },
    stop: () => {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}
