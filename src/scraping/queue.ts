import { fromKysely, PgBoss } from 'pg-boss'
import type { Logger } from 'pino'
import type { Tier } from '../database/column-types.ts'
import type { OpenDatabase, Transaction } from '../database/open.ts'

/** Tasks of accounts, and tasks of nobody: who waits for an answer now must not stand in the line of jobs. */
const queueNames = { jobs: 'scrape-task', live: 'live-task' } as const

/** Tasks that run at once in one process; a task that waits for its platform does not count. */
const places = { jobs: 10, live: 40 } as const

/** The database must agree that the moment of a deferred task has come. */
const pollMarginMs = 10

/** One handing-over of a task to a worker; the queue tells attempts apart, so that an old one cannot end a new one. */
export interface QueueMessage {
  id: string
  retryCount: number
  /** Whether it is for tasks of nobody. */
  isLive: boolean
}

/** How many jobs of an account run at a time, by its plan. */
export type RunningJobs = Record<Tier, number>

export interface TaskQueue {
  /** How many jobs of an account are queued at a time; the others wait in its line (line.ts). */
  readonly runningJobs: RunningJobs
  /** Creates or updates the queue's own tables and begins to supervise. */
  start(): Promise<void>
  /** Queues a task, visible when the transaction commits. @returns the id of the queue job. */
  enqueue(transaction: Transaction, taskId: string, options: EnqueueOptions): Promise<string>
  /** Queues tasks of nobody, in one statement, under ids of the caller's making. */
  enqueueLive(transaction: Transaction, tasks: readonly { taskId: string; queueMessageId: string }[]): Promise<void>
  /** Polls for work again when some will be due; without it, what was queued for later is found at the next regular look. */
  pollAgainIn(waitMs: number): void
  /** Takes a queue job off, inside the transaction that makes it pointless. */
  complete(transaction: Transaction, queueMessage: QueueMessage): Promise<void>
  /** Forgets everything that is queued; only while no worker can be alive. */
  clear(): Promise<void>
  /** Hands entries to `run` as they come. When `run` throws, the entry is handed over again a little later. */
  work(run: (queueMessage: QueueMessage) => Promise<void>): Promise<void>
  /** Stops handing over and waits for what runs. */
  stop(): Promise<void>
}

interface EnqueueOptions {
  isLive: boolean
  startAfter?: Date | null
}

const nameOf = ({ isLive }: { isLive: boolean }) => (isLive ? queueNames.live : queueNames.jobs)

/** The queue of tasks, kept by pg-boss in the same database, so that a job and its queue entries are one transaction. */
export function createTaskQueue(
  { backend, queueOptions }: OpenDatabase,
  log: Logger,
  runningJobs: RunningJobs,
): TaskQueue {
  const boss = new PgBoss({
    ...queueOptions,
    schedule: false,
    useListenNotify: true,
    // How soon a dead worker is noticed. Embedded, there is no other process that could die.
    ...(backend === 'postgres' ? { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10 } : {}),
  })
  const workers = new Set<string>()
  const alarms = new Set<NodeJS.Timeout>()
  boss.on('error', (error) => log.error({ err: error }, 'queue error'))
  boss.on('warning', (warning) => log.warn({ warning: warning.message }, 'queue warning'))

  return {
    runningJobs,
    start: async () => {
      await boss.start()
      const settings = {
        notify: true,
        heartbeatSeconds: 10,
        // The task itself decides when to give up; the queue only must not forget it before that.
        retryLimit: 10_000,
        retentionSeconds: 10 * 365 * 24 * 3600,
        retryDelay: 1,
        retryBackoff: true,
        retryDelayMax: 15,
        expireInSeconds: 2 * 3600,
        deleteAfterSeconds: 3600,
      }
      for (const name of Object.values(queueNames)) {
        await boss.createQueue(name, settings)
        await boss.updateQueue(name, settings)
        // Fills pg-boss' cache of queues, which `getQueue` does not: looking one up inside our transaction would wait for
        // that transaction for ever.
        await boss.findJobs(name, { id: '00000000-0000-0000-0000-000000000000' })
      }
    },
    enqueue: async (transaction, taskId, { isLive, startAfter }) => {
      const id = await boss.send(
        nameOf({ isLive }),
        { taskId },
        { db: fromKysely(transaction), ...(startAfter ? { startAfter } : {}) },
      )
      if (id === null) throw new Error(`task ${taskId} could not be queued`)
      return id
    },
    enqueueLive: async (transaction, tasks) => {
      const jobs = tasks.map(({ taskId, queueMessageId }) => ({ id: queueMessageId, data: { taskId } }))
      const ids = await boss.insert(queueNames.live, jobs, { db: fromKysely(transaction), returnId: true })
      if (ids?.length !== jobs.length) throw new Error('live tasks could not be queued')
    },
    pollAgainIn: (waitMs) => {
      const alarm = setTimeout(() => {
        alarms.delete(alarm)
        for (const worker of workers) boss.notifyWorker(worker)
      }, waitMs + pollMarginMs)
      alarms.add(alarm.unref())
    },
    complete: async (transaction, queueMessage) => {
      await boss.complete(nameOf(queueMessage), queueMessage, null, { db: fromKysely(transaction) })
    },
    clear: async () => {
      for (const name of Object.values(queueNames)) await boss.deleteAllJobs(name)
    },
    work: async (run) => {
      const options = { pollingIntervalSeconds: 1, notifyPollingIntervalSeconds: 5 }
      // Not `localConcurrency`: only the first of such workers could be told to look again, and it may be busy.
      for (const isLive of [false, true]) {
        for (let count = 0; count < (isLive ? places.live : places.jobs); count++) {
          const worker = await boss.work(nameOf({ isLive }), options, async ([job]) => {
            if (!job) return
            // A place that becomes free looks for its next task at once, not at the next regular look.
            await run({ id: job.id, retryCount: job.retryCount, isLive }).finally(() => boss.notifyWorker(worker))
          })
          workers.add(worker)
        }
      }
    },
    stop: () => {
      for (const alarm of alarms) clearTimeout(alarm)
      return boss.stop({ graceful: true, timeout: 20_000, close: true })
    },
  }
}
