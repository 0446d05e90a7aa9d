import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { type Budget, type BudgetLimits, quotaExhausted } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import { defaultError } from '../../client/faults.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asList, asString, type Fields } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

const pacificTime = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
})

/** When Google renews API quotas: the next midnight in California, correct across clock changes. */
export function nextPacificMidnight(now: Date): Date {
  const { year, month, day } = pacificParts(now)
  // UTC-7 in summer, UTC-8 in winter. Clocks change at two, so each night has exactly one midnight.
  const inSummer = new Date(Date.UTC(year, month - 1, day + 1, 7))
  return pacificParts(inSummer).hour === 0 ? inSummer : new Date(Date.UTC(year, month - 1, day + 1, 8))
}

function pacificParts(moment: Date) {
  const parts = pacificTime.formatToParts(moment)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour') }
}

/**
 * Daily quotas per project: 100 searches and 10,000 other calls
 * (developers.google.com/youtube/data/determine_quota_cost). Shorter limits are unpublished, so the windows are small.
 */
export function youtubeLimits(baseUrl: string): { search: BudgetLimits; comments: BudgetLimits } {
  const { host } = new URL(baseUrl)
  const windows = [{ limit: 10, windowMs: 1_000 }]
  return {
    search: {
      name: `${host} (search)`,
      windows,
      concurrency: 1,
      quota: { limit: 100, periodEnd: nextPacificMidnight },
    },
    comments: { name: host, windows, concurrency: 2, quota: { limit: 10_000, periodEnd: nextPacificMidnight } },
  }
}

/** Google's error envelope: `{error: {code, message, errors?, status?, details?}}`; newer bodies have the last two. */
interface Refusal {
  reasons: Set<string>
  message: string
  /** `youtube.commentThread` for errors about comments, not the caller. */
  domains: Set<string>
  /** The used-up quota, if the newer envelope names it. */
  quotaLimit: string
}

const spentReasons = ['quotaExceeded', 'dailyLimitExceeded']
const hurriedReasons = ['rateLimitExceeded', 'userRateLimitExceeded', 'RATE_LIMIT_EXCEEDED', 'RESOURCE_EXHAUSTED']
const disabledReasons = ['accessNotConfigured', 'SERVICE_DISABLED']
const keyReasons = ['keyInvalid', 'keyExpired', 'API_KEY_INVALID', 'API_KEY_EXPIRED', 'dailyLimitExceededUnreg']
/** developers.google.com/youtube/v3/docs/commentThreads/list ("Errors"). */
const videoReasons = ['commentsDisabled', 'videoNotFound']

function readRefusal(answer: Answer): Refusal | null {
  const error = asFields(asFields(answer.body)?.error)
  if (!error) return null
  const errors = fieldsOf(error.errors)
  const details = fieldsOf(error.details)
  const names = [...errors.map(({ reason }) => reason), ...details.map(({ reason }) => reason), error.status]
  const limits = details.map(({ metadata }) => asString(asFields(metadata)?.quota_limit) ?? '')
  return {
    reasons: new Set(names.filter((name) => typeof name === 'string')),
    domains: new Set(errors.map(({ domain }) => domain).filter((domain) => typeof domain === 'string')),
    message: asString(error.message) ?? '',
    quotaLimit: limits.join(' '),
  }
}

function fieldsOf(list: unknown): Fields[] {
  return (asList(list) ?? []).map(asFields).filter((fields) => fields !== null)
}

const hasAny = ({ reasons }: Refusal, names: readonly string[]) => names.some((name) => reasons.has(name))

/** A spent quota may also be a 429 `rateLimitExceeded` "per day": seen for uploads, assumed for searches. */
function isQuotaSpent(answer: Answer): boolean {
  const refusal = readRefusal(answer)
  if (!refusal) return false
  const isDaily = /\bper day\b/i.test(refusal.message) || /PerDay/i.test(refusal.quotaLimit)
  return hasAny(refusal, spentReasons) || (hasAny(refusal, hurriedReasons) && isDaily)
}

/** Whether only the requested video is refused, for example because its comments are disabled. */
function isVideoClosed(answer: Answer): boolean {
  const refusal = readRefusal(answer)
  if (!refusal) return false
  // Documented as a lack of permission for these comments; assumed for videos made private.
  const isPrivate = refusal.reasons.has('forbidden') && refusal.domains.has('youtube.commentThread')
  return hasAny(refusal, videoReasons) || isPrivate
}

function youtubeError(answer: Answer, now: Date, resetsAt: Date): PlatformError | null {
  const refusal = readRefusal(answer)
  if (!refusal) return defaultError('youtube', answer, now)
  if (isQuotaSpent(answer)) return quotaExhausted('youtube', resetsAt)
  if (hasAny(refusal, hurriedReasons) || answer.status === 429) {
    const retryAt = cooldownAfterRefusal(answer.headers, now)
    return new PlatformError('rate_limited', 'youtube allows no more requests for now.', { retryAt })
  }
  if (hasAny(refusal, disabledReasons)) return unauthorized('Enable the YouTube Data API v3 in the project of the key')
  // A `badRequest` that only its message tells apart (trizen/youtube-viewer#308).
  if (hasAny(refusal, keyReasons) || (answer.status === 400 && /\bAPI key\b/i.test(refusal.message))) {
    return unauthorized('Check the key')
  }
  if (answer.status === 401 || answer.status === 403) return unauthorized('Check the key and its restrictions')
  if (answer.status === 400) return new PlatformError('bad_response', 'youtube refused a request (400).')
  return defaultError('youtube', answer, now)
}

const unauthorized = (advice: string) =>
  new PlatformError('unauthorized', `youtube refused the key. ${advice} (YOUTUBE_API_KEY).`)

export interface YoutubeCallOptions extends Pick<AdapterDependencies, 'client' | 'clock'> {
  baseUrl: string
  /** A Google Cloud API key. It is sent in the query string, so query strings are never logged. */
  key?: string | undefined
}

export interface YoutubeCall {
  path: string
  parameters: Record<string, string | number>
  budget: Budget
  signal: AbortSignal
  /** Whether the call is about one video: a refusal of that video is then no platform error. */
  isAboutVideo: boolean
}

/** @throws ClosedVideoError for a video without open comments, PlatformError for every other failure */
export type CallYoutube = (call: YoutubeCall) => Promise<Answer>

/** A video without open comments. Thrown outside the client, because it must not count as a host failure. */
export class ClosedVideoError extends SourceRefusedError {
  constructor() {
    super('youtube has no open comments for a video.')
  }
}

/** Sends calls with the API key; corrects the call's budget if the answer says the daily quota is used up. */
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
