import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { SourcesFailedError } from '../../platforms/adapters/round-robin.ts'
import { isTimeout } from '../../platforms/client/faults.ts'
import type { Page, PageRequest, Platform, PlatformsByName } from '../../platforms/platform.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { unlessAborted } from '../../runtime/abort.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { ClaimedTask } from './claim.ts'
import { endOverdueJob, type TaskEnd } from './job-end.ts'
import { decideAfterFailure, type PageFailure, type Retry } from './page-failure.ts'
import type { TaskQueue } from './queue.ts'
import {
  checkpointPage,
  deferTask,
  doneWith,
  finishTask,
  othersProgress,
  prepareFetchedPage,
  TaskLostError,
} from './tasks.ts'

/** Waits up to this long keep the slot; longer ones requeue the task. */
const shortWaitMs = 1_000
/** How often a live task retries a host at capacity. */
const busyPollMs = 40
/** Workers that may die on one page: the page may be what kills them. */
const maxTakeovers = 20

export interface TaskContext {
  database: Database
  queue: TaskQueue
  platforms: PlatformsByName
  retention: Retention
  clock: Clock
  log: Logger
  /** How long to try an unreachable platform while no other task of the job progresses. */
  unreachableMs: number
  shutdown: Shutdown
  /** Aborted if the task was ended elsewhere, or with a TimeoutError at the job's time limit. */
  stopped: AbortSignal
}

export interface Shutdown {
  /** No page starts once this is set. */
  readonly isRequested: boolean
  /** Aborted after the grace period for running pages. */
  readonly signal: AbortSignal
}

/** Fetches and stores pages until the task ends or must requeue. @throws TaskLostError if ended or taken over */
export async function runTask(context: TaskContext, claimed: ClaimedTask): Promise<void> {
  const { platforms, shutdown, clock } = context
  const platform = platforms.get(claimed.platform)
  if (!platform) {
    const message = `The platform ${claimed.platform} is not on any more: add it to PLATFORMS to collect from it.`
    return finish(context, claimed, { state: 'skipped', error: { code: 'not_configured', message } })
  }
  if (claimed.takeovers > maxTakeovers) {
    const message = `The same page could not be stored ${claimed.takeovers} times over; the log of the service says why.`
    return finish(context, claimed, { state: 'error', error: { code: 'unavailable', message } })
  }
  let task: ClaimedTask | null = claimed
  while (task !== null) {
    if (shutdown.isRequested) return requeue(context, task)
    if (clock.now() >= task.expiresAt) return endJob(context, task)
    task = await runPage(context, platform, task)
  }
}

/** Runs one page. @returns the task to continue with; null if it ended or waits in the queue */
async function runPage(context: TaskContext, platform: Platform, task: ClaimedTask): Promise<ClaimedTask | null> {
  const { database, queue, retention, clock, log, shutdown, stopped, unreachableMs } = context
  const { topic, cursor, pagesBefore, sources, jobId, newestSince } = task
  const { isLive } = task.queueMessage
  let page: Page | null
  try {
    const signal = AbortSignal.any([shutdown.signal, stopped])
    const request: PageRequest = { topic, cursor, pagesBefore, signal, mayShare: isLive, newestSince }
    if (sources !== null) request.sources = sources
    const fetched = platform.fetchPage(request)
    page = await unlessAborted(fetched, stopped)
  } catch (error) {
    if (error instanceof SourcesFailedError) {
      await finish(context, task, { state: 'done', error })
      return null
    }
    const abortedBy = abortCause(context)
    const isStopping = shutdown.isRequested
    const facts = { task: { ...task, isLive }, error, now: clock.now(), abortedBy, isStopping, unreachableMs }
    return applyDecision(context, task, facts)
  }
  if (page === null) {
    await finish(context, task, doneWith(task.cursor))
    return null
  }
  const prepared = await prepareFetchedPage(page, task.platform, retention, clock.now())
  const next = await checkpointPage(database, queue, task, prepared, clock.now())
  if (next === null) log.info({ jobId, platform: task.platform, pages: task.pages + 1 }, 'task done')
  return next
}

function abortCause({ shutdown, stopped }: TaskContext): PageFailure['abortedBy'] {
  if (stopped.aborted) return isTimeout(stopped.reason) ? 'time limit' : 'end of task'
  return shutdown.signal.aborted ? 'shutdown' : null
}

async function applyDecision(
  context: TaskContext,
  task: ClaimedTask,
  failure: PageFailure,
): Promise<ClaimedTask | null> {
  const decision = decideAfterFailure(failure)
  switch (decision.action) {
    case 'check other tasks': {
      const known = await othersProgress(context.database, task.jobId, task.taskId)
      return applyDecision(context, task, { ...failure, othersProgress: known })
    }
    case 'hold slot':
      await pause(context, busyPollMs)
      return { ...task, busySince: decision.busySince }
    case 'retry':
      return waitToRetry(context, task, decision.retry)
    case 'abandon':
      throw new TaskLostError('the task was cancelled, or its time is over')
    case 'end job':
      await endJob(context, task)
      return null
    case 'requeue':
      await requeue(context, task)
      return null
    case 'end task': {
      const { jobId, platform } = task
      if (decision.isAdapterFault) context.log.error({ err: failure.error, jobId, platform }, 'adapter fault')
      await finish(context, task, decision.end)
      return null
    }
  }
}

/** Sleeps through a short wait and returns the task; requeues it for a longer one and returns null. */
async function waitToRetry(context: TaskContext, task: ClaimedTask, retry: Retry): Promise<ClaimedTask | null> {
  const { database, queue, clock, shutdown } = context
  const waitMs = Math.max(0, retry.until.getTime() - clock.now().getTime())
  if (waitMs > shortWaitMs || shutdown.isRequested) {
    await deferTask(database, queue, task, retry)
    queue.pollAgainIn(waitMs)
    return null
  }
  await pause(context, waitMs)
  return { ...task, tries: retry.tries }
}

const pause = ({ shutdown, stopped }: TaskContext, ms: number): Promise<void> =>
  sleep(ms, undefined, { signal: AbortSignal.any([shutdown.signal, stopped]) }).catch(() => {})

const requeue = ({ database, queue, clock }: TaskContext, task: ClaimedTask): Promise<void> =>
  deferTask(database, queue, task, { until: clock.now(), tries: task.tries })

function finish({ database, queue, clock, log }: TaskContext, task: ClaimedTask, end: TaskEnd): Promise<void> {
  const { jobId, platform, pages } = task
  log.info({ jobId, platform, pages, state: end.state, code: end.error?.code }, 'task ended')
  return finishTask(database, queue, task, end, clock.now())
}

function endJob({ database, queue, clock, log }: TaskContext, { jobId }: ClaimedTask): Promise<void> {
  log.info({ jobId }, 'the time of the job is over')
  return endOverdueJob(database, queue, jobId, clock.now())
}
