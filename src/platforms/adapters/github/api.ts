import type { Clock } from '../../../runtime/clock.ts'
import { hourMs, minuteMs } from '../../../runtime/durations.ts'
import {
  cooldownAfterRefusal,
  cooldownAfterRefusalMs,
  correctByHeaders,
  spentUntil,
} from '../../budget/announced-limits.ts'
import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer, JsonRequest } from '../../client/messages.ts'
import { asFields, asList, asString, type Fields } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { headerNumber, headerText, retryAfter } from '../../headers.ts'
import { PlatformError } from '../../platform.ts'

const limitHeaders = { remaining: 'x-ratelimit-remaining', reset: 'x-ratelimit-reset' }
const maxCooldownMs = 3_600_000

/** GitHub limits each resource separately and names it in `x-ratelimit-resource`. */
type GithubResource = 'search' | 'core' | 'graphql'

/** `x-ratelimit-*` of another resource say nothing about this one. */
function correctGithubBudget(budget: Budget, resource: GithubResource, { headers }: Answer, now: Date): void {
  const described = headerText(headers, 'x-ratelimit-resource') ?? resource
  if (described === resource) correctByHeaders(budget, headers, limitHeaders, now)
}

/** After a refusal without a time, waits one minute, doubled for each further one, at most an hour. */
function createGithubErrorReader(clock: Clock, hasToken: boolean): (answer: Answer) => PlatformError | null {
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

/** docs.github.com/rest, "Exceeding the rate limit". @param cooldownMs how long to wait if GitHub does not say */
function githubError(answer: Answer, hasToken: boolean, now: Date, cooldownMs: number): PlatformError | null {
  const { status, headers } = answer
  if (status === 401) return new PlatformError('unauthorized', 'github refused the token. Check GITHUB_TOKEN.')
  if (status === 200) return graphqlError(answer, now, cooldownMs)
  if (status !== 403 && status !== 429) return null

  const message = asString(asFields(answer.body)?.message)
  if (status === 429 || namesTime(answer, now) || isAboutLimits(message ?? '')) {
    return tooMany(headers, now, cooldownMs)
  }
  // A 403 without JSON comes from GitHub's front end: it refuses the address or User-Agent, not the token.
  if (message === null || !hasToken) return null
  return new PlatformError('unauthorized', 'github does not let this token search. Check GITHUB_TOKEN.')
}

const isAboutLimits = (message: string) => /rate limit|abuse detection/i.test(message)

function tooMany(headers: Answer['headers'], now: Date, cooldownMs: number): PlatformError {
  const retryAt = cooldownAfterRefusal(headers, now, spentUntil(headers, limitHeaders, now), cooldownMs)
  return new PlatformError('rate_limited', 'github allows no more searches for now.', { retryAt })
}

/**
 * GraphQL refuses with HTTP 200 and `errors` (docs.github.com/graphql, "Rate limits and query limits for the GraphQL
 * API"). Partial `data`, such as the nodes next to a deleted one, is an answer.
 */
function graphqlError({ body, headers }: Answer, now: Date, cooldownMs: number): PlatformError | null {
  const errors = asList(asFields(body)?.errors) ?? []
  if (errors.length === 0) return null
  const types = errors.map((error) => asString(asFields(error)?.type) ?? '')
  const messages = errors.map((error) => asString(asFields(error)?.message) ?? '').join('\n')
  const isSpent = headerNumber(headers, limitHeaders.remaining) === 0 && !hasData(body)
  if (types.includes('RATE_LIMITED') || isSpent || isAboutLimits(messages)) return tooMany(headers, now, cooldownMs)
  if (hasData(body)) return null
  if (types.some((type) => type === 'INSUFFICIENT_SCOPES' || type === 'FORBIDDEN')) {
    return new PlatformError('unauthorized', 'github does not let this token read discussions. Check GITHUB_TOKEN.')
  }
  if (/something went wrong|timed? ?out|timeout/i.test(messages)) {
    return new PlatformError('unavailable', 'github could not answer in time. Try again later.')
  }
  return new PlatformError('bad_response', 'github refused the GraphQL query. Check GITHUB_API_URL.')
}

function hasData(body: unknown): boolean {
  return Object.values(asFields(asFields(body)?.data) ?? {}).some((value) => value !== null)
}

export interface GithubOptions extends AdapterDependencies {
  /** `https://api.github.com`, or an enterprise server's `https://<host>/api/v3`. */
  baseUrl: string
  token?: string | undefined
}

type Parameters = Record<string, string | number>

/** GitHub's three APIs, each with its own limits. */
export interface GithubApi {
  hasToken: boolean
  /** `GET /search/issues`. @returns the answer, even a 422 */
  searchIssues(parameters: Parameters, signal: AbortSignal): Promise<Answer>
  /** Sends any other REST `GET`. @returns the answer, including a 403 about this address, 404, 410 and 451 */
  read(path: string, signal: AbortSignal): Promise<Answer>
  /** `POST /graphql`, only with a token. @returns `data` and `errors` */
  query(query: string, variables: Fields, signal: AbortSignal): Promise<{ data: Fields; errors: unknown }>
}

/**
 * docs.github.com/rest/search ("Rate limit"), docs.github.com/rest ("Rate limits for the REST API"); one at a time by
 * "Best practices for using the REST API". GraphQL: 5,000 points an hour, about five per search.
 */
function limitsOf(resource: GithubResource, baseUrl: string, hasToken: boolean): BudgetLimits {
  const { host } = new URL(baseUrl)
  const limits = { concurrency: 1 }
  if (resource === 'search') {
    return { ...limits, name: host, windows: [{ limit: hasToken ? 30 : 10, windowMs: minuteMs }] }
  }
  const limit = resource === 'graphql' ? 1_000 : hasToken ? 5_000 : 60
  return { ...limits, name: `${host} (${resource})`, windows: [{ limit, windowMs: hourMs }], isOptional: true }
}

export function createGithubApi({ client, clock, openBudget, baseUrl, token }: GithubOptions): GithubApi {
  const hasToken = token !== undefined
  const headers = {
    accept: 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(hasToken ? { authorization: `Bearer ${token}` } : {}),
  }
  const senderOf = (resource: GithubResource) => {
    const budget: Budget = openBudget(limitsOf(resource, baseUrl, hasToken))
    const readError = createGithubErrorReader(clock, hasToken)
    return (request: Pick<JsonRequest, 'url' | 'body' | 'signal' | 'acceptStatuses'>) =>
      client.getJson({
        ...request,
        platform: 'github',
        headers: request.body === undefined ? headers : { ...headers, 'content-type': 'application/json' },
        budget,
        readLimits: (answer) => correctGithubBudget(budget, resource, answer, clock.now()),
        readError,
      })
  }
  const search = senderOf('search')
  const core = senderOf('core')
  const graphql = hasToken ? senderOf('graphql') : null

  return {
    hasToken,
    searchIssues: (parameters, signal) =>
      search({ url: endpointUrl(baseUrl, '/search/issues', parameters), signal, acceptStatuses: [422] }),
    read: (path, signal) => core({ url: endpointUrl(baseUrl, path, {}), signal, acceptStatuses: [403, 404, 410, 451] }),
    async query(query, variables, signal) {
      if (graphql === null) throw new PlatformError('not_configured', 'github has GraphQL only with a token.')
      const { body } = await graphql({ url: graphqlUrl(baseUrl), body: JSON.stringify({ query, variables }), signal })
      const answer = asFields(body)
      const data = asFields(answer?.data)
      if (data) return { data, errors: answer?.errors }
      throw new PlatformError('bad_response', 'github answered GraphQL without data. Check GITHUB_API_URL.')
    },
  }
}

/** GitHub Enterprise Server has `/api/graphql` next to `/api/v3` (docs.github.com/enterprise-server). */
function graphqlUrl(baseUrl: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '/api')}/graphql`
  return url
}
