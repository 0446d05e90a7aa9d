import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Clock } from '../clock.ts'
import type { Database } from '../database/open.ts'
import { type Page, PlannedWaitError, type Platform, PlatformError, type PlatformName } from '../platforms/platform.ts'
import { markSeenBefore, type Retention } from '../requests/retention.ts'
import { preparePage } from '../requests/store.ts'
import type { QueueJob, TaskQueue } from './queue.ts'
import {
  type ClaimedTask,
  checkpointPage,
  claimTask,
  deferTask,
  finishTask,
  type TaskEnd,
  TaskLostError,
} from './tasks.ts'

/** Waits up to this long are slept through; a longer one puts the task back in the queue. */
const shortWaitMs = 1_000
/** How often the same page may fail before its platform ends in error. */
const maxTries = 5
/** How long a task may go without delivering a page, waits included. */
const maxIdleMs = 30 * 60_000
/** How many workers may die over the same page: it may be the page that kills them. */
const maxTakeovers = 20
/** How long a page that is under way at shutdown may still take. */
const shutdownGraceMs = 5_000

export interface Worker {
  start(): Promise<void>
  /** Lets pages under way finish for a moment, and leaves every task ready for the next worker. */
  stop(): Promise<void>
}

export interface WorkerDependencies {
  database: Database
  queue: TaskQueue
  platforms: ReadonlyMap<PlatformName, Platform>
  retention: Retention
  clock: Clock
  log: Logger
}

/** Runs tasks: fetches page after page and stores each with its checkpoint, until the task has ended or must wait. */
export function createWorker({ database, queue, platforms, retention, clock, log }: WorkerDependencies): Worker {
  const fetching = new AbortController()
  let stopping = false

  const finish = (task: ClaimedTask, end: TaskEnd) => {
    const { jobId, platform, pages } = task
    log.info({ jobId, platform, pages, state: end.state, code: end.error?.code }, 'task ended')
    return finishTask(database, queue, task, end, clock.now())
  }

  /** Sleeps through a short wait and gives the task back; puts it in the queue for a long one and gives null. */
  async function waitFor(task: ClaimedTask, until: Date, tries: number): Promise<ClaimedTask | null> {
    const waitMs = until.getTime() - clock.now().getTime()
    if (waitMs > shortWaitMs || stopping) {
      await deferTask(database, queue, task, { until, tries })
      queue.lookAgainIn(Math.max(0, waitMs))
      return null
    }
    await sleep(Math.max(0, waitMs), undefined, { signal: fetching.signal }).catch(() => {})
    return { ...task, tries }
  }

  async function handleFailure(task: ClaimedTask, error: PlatformError): Promise<ClaimedTask | null> {
    const { code, message } = error
    if (stopping) {
      await deferTask(database, queue, task, { until: clock.now(), tries: task.tries })
      return null
    }
    const { retryAt } = error
    const tries = error instanceof PlannedWaitError ? task.tries : task.tries + 1
    const idleMs = retryAt === null ? 0 : retryAt.getTime() - task.pageDueSince.getTime()
    if (retryAt !== null && tries < maxTries && idleMs <= maxIdleMs) return waitFor(task, retryAt, tries)
    // A platform that could not be used at all was skipped; one that stopped on the way ended in error.
    const unusable = (code === 'quota_exhausted' || code === 'not_configured') && task.pages === 0
    await finish(task, { state: unusable ? 'skipped' : 'error', error: { code, message } })
    return null
  }

  /** One page of a task. @returns the task to go on with, or null when there is nothing more to do now. */
  async function runPage(task: ClaimedTask, platform: Platform): Promise<ClaimedTask | null> {
    let page: Page | null
    try {
      const { topic, cursor, pagesBefore } = task
      page = await platform.fetchPage({ topic, cursor, pagesBefore, signal: fetching.signal })
    } catch (error) {
      if (error instanceof PlatformError) return handleFailure(task, error)
      // A fault in an adapter ends its own platform, never the process or the other platforms.
      const { jobId, platform: name } = task
      log.error({ err: error, jobId, platform: name }, 'adapter fault')
      const message = 'The answer of the platform could not be read; this is a fault of Wishwell, please report it.'
      await finish(task, { state: 'error', error: { code: 'bad_response', message } })
      return null
    }
    if (page === null) {
      await finish(task, { state: 'done' })
      return null
    }
    const prepared = {
      ...(await preparePage(page.requests)),
      nextCursor: page.nextCursor,
      markSeenBefore: markSeenBefore(retention, task.platform, clock.now()),
    }
    const next = await checkpointPage(database, queue, task, prepared, clock.now())
    if (next === null) log.info({ jobId: task.jobId, platform: task.platform, pages: task.pages + 1 }, 'task done')
    return next
  }

  async function runTask(taskId: string, queueJob: QueueJob): Promise<void> {
    let task = await claimTask(database, taskId, queueJob, clock.now())
    if (task === null) return
    const platform = platforms.get(task.platform)
    if (!platform) {
      const message = `The platform ${task.platform} is not on any more: add it to PLATFORMS to collect from it.`
      return finish(task, { state: 'skipped', error: { code: 'not_configured', message } })
    }
    if (task.takeovers > maxTakeovers) {
      const message = `The same page could not be stored ${task.takeovers} times over; the log of the service says why.`
      return finish(task, { state: 'error', error: { code: 'unavailable', message } })
    }
    while (task !== null) {
      if (stopping) return deferTask(database, queue, task, { until: clock.now(), tries: task.tries })
      task = await runPage(task, platform)
    }
  }

  return {
    start: () =>
      queue.work(async (taskId, queueJob) => {
        try {
          await runTask(taskId, queueJob)
        } catch (error) {
          if (error instanceof TaskLostError) return log.warn({ taskId }, 'task lost to another worker')
          log.error({ err: error, taskId, attempt: queueJob.retryCount }, 'task interrupted, it will be taken up again')
          throw error
        }
      }),
    stop: async () => {
      stopping = true
      const grace = setTimeout(() => fetching.abort(), shutdownGraceMs)
      await queue.stop()
      clearTimeout(grace)
    },
  }
}
