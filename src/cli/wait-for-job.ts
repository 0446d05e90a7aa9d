import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from './answers.ts'
import { type Api, answerOf } from './api.ts'
import type { Job } from './api-types.ts'

const firstPauseMs = 300
const maxPauseMs = 1_000
/** How long the service may be unavailable: a restart that drains takes half a minute. */
const patienceMs = 60_000

/** The clock; tests replace it. */
export interface Timing {
  now(): number
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

const realTiming: Timing = {
  now: () => performance.now(),
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted()),
}

export interface Watcher {
  /** Called with every answer, the last one included. */
  onJob(job: Job): void
  /** Called when a poll fails and is repeated; once until the next answer. */
  onTrouble(message: string): void
  signal: AbortSignal
}

export const isFinal = (job: Pick<Job, 'status'>): boolean => job.status === 'completed' || job.status === 'failed'

/**
 * Polls a job until it has ended, through failed polls and restarts of the service.
 * @throws ApiError when the service refuses, or (`temporary`) was unavailable for a minute; the reason of the signal once it is
 * aborted.
 */
export async function waitForJob(api: Api, jobId: string, watcher: Watcher, timing = realTiming): Promise<Job> {
  const { onJob, onTrouble, signal } = watcher
  let pauseMs = firstPauseMs
  let answeredAt = timing.now()
  let inTrouble = false
  for (;;) {
    await timing.sleep(pauseMs, signal)
    try {
      const params = { path: { jobId } }
      const { data: job } = await answerOf(api.GET('/api/v1/scrape/{jobId}', { params, signal }))
      answeredAt = timing.now()
      inTrouble = false
      pauseMs = Math.min(maxPauseMs, pauseMs * 1.25)
      onJob(job)
      if (isFinal(job)) return job
    } catch (error) {
      if (!(error instanceof ApiError && error.temporary)) throw error
      const awayMs = timing.now() - answeredAt
      if (awayMs >= patienceMs) {
        const message = `${error.message}
Gave up after ${Math.round(awayMs / 1000)} s.`
        throw new ApiError(message, error.exitCode, { temporary: true })
      }
      if (!inTrouble) onTrouble(error.message)
      inTrouble = true
      pauseMs = Math.min(patienceMs, Math.max(maxPauseMs, error.retryAfterMs ?? 0))
    }
  }
}
