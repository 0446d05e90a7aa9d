import { setTimeout as sleep } from 'node:timers/promises'
import type { PlatformProgress } from '../scraping/job-events.ts'
import type { Job } from '../scraping/jobs.ts'
import type { Api } from './api.ts'
import type { Detail, Progress } from './progress.ts'
import { count } from './text.ts'
import { waitForJob } from './wait-for-job.ts'

export interface JobWatcher {
  /** How far the platforms are that something new is known of; details only from a service that tells its events. */
  onProgress: Progress['update']
  /** Why nothing is known just now; it is tried again. */
  onTrouble(message: string): void
  signal: AbortSignal
  /** The most pages that a platform is asked for. */
  depth: number
}

const reconnectMs = 1_000

/** What is said of a platform beside its state. @param depth the most pages that it is asked for */
function detailOf({ state, pages, requestsCreated, waitingUntil, error }: PlatformProgress, depth: number): Detail {
  const reason = error === null ? '' : ` (${error.code})`
  if (waitingUntil !== null) {
    return { text: `waits until ${waitingUntil.slice(11, 19)} UTC${reason}`, share: pages / depth }
  }
  if (state === 'pending' || pages === 0) return { text: '' }
  const asked = state === 'done' && pages < depth ? count(pages, 'page') : `${pages}/${count(depth, 'page')}`
  return { text: `${asked}, ${requestsCreated.toLocaleString('en-US')} new`, share: pages / depth }
}

/** Reads a job's events, and goes on where a stream ended. @returns the job at its end; null when its events cannot be had. */
async function readEvents(api: Api, jobId: string, { onProgress, signal, depth }: JobWatcher): Promise<Job | null> {
  let lastEventId: string | null = null
  for (let told = true; told; ) {
    if (lastEventId !== null) await sleep(reconnectMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    told = false
    try {
      for await (const { id, event, data } of api.followJob(jobId, lastEventId, signal)) {
        told = true
        lastEventId = id
        if (event === 'end') return JSON.parse(data) as Job
        if (event !== 'platform') continue
        const progress = JSON.parse(data) as PlatformProgress
        onProgress({ [progress.platform]: progress.state }, { [progress.platform]: detailOf(progress, depth) })
      }
    } catch {
      // Whatever it was, polling meets it too, and says it better.
      signal.throwIfAborted()
    }
  }
  return null
}

/**
 * Follows a job to its end: by its events, or by polling where the service is older or its stream breaks.
 * @throws as waitForJob.
 */
export async function followJob(api: Api, jobId: string, watcher: JobWatcher): Promise<Job> {
  const { onProgress, onTrouble, signal } = watcher
  const job = await readEvents(api, jobId, watcher)
  const onJob = ({ progress }: Job) => onProgress(progress)
  if (job === null) return waitForJob(api, jobId, { onJob, onTrouble, signal })
  onJob(job)
  return job
}
