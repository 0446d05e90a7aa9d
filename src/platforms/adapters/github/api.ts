import type { Budget, BudgetLimits } from '../../budget/budget.ts'
import { endpointUrl } from '../../client/client.ts'
import type { Answer, JsonRequest } from '../../client/messages.ts'
import { asFields, type Fields } from '../../content/fields.ts'
import type { AdapterDependencies } from '../../definition.ts'
import { PlatformError } from '../../platform.ts'
import { correctGithubBudget, createGithubErrorReader, type GithubResource } from './errors.ts'

export interface GithubOptions extends AdapterDependencies {
  /** `https://api.github.com`, or `https://<host>/api/v3` of an enterprise server. */
  baseUrl: string
  token?: string | undefined
}

type Parameters = Record<string, string | number>

/** The three parts of GitHub's API, each with its own limits. */
export interface GithubApi {
  hasToken: boolean
  /** `GET /search/issues`. @returns the answer, also a 422. */
  searchIssues(parameters: Parameters, signal: AbortSignal): Promise<Answer>
  /** `GET` of anything else in REST. @returns the answer, also a 403 about this address, a 404, 410 or 451. */
  read(path: string, signal: AbortSignal): Promise<Answer>
  /** `POST /graphql`; only with a token. @returns `data` and `errors`. */
  query(query: string, variables: Fields, signal: AbortSignal): Promise<{ data: Fields; errors: unknown }>
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs

/**
 * Rules: docs.github.com/rest/search ("Rate limit") and docs.github.com/rest ("Rate limits for the REST API"); one request at a time: its
 * "Best practices for using the REST API". GraphQL allows 5,000 points an hour; a search here costs about five.
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

/** `https://api.github.com/graphql`; an enterprise server has `/api/graphql` beside `/api/v3` (docs.github.com/enterprise-server). */
function graphqlUrl(baseUrl: string): URL {
  const url = new URL(baseUrl)
  url.pathname = `${url.pathname.replace(/\/+$/, '').replace(/\/api\/v3$/, '/api')}/graphql`
  return url
}
