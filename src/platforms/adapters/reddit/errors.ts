import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget } from '../../budget/budget.ts'
import { type AnswerHeaders, after, headerText } from '../../client/headers.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asString } from '../../content/fields.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

/** `x-ratelimit-remaining` is a float, `-reset` the seconds that the window still lasts (prawcore, rate_limit.py). */
export function correctRedditBudget(budget: Budget, { headers }: Answer, now: Date): void {
  const remaining = headerFloat(headers, 'x-ratelimit-remaining')
  const resetAt = windowEnd(headers, now)
  if (remaining !== null && resetAt) budget.correct({ remaining: Math.floor(remaining), resetAt }, now)
}

/** The reason of a page that does not exist; it is about wikis, and never about a community. */
const absentPage = 'PAGE_NOT_CREATED'

/**
 * The error in an answer of Reddit, to a search or to a request for a token. Its body is
 * `{message?, error, reason?}` with the status as a number, of OAuth `{error}` with a word (RFC 6749, section 5.2) and often
 * a status of 200, or HTML.
 * @param community the community that was queried, such as `r/obsidianmd`; null for all.
 */
export function redditError(answer: Answer, now: Date, community: string | null = null): PlatformError | null {
  const body = asFields(answer.body)
  const refusal = asString(body?.error)
  const isOauthError = answer.status < 300 || answer.status === 400
  if (refusal !== null && isOauthError) return unauthorized()
  const status = answer.status < 300 ? (asInteger(body?.error) ?? answer.status) : answer.status
  const reason = asString(body?.reason)
  switch (status) {
    case 401:
      return unauthorized()
    case 429:
      return rateLimited(answer.headers, now)
    case 403:
    case 404:
      if (community !== null && body !== null) return refusedCommunity(community, status)
      if (status === 404) return reason === null || reason === absentPage ? notFound() : blocked(true, status)
      return blocked(body !== null, status)
    default:
      // A status of 500 or more in the answer itself is read by the client.
      return answer.status < 300 && status >= 500 ? unavailable() : null
  }
}

function unauthorized(): PlatformError {
  const message = 'reddit refused the application. Check REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET.'
  return new PlatformError('unauthorized', message)
}

const unavailable = () => new PlatformError('unavailable', 'reddit is temporarily unavailable. Try again later.')

const notFound = () =>
  new PlatformError('bad_response', 'reddit has nothing at this address (404). Check REDDIT_API_URL.')

/** Private, banned or in quarantine; only this community is affected. */
const refusedCommunity = (community: string, status: number) =>
  new SourceRefusedError(`reddit lets only some accounts read ${community}, or has no such community (${status}).`)

/** Reddit's front end answers in HTML, its API in JSON. */
function blocked(isJson: boolean, status: number): PlatformError {
  const message = isJson
    ? `reddit does not let this application search (${status}). Check that Reddit has approved it for the Data API.`
    : `reddit blocks this network address (${status}). Ask Reddit to approve your application, or use another address.`
  return new PlatformError('blocked', message)
}

function rateLimited(headers: AnswerHeaders, now: Date): PlatformError {
  const retryAt = cooldownAfterRefusal(headers, now, windowEnd(headers, now))
  return new PlatformError('rate_limited', 'reddit allows no more requests for now.', { retryAt })
}

function windowEnd(headers: AnswerHeaders, now: Date): Date | null {
  const seconds = headerFloat(headers, 'x-ratelimit-reset')
  return seconds === null || seconds <= 0 ? null : after(now, Math.ceil(seconds) * 1000)
}

function headerFloat(headers: AnswerHeaders, name: string): number | null {
  const text = headerText(headers, name)
  return text !== null && /^\d{1,9}(\.\d{1,20})?$/.test(text) ? Number(text) : null
}
