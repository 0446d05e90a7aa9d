import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import { after } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asString } from '../../content/fields.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

/** How long no request is sent after the quota is used up: see `correctStackexchangeBudget`. */
const probeAfterMs = 60 * 60 * 1000

/**
 * Every body says what is left of the quota and, as `backoff`, for how many seconds no request may be sent. It does not say
 * when the quota is renewed, and other users of the same address may have started it earlier. So when nothing is left, one
 * request is sent after an hour; if that is too early, its refusal names the time.
 */
export async function correctStackexchangeBudget(budget: Budget, answer: Answer, now: Date): Promise<void> {
  const body = asFields(answer.body)
  const remaining = asInteger(body?.quota_remaining)
  if (remaining !== null) await budget.correctQuota({ remaining, resetsAt: after(now, probeAfterMs) }, now)
  const backoffSeconds = asInteger(body?.backoff) ?? 0
  if (backoffSeconds > 0) budget.pauseUntil(after(now, backoffSeconds * 1000))
}

/** Where a site is named: in the configuration, or in the job of an account. */
export const listedInVariable = 'STACKEXCHANGE_SITES'
export const listedInJob = 'the sources of the job'

const refusedKey = () =>
  new PlatformError('unauthorized', 'stackexchange refused the key. Check STACKEXCHANGE_API_KEY.')

/**
 * Every error has HTTP status 400; the number in the body tells which one it is
 * (api.stackexchange.com/docs/error-handling).
 */
export function stackexchangeError(
  answer: Answer,
  { site, listedIn }: { site: string; listedIn: string },
  now: Date,
): PlatformError | null {
  const body = asFields(answer.body)
  const message = asString(body?.error_message) ?? ''
  switch (asInteger(body?.error_id)) {
    case 400:
      // An unknown key is a bad parameter like any other; only the text distinguishes it from an unknown site.
      if (/\bkey\b/.test(message)) return refusedKey()
      return new SourceRefusedError(`stackexchange refused a parameter for "${site}". Check ${listedIn}.`)
    case 404:
      return new PlatformError('bad_response', 'stackexchange has no such method. Check STACKEXCHANGE_API_URL.')
    case 401:
    case 402:
    case 403:
    case 405:
    case 406:
      return refusedKey()
    case 502:
      return tooManyRequests(message, now)
    case 500:
    case 503:
      return new PlatformError('unavailable', 'stackexchange is temporarily unavailable. Try again later.')
    default:
      return null
  }
}

function tooManyRequests(message: string, now: Date): PlatformError {
  const seconds = /available in (\d+) second/.exec(message)?.[1]
  const availableAt = seconds === undefined ? null : after(now, Number(seconds) * 1000)
  const retryAt = cooldownAfterRefusal({}, now, availableAt)
  return new PlatformError('rate_limited', 'stackexchange allows no more requests for now.', { retryAt })
}
