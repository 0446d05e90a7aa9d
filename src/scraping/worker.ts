import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import { isTimeout } from '../platforms/client/faults.ts'
import { HostBusyError, type Page, PlannedWaitError, type Platform, PlatformError } from '../platforms/platform.ts'
import { preparePage } from '../requests/store/prepared-page.ts'
import { markSeenBefore, type Retention } from '../requests/store/retention.ts'
import { unlessAborted } from '../runtime/abort.ts'
import type { Clock } from '../runtime/clock.ts'
import { type ClaimedTask, claimTask } from './claim.ts'
import { endOverdueJob, type TaskEnd } from './job-end.ts'
import type { QueueJob, TaskQueue } from './queue.ts'
import { createRuns, type Run } from './runs.ts'
import type { TaskChanges } from './task-changes.ts'
import { checkpointPage, deferTask, finishTask, othersGetOn, TaskLostError } from './tasks.ts'

/** Waits up to this long are slept through; a longer one puts the task back in the queue. */
const shortWaitMs = 1_000
/** How often a live task looks whether a host has room again, and for how long: then its place is for others. */
const busyPollMs = 40
const busyPollingMs = 2_000
/**
 * How long a task tries to reach its platform while no other of its job gets on, and how much of that a last try may take.
 * Limits and quotas are waits, not failures.
 */
const maxUnreachableMs = 45_000
const lastTryShare = 1 / 3
/** Before the second try of a platform that cannot be reached; then twice as long each time. */
const unreachableCooldownMs = 5_000
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
  /** By which it hears that a task in its hands was ended by somebody else. */
  changes: TaskChanges
  platforms: ReadonlyMap<PlatformName, Platform>
  retention: Retention
  clock: Clock
  log: Logger
  /** Instead of 45 s, for tests. */
  unreachableMs?: number | undefined
}

interface Wait {
  until: Date
  tries: number
  reason: { code: PlatformErrorCode; message: string }
}

/** Runs tasks: fetches page after page and stores each with its checkpoint, until the task has ended or must wait. */
export function createWorker(dependencies: WorkerDependencies): Worker {
  const { database, queue, changes, platforms, retention, clock, log, unreachableMs = maxUnreachableMs } = dependencies
  const fetching = new AbortController()
  const runs = createRuns(changes, clock)
  let stopping = false

  const finish = (task: ClaimedTask, end: TaskEnd) => {
    const { jobId, platform, pages } = task
    log.info({ jobId, platform, pages, state: end.state, code: end.error?.code }, 'task ended')
    return finishTask(database, queue, task, end, clock.now())
  }

  /** Sleeps through a short wait and gives the task back; puts it in the queue for a long one and gives null. */
  async function waitFor(task: ClaimedTask, { until, tries, reason }: Wait, stopped: AbortSignal) {
    const waitMs = until.getTime() - clock.now().getTime()
    if (waitMs > shortWaitMs || stopping) {
      await deferTask(database, queue, task, { until, tries, reason })
      queue.pollAgainIn(Math.max(0, waitMs))
      return null
    }
    const signal = AbortSignal.any([fetching.signal, stopped])
    await sleep(Math.max(0, waitMs), undefined, { signal }).catch(() => {})
    return { ...task, tries }
  }

  /** When to ask again; null when it is over. */
  async function nextTry({ taskId, jobId, pages, tries, pageDueSince }: ClaimedTask, error: PlatformError) {
    const { retryAt } = error
    if (retryAt === null || pages > 0 || !error.isUnreachable) return retryAt
    const soonest = clock.now().getTime() + unreachableCooldownMs * 2 ** tries
    // The pause of a host that kept failing is kept.
    const isPause = error instanceof PlannedWaitError
    const until = isPause ? retryAt : new Date(Math.min(retryAt.getTime(), soonest))
    const endsMs = until.getTime() + unreachableMs * lastTryShare - pageDueSince.getTime()
    return endsMs <= unreachableMs || (await othersGetOn(database, jobId, taskId)) ? until : null
  }

  async function handleFailure(task: ClaimedTask, error: PlatformError, stopped: AbortSignal) {
    const { code, message } = error
    if (stopping) {
      await deferTask(database, queue, task, { until: clock.now(), tries: task.tries })
      return null
    }
    // The places of live tasks are theirs alone, so one may be held for a moment; no statement is run for it.
    if (error instanceof HostBusyError && task.queueJob.isLive) {
      const busySince = task.busySince ?? clock.now()
      if (clock.now().getTime() - busySince.getTime() < busyPollingMs) {
        const signal = AbortSignal.any([fetching.signal, stopped])
        await sleep(busyPollMs, undefined, { signal }).catch(() => {})
        return { ...task, busySince }
      }
    }
    const retryAt = await nextTry(task, error)
    const tries = error instanceof PlannedWaitError ? task.tries : task.tries + 1
    const idleMs = retryAt === null ? 0 : retryAt.getTime() - task.pageDueSince.getTime()
    if (retryAt !== null && tries < maxTries && idleMs <= maxIdleMs) {
      if (retryAt < task.expiresAt) return waitFor(task, { until: retryAt, tries, reason: { code, message } }, stopped)
      const late = `The time of the job is over before the platform can be asked again. ${message}`
      await finish(task, { state: 'error', error: { code: 'timeout', message: late } })
      return null
    }
    // A platform that could not be used at all was skipped; one that stopped on the way ended in error.
    const unusable = (code === 'quota_exhausted' || code === 'not_configured') && task.pages === 0
    await finish(task, { state: unusable ? 'skipped' : 'error', error: { code, message } })
    return null
  }

  const endLate = ({ jobId }: ClaimedTask) => {
    log.info({ jobId }, 'the time of the job is over')
    return endOverdueJob(database, queue, jobId, clock.now())
  }

  /** One page of a task. @returns the task to go on with, or null when there is nothing more to do now. */
  async function runPage(task: ClaimedTask, platform: Platform, stopped: AbortSignal): Promise<ClaimedTask | null> {
    let page: Page | null
    try {
      const { topic, cursor, pagesBefore } = task
      const signal = AbortSignal.any([fetching.signal, stopped])
      const fetched = platform.fetchPage({ topic, cursor, pagesBefore, signal, mayShare: task.queueJob.isLive })
      page = await unlessAborted(fetched, stopped)
    } catch (error) {
      if (stopped.aborted && isTimeout(stopped.reason)) {
        await endLate(task)
        return null
      }
      if (stopped.aborted) throw new TaskLostError('the task was cancelled, or its time is over')
      if (fetching.signal.aborted) {
        await deferTask(database, queue, task, { until: clock.now(), tries: task.tries })
        return null
      }
      if (error instanceof PlatformError) return handleFailure(task, error, stopped)
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

  async function runTask(claimed: ClaimedTask, stopped: AbortSignal): Promise<void> {
    let task: ClaimedTask | null = claimed
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
      if (clock.now() >= task.expiresAt) return endLate(task)
      task = await runPage(task, platform, stopped)
    }
  }

  async function runNext(run: Run, queueJob: QueueJob): Promise<void> {
    const task = await claimTask(database, queueJob, clock.now())
    if (task === null) return
    run.hold(task)
    await runTask(task, run.stopped)
  }

  return {
    start: () => {
      runs.start()
      return queue.work(async (queueJob) => {
        const run = runs.begin()
        try {
          await runNext(run, queueJob)
        } catch (error) {
          const { taskId } = run
          if (error instanceof TaskLostError)
            return log.info({ taskId }, 'task was ended, or taken over by another worker')
          log.error({ err: error, taskId, attempt: queueJob.retryCount }, 'task interrupted, it will be taken up again')
          throw error
        } finally {
          run.end()
        }
      })
    },
    stop: async () => {
      stopping = true
      const grace = setTimeout(() => fetching.abort(), shutdownGraceMs)
      await queue.stop()
      clearTimeout(grace)
      runs.stop()
    },
  }
}
