import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import { quotaExhausted } from '../../budget/budget.ts'
import { defaultError } from '../../client/faults.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asList, asString, type Fields } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

/** The content of Google's error envelope: `{error: {code, message, errors?, status?, details?}}`; newer bodies have the last two. */
interface Refusal {
  reasons: Set<string>
  message: string
  /** `youtube.commentThread` when the error concerns the comments, not the caller. */
  domains: Set<string>
  /** Which quota is used up, if the newer envelope names it. */
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

/**
 * Whether an answer says that the daily quota is used up. The separate quota of uploads has been seen to say so with a 429
 * `rateLimitExceeded` for a limit "per day"; that the separate quota of searches does the same is an assumption.
 */
export function isQuotaSpent(answer: Answer): boolean {
  const refusal = readRefusal(answer)
  if (!refusal) return false
  const isDaily = /\bper day\b/i.test(refusal.message) || /PerDay/i.test(refusal.quotaLimit)
  return hasAny(refusal, spentReasons) || (hasAny(refusal, hurriedReasons) && isDaily)
}

/** Whether an answer refuses only the requested video, for example because its comments are disabled. */
export function isVideoClosed(answer: Answer): boolean {
  const refusal = readRefusal(answer)
  if (!refusal) return false
  // Documented as a lack of permission for these comments; that a video that was made private answers so is an assumption.
  const isPrivate = refusal.reasons.has('forbidden') && refusal.domains.has('youtube.commentThread')
  return hasAny(refusal, videoReasons) || isPrivate
}

/** The error in an answer; null for none. */
export function youtubeError(answer: Answer, now: Date, resetsAt: Date): PlatformError | null {
  const refusal = readRefusal(answer)
  if (!refusal) return defaultError('youtube', answer, now)
  if (isQuotaSpent(answer)) return quotaExhausted('youtube', resetsAt)
  if (hasAny(refusal, hurriedReasons) || answer.status === 429) {
    const retryAt = cooldownAfterRefusal(answer.headers, now)
    return new PlatformError('rate_limited', 'youtube allows no more requests for now.', { retryAt })
  }
  if (hasAny(refusal, disabledReasons)) return unauthorized('Enable the YouTube Data API v3 in the project of the key')
  // Also a `badRequest` that only its message distinguishes from others (trizen/youtube-viewer issue 308).
  if (hasAny(refusal, keyReasons) || (answer.status === 400 && /\bAPI key\b/i.test(refusal.message))) {
    return unauthorized('Check the key')
  }
  if (answer.status === 401 || answer.status === 403) return unauthorized('Check the key and its restrictions')
  if (answer.status === 400) return new PlatformError('bad_response', 'youtube refused a request (400).')
  return defaultError('youtube', answer, now)
}

const unauthorized = (advice: string) =>
  new PlatformError('unauthorized', `youtube refused the key. ${advice} (YOUTUBE_API_KEY).`)
