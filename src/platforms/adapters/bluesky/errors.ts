import { cooldownAfterRefusal, correctByHeaders, spentUntil } from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

const limitHeaders = { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }

/** A token that has expired or was never valid: 400 `ExpiredToken` as well as 401 `AuthMissing` (atproto, pds auth-verifier). */
const tokenErrors = new Set(['ExpiredToken', 'InvalidToken', 'AuthMissing', 'AuthenticationRequired'])

/**
 * The error in an answer of an XRPC server: `{"error": name, "message"}` (atproto.com/specs/xrpc, "Error responses"), or HTML
 * from the proxy in front of it, of which only the status can be read.
 */
export function blueskyError({ status, headers, body }: Answer, now: Date): PlatformError | null {
  if (status >= 200 && status < 300) return null
  const name = asString(asFields(body)?.error)
  if (status === 429 || name === 'RateLimitExceeded') {
    const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, limitHeaders, now))
    return new PlatformError('rate_limited', 'bluesky allows no more requests for now.', { retryAt })
  }
  if (status === 401 || tokenErrors.has(name ?? '')) {
    return new PlatformError(
      'unauthorized',
      'bluesky refuses the session. Check BLUESKY_HANDLE and BLUESKY_APP_PASSWORD.',
    )
  }
  if (name === 'AccountTakedown' || name === 'AccountSuspended' || name === 'AccountDeactivated') {
    return new PlatformError('unauthorized', 'bluesky has closed the account of BLUESKY_HANDLE. Use another.')
  }
  if (status === 404 || status === 501) {
    const message = `bluesky answered ${status}. Check BLUESKY_API_URL: it is the server of the account, https://bsky.social.`
    return new PlatformError('bad_response', message)
  }
  if (status === 400) return new PlatformError('bad_response', 'bluesky refused the search (400).')
  if (status === 403) {
    const message =
      'bluesky refuses this address or server (403). BLUESKY_API_URL is https://bsky.social: public.api.bsky.app has no search.'
    return new PlatformError('blocked', message)
  }
  return null
}

export function correctBlueskyBudget(budget: Budget, { headers }: Answer, now: Date): void {
  correctByHeaders(budget, headers, limitHeaders, now)
}
