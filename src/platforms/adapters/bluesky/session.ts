import { dayMs } from '../../../runtime/durations.ts'
import { parsedJson } from '../../../runtime/foreign/json.ts'
import { cooldownAfterRefusal, correctByHeaders, spentUntil } from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import type { AccessToken } from '../../client/access-token.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asEpochSeconds, asFields, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { after } from '../../headers.ts'
import { PlatformError } from '../../platform.ts'

const limitHeaders = { remaining: 'ratelimit-remaining', reset: 'ratelimit-reset' }

/** Expired and invalid tokens answer 400 `ExpiredToken` or 401 `AuthMissing` (atproto, pds auth-verifier). */
const tokenErrors = new Set(['ExpiredToken', 'InvalidToken', 'AuthMissing', 'AuthenticationRequired'])

/** Reads an XRPC error (atproto.com/specs/xrpc, "Error responses"); a proxy's HTML leaves only the status. */
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

export interface BlueskySessionOptions extends AdapterDependencies {
  serverUrl: string
  handle: string
  appPassword: string
}

/** Assumed lifetime of a token that states none: the default of atproto's own servers. */
const usualLifetimeMs = 2 * 60 * 60 * 1000

/**
 * Per account 30 sessions in five minutes, 300 a day (docs.bsky.app/docs/advanced-guides/rate-limits); some servers
 * allow ten a day and say so in their headers (atproto#3413).
 */
const sessionLimits = (serverUrl: string): BudgetLimits => ({
  name: `${new URL(serverUrl).host} (sessions)`,
  windows: [{ limit: 30, windowMs: 300_000 }],
  concurrency: 1,
  quota: { limit: 300, periodEnd: (now) => new Date(now.getTime() + dayMs) },
})

/** Opens sessions with an app password (`com.atproto.server.createSession`); each yields one access token. */
export function createBlueskySessions(options: BlueskySessionOptions): () => Promise<AccessToken> {
  const { client, clock, openBudget, serverUrl, handle, appPassword } = options
  const budget = openBudget(sessionLimits(serverUrl))

  return async () => {
    const { body } = await client.getJson({
      platform: 'bluesky',
      url: endpointUrl(serverUrl, '/xrpc/com.atproto.server.createSession', {}),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: handle.replace(/^@/, ''), password: appPassword }),
      budget,
      // All tasks share this session, so no single task may abort it; the client's deadline applies.
      signal: new AbortController().signal,
      label: 'bluesky (sign-in)',
      readLimits: (answer) => correctBlueskyBudget(budget, answer, clock.now()),
      readError: (answer) => sessionError(answer, clock.now()),
    })
    const value = asString(asFields(body)?.accessJwt)
    // A token must fit in a header.
    if (value === null || !/^[\x21-\x7e]+$/.test(value)) {
      throw new PlatformError('bad_response', 'bluesky opened a session without a token. Check BLUESKY_API_URL.')
    }
    return { value, expiresAt: expiry(value, clock.now()) }
  }
}

/** Reads the `exp` claim of a JWT (RFC 7519). One in the past means that this clock or the server's is wrong. */
function expiry(token: string, now: Date): Date {
  const claimed = asEpochSeconds(readClaims(token)?.exp)
  return claimed && claimed > now ? claimed : after(now, usualLifetimeMs)
}

const readClaims = (token: string) => asFields(parsedJson(Buffer.from(token.split('.')[1] ?? '', 'base64url')))

function sessionError(answer: Answer, now: Date): PlatformError | null {
  const name = asString(asFields(answer.body)?.error)
  if (name === 'AuthFactorTokenRequired') {
    const message =
      'bluesky wants a second factor. Put an app password, not the account password, in BLUESKY_APP_PASSWORD.'
    return new PlatformError('unauthorized', message)
  }
  if (name === 'AccountTakedown') {
    return new PlatformError('unauthorized', 'bluesky has taken down the account of BLUESKY_HANDLE. Use another.')
  }
  if (answer.status === 401) {
    const message = 'bluesky refused the sign-in. Check BLUESKY_HANDLE and BLUESKY_APP_PASSWORD.'
    return new PlatformError('unauthorized', message)
  }
  if (answer.status === 400) {
    return new PlatformError(
      'bad_response',
      'bluesky could not read the sign-in. Check BLUESKY_HANDLE (name.bsky.social).',
    )
  }
  return blueskyError(answer, now)
}
