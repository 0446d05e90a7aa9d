import type { Budget } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'
import { isQuotaSpent, isVideoClosed, youtubeError } from './errors.ts'
import { nextPacificMidnight } from './quota.ts'

export interface YoutubeCallOptions extends Pick<AdapterDependencies, 'client' | 'clock'> {
  /** `https://www.googleapis.com/youtube/v3`. */
  baseUrl: string
  /** A key of a Google Cloud project. It travels in the query string, so query strings are never logged. */
  key?: string | undefined
}

export interface YoutubeCall {
  path: string
  parameters: Record<string, string | number>
  budget: Budget
  signal: AbortSignal
  /** Whether the call is about one video: a refusal because of that video is then no error of the platform. */
  isAboutVideo: boolean
}

/** @throws ClosedVideoError for a video without open comments, PlatformError in every other case without an answer. */
export type CallYoutube = (call: YoutubeCall) => Promise<Answer>

/** A video without open comments. It is thrown outside the client, because it must not count as a failure of the host. */
export class ClosedVideoError extends SourceRefusedError {
  constructor() {
    super('youtube has no open comments for a video.')
  }
}

/** Sends calls with the key, and corrects the budget of a call when its answer says that the daily quota is used up. */
export function createYoutubeCall({ client, clock, baseUrl, key }: YoutubeCallOptions): CallYoutube {
  return async ({ path, parameters, budget, signal, isAboutVideo }) => {
    if (key === undefined) throw new PlatformError('not_configured', 'youtube needs a key. Set YOUTUBE_API_KEY.')
    const isClosed = (answer: Answer) => isAboutVideo && isVideoClosed(answer)
    const resetsAt = nextPacificMidnight(clock.now())
    const answer = await client.getJson({
      platform: 'youtube',
      url: endpointUrl(baseUrl, path, { part: 'snippet', ...parameters, key }),
      budget,
      signal,
      readLimits: async (answer) => {
        if (isQuotaSpent(answer)) await budget.correctQuota({ remaining: 0, resetsAt }, clock.now())
      },
      readError: (answer) => (isClosed(answer) ? null : youtubeError(answer, clock.now(), resetsAt)),
      acceptStatuses: isAboutVideo ? [403, 404] : [],
    })
    if (isClosed(answer)) throw new ClosedVideoError()
    return answer
  }
}
