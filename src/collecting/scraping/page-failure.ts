import type { PlatformErrorCode } from '../../database/column-types.ts'
import { HostBusyError, PlannedWaitError, PlatformError } from '../../platforms/platform.ts'
import type { ClaimedTask } from './claim.ts'
import { maxIdleMs, type TaskEnd } from './job-end.ts'

/** How long a live task keeps its slot while its host is at capacity. */
const maxBusyMs = 2_000
/** How long to try an unreachable platform while no other task progresses. Rate limits and quotas do not count. */
export const defaultUnreachableMs = 45_000
/** Share of that time left for the last try. */
const lastTryShare = 1 / 3
/** Share of that time before the second try (5 s of 45), doubled for each further one: four tries. */
const firstRetryShare = 1 / 9
/** Failures of one page after which the task ends in error. */
const maxTries = 5

/** A failed page fetch, with all facts that decide how its task continues. */
export interface PageFailure {
  task: Pick<ClaimedTask, 'pages' | 'tries' | 'pageDueSince' | 'busySince' | 'expiresAt'> & { isLive: boolean }
  error: unknown
  now: Date
  abortedBy: 'end of task' | 'time limit' | 'shutdown' | null
  /** Whether this process is shutting down; the fetch may have failed earlier. */
  isStopping: boolean
  /** How long to try an unreachable platform while no other task of the job progresses. */
  unreachableMs: number
  /** Whether another task progresses; absent until a decision is `check other tasks`. */
  othersProgress?: boolean
}

/** When to retry a failed page, and why not sooner. */
export interface Retry {
  until: Date
  tries: number
  reason: { code: PlatformErrorCode; message: string }
}

export type FailureDecision =
  /** The task was ended elsewhere: write nothing. */
  | { action: 'abandon' }
  | { action: 'end job' }
  /** Leave the task for the next worker, not counting a try. */
  | { action: 'requeue' }
  /** Retry soon, keeping the slot, without any statement. */
  | { action: 'hold slot'; busySince: Date }
  | { action: 'check other tasks' }
  | { action: 'retry'; retry: Retry }
  /** `isAdapterFault`: the adapter threw something other than a PlatformError, to be logged. */
  | { action: 'end task'; end: TaskEnd; isAdapterFault: boolean }

/** Decides how a task continues after a failed page, from the failure alone. */
export function decideAfterFailure(failure: PageFailure): FailureDecision {
  const { task, error, now, abortedBy, isStopping } = failure
  if (abortedBy === 'time limit') return { action: 'end job' }
  if (abortedBy === 'end of task') return { action: 'abandon' }
  if (abortedBy === 'shutdown') return { action: 'requeue' }
  if (!(error instanceof PlatformError)) return endAfterAdapterFault
  if (isStopping) return { action: 'requeue' }
  // Live tasks have their own slots, so holding one delays no job.
  if (error instanceof HostBusyError && task.isLive) {
    const busySince = task.busySince ?? now
    if (now.getTime() - busySince.getTime() < maxBusyMs) return { action: 'hold slot', busySince }
  }
  return retryOrEnd(failure, error)
}

function retryOrEnd(failure: PageFailure, error: PlatformError): FailureDecision {
  const { task, othersProgress } = failure
  const { code, message } = error
  const until = nextTryAt(failure, error)
  if (until === null) return endAfter(failure, error)
  if (exceedsUnreachableTime(failure, error, until)) {
    if (othersProgress === undefined) return { action: 'check other tasks' }
    if (!othersProgress) return endAfter(failure, error)
  }
  // A planned wait made no call, so no try failed.
  const tries = error instanceof PlannedWaitError ? task.tries : task.tries + 1
  const idleMs = until.getTime() - task.pageDueSince.getTime()
  if (tries >= maxTries || idleMs > maxIdleMs) return endAfter(failure, error)
  if (until < task.expiresAt) return { action: 'retry', retry: { until, tries, reason: { code, message } } }
  const late = `The time of the job is over before the platform can be called again. ${message}`
  return endTask({ state: 'error', error: { code: 'timeout', message: late } })
}

/** Whether the platform is unreachable and has delivered nothing yet. */
const isUnreached = ({ task }: PageFailure, error: PlatformError) => task.pages === 0 && error.isUnreachable

function nextTryAt(failure: PageFailure, error: PlatformError): Date | null {
  const { retryAt } = error
  // Respects the full pause of a host that failed repeatedly.
  if (retryAt === null || !isUnreached(failure, error) || error instanceof PlannedWaitError) return retryAt
  const delayMs = failure.unreachableMs * firstRetryShare * 2 ** failure.task.tries
  return new Date(Math.min(retryAt.getTime(), failure.now.getTime() + delayMs))
}

/** Whether retrying then would exceed the time a task has to reach its platform alone. */
function exceedsUnreachableTime(failure: PageFailure, error: PlatformError, until: Date): boolean {
  const { task, unreachableMs } = failure
  const endsMs = until.getTime() + unreachableMs * lastTryShare - task.pageDueSince.getTime()
  return isUnreached(failure, error) && endsMs > unreachableMs
}

const endTask = (end: TaskEnd): FailureDecision => ({ action: 'end task', end, isAdapterFault: false })

/** A platform that was never usable is skipped; one that failed after its first page is an error. */
function endAfter({ task }: PageFailure, { code, message }: PlatformError): FailureDecision {
  const isUnusable = (code === 'quota_exhausted' || code === 'not_configured') && task.pages === 0
  return endTask({ state: isUnusable ? 'skipped' : 'error', error: { code, message } })
}

/** An adapter's fault ends its own platform, never the process or other platforms. */
const endAfterAdapterFault: FailureDecision = {
  action: 'end task',
  end: {
    state: 'error',
    error: {
      code: 'bad_response',
      message: 'The answer of the platform could not be read; this is a fault of Wishwell, please report it.',
    },
  },
  isAdapterFault: true,
}
