import { followJob, readJob } from '../api/calls.ts'
import { ApiError, isStatus, SessionChangedError } from '../api/client.ts'
import { readEvents } from '../api/events.ts'
import type { DiscardReason, Job, PlatformErrorCode, PlatformProgress, TaskState } from '../api/types.ts'

/** The error of a platform. */
export interface PlatformFault {
  code: PlatformErrorCode
  message: string
}

/** The progress of a platform of a job. Pages and new requests come from events only: they are null until the first one. */
export interface PlatformFigures {
  state: TaskState
  pages: number | null
  requestsFound: number | null
  requestsCreated: number | null
  /** New requests of the class maybe. */
  maybeCreated?: number
  /** Items that were left out, by reason. */
  discarded?: Partial<Record<DiscardReason, number>>
  /** The sources of the account that the depth did not reach. */
  sourcesNotReached?: string[]
  waitingUntil: string | null
  /** The error that ended it; null when it did not fail. */
  error: PlatformFault | null
  /** The error of the last try, while others follow. */
  lastError?: PlatformFault | null
}

export interface FollowedJob {
  job: Job | null
  platforms: ReadonlyMap<string, PlatformFigures>
  /** The source of the progress; `trouble` while there is none. */
  by: 'events' | 'polls' | 'trouble' | 'ended'
  /** The error that ended the following. */
  error: unknown
}

export const notFollowed: FollowedJob = { job: null, platforms: new Map(), by: 'events', error: null }

type Tell = (change: (before: FollowedJob) => FollowedJob) => void

const pauseMs = 2_000
/** The service sends a heartbeat every 15 s: after a longer silence a proxy is buffering the events. */
const silenceMs = 25_000
/** After so many streams in a row that broke at once, or were silent, the job is polled. */
const maxBrokenStreams = 2

const isFinal = (error: unknown) => isStatus(error, 400, 401, 403, 404) || error instanceof SessionChangedError

/**
 * Follows a job to its end by events or, when those do not arrive, by polls. Ends when the service says that there is no such job
 * or no session; waits for the end of a rate limit.
 */
export async function follow(jobId: string, tell: Tell, signal: AbortSignal): Promise<void> {
  const place = { lastEventId: '' }
  let brokenStreams = 0
  while (!signal.aborted) {
    try {
      if (brokenStreams < maxBrokenStreams) {
        const streamed = await readStream(jobId, place, tell, signal)
        if (streamed === 'ended') return
        // A stream that delivered an event works, even when it breaks later.
        brokenStreams = streamed === 'silent' ? brokenStreams + 1 : 0
      }
      const job = await readJob(jobId, { signal })
      tell((before) => afterPoll(before, job))
      if (job.completedAt !== null) return
      await pause(pauseMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (isFinal(error)) return tell((before) => ({ ...before, error }))
      if (!isStatus(error, 429)) brokenStreams++
      tell((before) => ({ ...before, by: 'trouble' }))
      const retryAt = error instanceof ApiError ? error.retryAt : null
      await pause(Math.max(pauseMs, (retryAt ?? 0) - Date.now()), signal)
    }
  }
}

async function readStream(jobId: string, place: { lastEventId: string }, tell: Tell, signal: AbortSignal) {
  const silence = new AbortController()
  const both = AbortSignal.any([signal, silence.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  const waitForMore = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silence.abort(), silenceMs)
  }
  waitForMore()
  let hasBrought = false
  try {
    const response = await followJob(jobId, place.lastEventId, both)
    // The end was received already.
    if (response.status === 204) return 'silent' as const
    for await (const { event, data, id } of readEvents(response, waitForMore)) {
      hasBrought = true
      place.lastEventId = id
      if (event === 'platform') tell((before) => afterEvent(before, JSON.parse(data) as PlatformProgress))
      if (event === 'end') {
        const job = JSON.parse(data) as Job
        tell((before) => afterPoll(before, job))
        return 'ended' as const
      }
    }
  } catch (error) {
    // A poll may succeed where a stream fails; a refusal concerns both.
    const isBroken =
      silence.signal.aborted || (error instanceof ApiError && (error.status === 0 || error.status >= 500))
    if (signal.aborted || !isBroken) throw error
  } finally {
    clearTimeout(timer)
  }
  return hasBrought ? ('broken' as const) : ('silent' as const)
}

function afterEvent(before: FollowedJob, { platform, ...figures }: PlatformProgress): FollowedJob {
  return { ...before, by: 'events', platforms: new Map(before.platforms).set(platform, figures) }
}

const unknown = { pages: null, requestsFound: null, requestsCreated: null }

type Figure = 'pages' | 'requestsFound' | 'requestsCreated'

/** The sum of a figure over all platforms; null while the figure of one is unknown. */
export function sumOf(platforms: FollowedJob['platforms'], figure: Figure): number | null {
  const values = [...platforms.values()].map((figures) => figures[figure])
  return values.length === 0 || values.includes(null) ? null : values.reduce<number>((sum, one) => sum + (one ?? 0), 0)
}

/**
 * A poll contains the sum of the new requests, not the figure of each platform: when earlier events have another sum, they are
 * outdated and are dropped, so that the figures of the platforms and of the job always agree.
 */
function afterPoll(before: FollowedJob, job: Job): FollowedJob {
  const fits = sumOf(before.platforms, 'requestsCreated') === job.requestsCreated
  const figures = job.platforms.map((platform): [string, PlatformFigures] => {
    const state = job.progress[platform] ?? 'pending'
    const error = job.errors?.find((one) => one.platform === platform) ?? null
    const known = fits ? before.platforms.get(platform) : undefined
    return [platform, { ...unknown, ...known, state, waitingUntil: null, lastError: null, error }]
  })
  const by = job.completedAt === null ? 'polls' : 'ended'
  return { job, platforms: new Map(figures), by, error: null }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    const onAbort = () => {
      clearTimeout(timer)
      resolve()
    }
    signal.addEventListener('abort', onAbort, { once: true })
  })
}
