import { followJob } from '../api/calls.ts'
import { ApiError, api, dataOf, isStatus, SessionChangedError } from '../api/client.ts'
import { readEvents } from '../api/events.ts'
import type { Job, PlatformProgress } from '../api/types.ts'

/** The progress of a platform of a job. */
export type PlatformFigures = Omit<PlatformProgress, 'platform'>

/** The error of a platform. */
export type PlatformFault = NonNullable<PlatformFigures['error']>

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
      const job = await dataOf(api.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } }, signal }))
      tell(() => afterPoll(job))
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
        tell(() => afterPoll(job))
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

const nothingYet = { pages: 0, requestsFound: 0, requestsCreated: 0, maybeCreated: 0, discarded: {} }

/** The progress of a platform as the job itself says it. */
export function figuresOf(job: Job, platform: string): PlatformFigures {
  const { platform: _, ...figures } = job.tasks.find((task) => task.platform === platform) ?? {
    ...nothingYet,
    platform,
  }
  const ended = job.errors?.find((error) => error.platform === platform)
  const waiting = job.waiting?.find((wait) => wait.platform === platform)
  const error = ended ?? waiting
  return {
    ...figures,
    state: job.progress[platform] ?? 'pending',
    waitingUntil: waiting?.until ?? null,
    error: error ? { code: error.code, message: error.message } : null,
  }
}

/** The progress of every platform of a job: the newest event, else what the job says. */
export const allFigures = (job: Job, platforms: FollowedJob['platforms']) =>
  new Map(job.platforms.map((platform) => [platform, platforms.get(platform) ?? figuresOf(job, platform)]))

/** The sum of a figure over all platforms. */
export const sumOf = (
  platforms: FollowedJob['platforms'],
  figure: 'pages' | 'requestsFound' | 'requestsCreated' | 'maybeCreated',
): number => [...platforms.values()].reduce((sum, figures) => sum + figures[figure], 0)

/** A poll is newer than every event before it. */
const afterPoll = (job: Job): FollowedJob => ({
  job,
  platforms: allFigures(job, new Map()),
  by: job.completedAt === null ? 'polls' : 'ended',
  error: null,
})

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
