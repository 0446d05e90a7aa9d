import { cooldownAfterRefusal, correctByHeaders } from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import { headerEpochSeconds } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString, type Fields } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

/** docs.x.com, "Rate limits". */
const limitHeaders = { remaining: 'x-rate-limit-remaining', reset: 'x-rate-limit-reset' }

export function correctXBudget(budget: Budget, { headers }: Answer, now: Date): void {
  correctByHeaders(budget, headers, limitHeaders, now)
}

/** Errors are problem documents `{title, detail, type, status?}` (docs.x.com, "Response codes and errors"). */
export function xError(answer: Answer, now: Date): PlatformError | null {
  const { status, headers } = answer
  if (status < 400 || status >= 500) return null
  const body = asFields(answer.body)
  if (status === 402 || ((status === 403 || status === 429) && isSpent(body))) {
    const advice = 'Buy credits or raise the spending limit at console.x.com.'
    return new PlatformError('quota_exhausted', `x lets this account read no more posts. ${advice}`)
  }
  if (status === 400) return new PlatformError('bad_response', 'x refused the query (400).')
  if (status === 401) return new PlatformError('unauthorized', 'x refused the token. Check X_BEARER_TOKEN.')
  // A 403 without JSON comes from X's front end: it refuses the address, not the app.
  if (status === 403 && body) {
    const advice = 'Check that the app of X_BEARER_TOKEN belongs to a project with access to the API.'
    return new PlatformError('unauthorized', `x does not let this app search. ${advice}`)
  }
  if (status !== 429) return null
  const retryAt = cooldownAfterRefusal(headers, now, headerEpochSeconds(headers, limitHeaders.reset, now))
  return new PlatformError('rate_limited', 'x allows no more searches for now.', { retryAt })
}

/**
 * Money, a spending limit or a monthly cap is used up: type `…/problems/usage-capped` (xdevplatform/xdk#25) or
 * `…/problems/credits`, title `UsageCapExceeded`, `CreditsDepleted` or `SpendCapReached`; the status varies. Waiting for the
 * next window would not help.
 */
function isSpent(body: Fields | null): boolean {
  const words = [body?.type, body?.title, body?.detail].map((part) => asString(part) ?? '').join(' ')
  return /usage[- ]?cap|\bcredits|spend[- ]?cap|spending limit/i.test(words)
}
