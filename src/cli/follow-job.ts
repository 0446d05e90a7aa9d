import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformProgress } from '../collecting/scraping/job-events.ts'
import { ApiError } from './answers.ts'
import { type Api, answerOf } from './api.ts'
import type { Job } from './api-types.ts'
import type { Detail, Progress } from './progress.ts'
import { count, formatMoment } from './text.ts'

const firstPauseMs = 300
const maxPauseMs = 1_000
/** How long the service may be unavailable: a draining restart takes half a minute. */
const patienceMs = 60_000

/** Replaced by tests. */
const realTiming = {
  now: (): number => performance.now(),
  sleep: (milliseconds: number, signal: AbortSignal): Promise<void> =>
    sleep(milliseconds, undefined, { signal }).catch(() => signal.throwIfAborted()),
}

interface Watcher extends Pick<JobWatcher, 'onTrouble' | 'signal'> {
  onJob(job: Job): void
}

/** Polls a job to its end, through restarts. @throws ApiError if refused, or (`temporary`) down for a minute */
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
      if (job.status === 'completed' || job.status === 'failed') return job
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

interface JobWatcher {
  /** Called with the platforms whose progress changed; details only from services with event streams. */
  onProgress: Progress['update']
  /** Called when the service is unreachable and the call is retried; once until the next answer. */
  onTrouble(message: string): void
  signal: AbortSignal
  depth: number
}

const reconnectMs = 1_000

/** The details of a platform, beside its state. @param depth the maximum of pages */
function detailOf({ state, pages, requestsCreated, waitingUntil, error }: PlatformProgress, depth: number): Detail {
  const reason = error === null ? '' : ` (${error.code})`
  if (waitingUntil !== null) {
    return { text: `waits until ${formatMoment(waitingUntil)}${reason}`, share: pages / depth }
  }
  if (state === 'pending' || pages === 0) return { text: '' }
  const delivered = state === 'done' && pages < depth ? count(pages, 'page') : `${pages}/${count(depth, 'page')}`
  return { text: `${delivered}, ${requestsCreated.toLocaleString('en-US')} new`, share: pages / depth }
}

/** Reads a job's events, resuming ended streams. @returns the ended job; null if there are no events. */
async function readEvents(api: Api, jobId: string, { onProgress, signal, depth }: JobWatcher): Promise<Job | null> {
  let lastEventId: string | null = null
  for (let progressed = true; progressed; ) {
    if (lastEventId !== null) await sleep(reconnectMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    progressed = false
    try {
      for await (const { id, event, data } of api.followJob(jobId, lastEventId, signal)) {
        progressed = true
        lastEventId = id ?? lastEventId
        if (event === 'end') return JSON.parse(data) as Job
        if (event !== 'platform') continue
        const progress = JSON.parse(data) as PlatformProgress
        onProgress({ [progress.platform]: progress.state }, { [progress.platform]: detailOf(progress, depth) })
      }
    } catch {
      // Polling meets the same failure, and explains it.
      signal.throwIfAborted()
    }
  }
  return null
}

/** Follows a job to its end by events, or by polling if there are none or the stream breaks. @throws as `waitForJob` */
export async function followJob(api: Api, jobId: string, watcher: JobWatcher): Promise<Job> {
  const { onProgress, onTrouble, signal } = watcher
  const job = await readEvents(api, jobId, watcher)
  const onJob = ({ progress }: Job) => onProgress(progress)
  if (job === null) return waitForJob(api, jobId, { onJob, onTrouble, signal })
  onJob(job)
  return job
}
