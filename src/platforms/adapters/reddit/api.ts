import type { Clock } from '../../../runtime/clock.ts'
import { cooldownAfterRefusal } from '../../budget/announced-limits.ts'
import type { Budget, OpenBudget } from '../../budget/budget.ts'
import { type AccessToken, createAccessTokens, withToken } from '../../client/access-token.ts'
import { endpointUrl, type PlatformClient } from '../../client/client.ts'
import type { Answer } from '../../client/messages.ts'
import { asFields, asInteger, asString } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { type AnswerHeaders, after, headerText } from '../../headers.ts'
import { PlatformError, SourceRefusedError } from '../../platform.ts'

/** `x-ratelimit-remaining` is a float, `-reset` the seconds left in the window (prawcore, rate_limit.py). */
function correctRedditBudget(budget: Budget, { headers }: Answer, now: Date): void {
  const remaining = headerFloat(headers, 'x-ratelimit-remaining')
  const resetAt = windowEnd(headers, now)
  if (remaining !== null && resetAt) budget.correct({ remaining: Math.floor(remaining), resetAt }, now)
}

/** Reason for a missing wiki page; never about a community. */
const absentPage = 'PAGE_NOT_CREATED'

/**
 * Reads `{message?, error, reason?}` with a numeric status; from OAuth `{error}` with a word (RFC 6749, 5.2), often
 * with status 200; or HTML.
 * @param community such as `r/obsidianmd`; null for all
 */
function redditError(answer: Answer, now: Date, community: string | null = null): PlatformError | null {
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
      // The client handles an HTTP status of 500 or more.
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

/** Private, banned or quarantined; only this community is affected. */
const refusedCommunity = (community: string, status: number) =>
  new SourceRefusedError(`reddit lets only some accounts read ${community}, or has no such community (${status}).`)

/** Reddit's front end answers HTML, its API JSON. */
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

interface RedditTokenOptions extends AdapterDependencies {
  tokenUrl: string
  clientId: string
  clientSecret: string
}

/** Token requests per minute; a token lasts an hour or a day. */
const tokenRequestsPerMinute = 10
const usualLifetimeSeconds = 3_600

/**
 * Reddit wants `<platform>:<app ID>:<version string> (by /u/<name>)` and forbids a false one (support.reddithelp.com
 * 16160319875092). The project's address replaces the operator's account, which is not configured.
 */
function redditAgentPrefix(clientId: string | undefined): string {
  return /^[\w-]{1,100}$/.test(clientId ?? '') ? `server:${clientId}:` : ''
}

/** Fetches application-only access tokens, `grant_type=client_credentials` (RFC 6749, section 4.4). */
function createRedditTokens(options: RedditTokenOptions): () => Promise<AccessToken> {
  const { client, clock, openBudget, tokenUrl, clientId, clientSecret } = options
  const url = new URL(tokenUrl)
  const windows = [{ limit: tokenRequestsPerMinute, windowMs: 60_000 }]
  const budget = openBudget({ name: `${url.host} (tokens)`, windows, concurrency: 1 })
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')

  return async () => {
    const { body } = await client.getJson({
      platform: 'reddit',
      url,
      headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
      agentPrefix: redditAgentPrefix(clientId),
      budget,
      // All tasks share this token, so no single task may abort it; the client's deadline applies.
      signal: new AbortController().signal,
      label: 'reddit (token)',
      readError: (answer) => redditError(answer, clock.now()),
    })
    const value = asString(asFields(body)?.access_token)
    // A token must fit in a header.
    if (value === null || !/^[\x21-\x7e]{1,8000}$/.test(value)) {
      throw new PlatformError('bad_response', 'reddit gave no access token. Check REDDIT_TOKEN_URL.')
    }
    const lifetimeSeconds = asInteger(asFields(body)?.expires_in) ?? 0
    return {
      value,
      expiresAt: after(clock.now(), (lifetimeSeconds > 0 ? lifetimeSeconds : usualLifetimeSeconds) * 1000),
    }
  }
}

export interface RedditApiOptions {
  client: PlatformClient
  clock: Clock
  openBudget: OpenBudget
  baseUrl: string
  tokenUrl: string
  clientId?: string | undefined
  clientSecret?: string | undefined
}

export interface RedditRequest {
  path: string
  parameters: Record<string, string>
  /** The community to query, such as `r/obsidianmd`; null for all. */
  community: string | null
  signal: AbortSignal
}

/** @throws SourceRefusedError if the community is not public, PlatformError `not_configured` without an application */
export type RedditApi = (request: RedditRequest) => Promise<unknown>

/** 100 requests a minute per application, averaged over ten minutes (support.reddithelp.com 16160319875092). */
const window = { limit: 1_000, windowMs: 600_000 }

export function createRedditApi(options: RedditApiOptions): RedditApi {
  const { client, clock, openBudget, baseUrl, tokenUrl, clientId, clientSecret } = options
  const budget = openBudget({ name: new URL(baseUrl).host, windows: [window], concurrency: 1 })
  const credentials = clientId === undefined || clientSecret === undefined ? null : { clientId, clientSecret }
  const tokens = credentials
    ? createAccessTokens(clock, createRedditTokens({ client, clock, openBudget, tokenUrl, ...credentials }))
    : null

  return async ({ path, parameters, community, signal }) => {
    if (!tokens) {
      throw new PlatformError('not_configured', 'reddit needs REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET.')
    }
    const { body } = await withToken(tokens, (token) =>
      client.getJson({
        platform: 'reddit',
        // Without `raw_json`, `&`, `<` and `>` are escaped.
        url: endpointUrl(baseUrl, path, { ...parameters, raw_json: '1' }),
        headers: { authorization: `Bearer ${token}` },
        agentPrefix: redditAgentPrefix(clientId),
        budget,
        signal,
        readLimits: (answer) => correctRedditBudget(budget, answer, clock.now()),
        readError: (answer) => redditError(answer, clock.now(), community),
      }),
    )
    return body
  }
}
