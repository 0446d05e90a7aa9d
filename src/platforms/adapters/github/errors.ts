import type { Clock } from '../../../runtime/clock.ts'
import {
  cooldownAfterRefusal,
  cooldownAfterRefusalMs,
  correctByHeaders,
  spentUntil,
} from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import { headerNumber, headerText, retryAfter } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asString } from '../../content/fields.ts'
import { PlatformError } from '../../platform.ts'

const limitHeaders = { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' }
const maxCooldownMs = 3_600_000

/** `x-ratelimit-*` of other resources (`core`) do not describe the limit of searches. */
export function correctGithubBudget(budget: Budget, { headers }: Answer, now: Date): void {
  const resource = headerText(headers, 'x-ratelimit-resource') ?? 'search'
  if (resource === 'search') correctByHeaders(budget, headers, limitHeaders, now)
}

/**
 * Makes the function that reads the errors of one adapter. After a refusal that names no time it waits for a minute, and
 * twice as long after each further one in a row, an hour at most.
 */
export function createGithubErrorReader(clock: Clock, hasToken: boolean): (answer: Answer) => PlatformError | null {
  let refusalsWithoutTime = 0
  return (answer) => {
    const now = clock.now()
    const cooldownMs = Math.min(maxCooldownMs, cooldownAfterRefusalMs * 2 ** refusalsWithoutTime)
    const error = githubError(answer, hasToken, now, cooldownMs)
    refusalsWithoutTime = error?.code === 'rate_limited' && !namesTime(answer, now) ? refusalsWithoutTime + 1 : 0
    return error
  }
}

const namesTime = ({ headers }: Answer, now: Date): boolean =>
  retryAfter(headers, now) !== null || headerNumber(headers, limitHeaders.remaining) === 0

/**
 * Rules: docs.github.com/rest ("Rate limits for the REST API", "Exceeding the rate limit").
 * @param cooldownMs how long to wait where GitHub does not say.
 */
function githubError(answer: Answer, hasToken: boolean, now: Date, cooldownMs: number): PlatformError | null {
  const { status, headers } = answer
  if (status === 401) return new PlatformError('unauthorized', 'github refused the token. Check GITHUB_TOKEN.')
  if (status !== 403 && status !== 429) return null

  const message = asString(asFields(answer.body)?.message)
  if (status === 429 || namesTime(answer, now) || /rate limit|abuse detection/i.test(message ?? '')) {
    const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, limitHeaders, now), cooldownMs)
    return new PlatformError('rate_limited', 'github allows no more searches for now.', { retryAt })
  }
  // A 403 without JSON comes from GitHub's front end: it refuses the address or the User-Agent, not the token.
  if (message === null || !hasToken) return null
  return new PlatformError('unauthorized', 'github does not let this token search. Check GITHUB_TOKEN.')
}
