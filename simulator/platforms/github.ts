import type { Behaviours } from '../behaviour.ts'
import type { LimitState } from '../limits.ts'
import {
  jsonAnswer,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withoutText,
  withParameters,
} from '../platform-shape.ts'
import { answerGraphql, graphqlPath, isReadingQuery, readGraphql } from './github-graphql.ts'
import { gitHubItem, itemUrl } from './github-item.ts'
import { answerRepository, isRepositoryPath } from './github-repository.ts'
import { findAll, findPrivate, isAdvancedQuery, parseGitHubQuery } from './github-search.ts'

const maximumResults = 1_000
const maximumPageSize = 100
const defaultPageSize = 30
const maximumFreeText = 256
const maximumOperators = 5
const anonymousPerMinute = 10
const authorizedPerMinute = 30
const graphqlPerHour = 5_000

const documentation = 'https://docs.github.com/rest/search/search#search-issues-and-pull-requests'
const rateLimitDocumentation = 'https://docs.github.com/rest/overview/rate-limits-for-the-rest-api'

function pageSize(parameters: URLSearchParams): number {
  const asked = wholeNumber(parameters.get('per_page'), defaultPageSize) ?? defaultPageSize
  return asked < 1 ? defaultPageSize : Math.min(asked, maximumPageSize)
}

function pageNumber(parameters: URLSearchParams): number {
  return Math.max(1, wholeNumber(parameters.get('page'), 1) ?? 1)
}

function rateHeaders(state: LimitState): Record<string, string> {
  return {
    'x-ratelimit-limit': String(state.limit),
    'x-ratelimit-remaining': String(state.remaining),
    'x-ratelimit-used': String(state.used),
    'x-ratelimit-reset': String(Math.ceil(state.resetAt / 1_000)),
    'x-ratelimit-resource': 'search',
    'x-github-media-type': 'github.v3; format=json',
    'x-github-api-version-selected': '2022-11-28',
    vary: 'Accept-Encoding, Accept, X-Requested-With',
    'cache-control': 'no-cache',
  }
}

/** The advertised deprecation is always there, so that a client cannot take any Link header for a next page. */
function linkHeader(request: SearchRequest, total: number): string {
  const { parameters, baseUrl, path } = request
  const page = pageNumber(parameters)
  const last = Math.ceil(Math.min(total, maximumResults) / pageSize(parameters))
  const link = (rel: string, target: number): string => {
    const query = new URLSearchParams(parameters)
    query.set('page', String(target))
    return `<${baseUrl}${path}?${query}>; rel="${rel}"`
  }
  const links = ['<https://github.blog/changelog/>; rel="deprecation"; type="text/html"']
  if (page > 1) links.push(link('prev', page - 1))
  if (page < last) links.push(link('next', page + 1), link('last', last))
  if (page > 1) links.push(link('first', 1))
  return links.join(', ')
}

function validationFailed(error: { message?: string; code: string }, headers: Record<string, string>) {
  const errors = [{ ...error, resource: 'Search', field: 'q' }]
  return jsonAnswer(
    422,
    { message: 'Validation Failed', errors, documentation_url: documentation, status: '422' },
    headers,
  )
}

const secondaryMessage =
  'You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub ' +
  'Support for help, please include the request ID 0000:0000:000000:000000:00000000.'

/** Whether a query has OR or parentheses where GitHub does not read them. */
function isRefusedForm(parameters: URLSearchParams, advanced: Behaviours['github']['advancedSearch']): boolean {
  if (advanced === 'default' || !isAdvancedQuery(parameters)) return false
  return advanced === 'refused' || parameters.get('advanced_search') !== 'true'
}

/** Any cursor is one of a later page. */
function discussionPage(request: SearchRequest): number {
  const { variables } = readGraphql(request)
  return Object.entries(variables).some(([name, value]) => name.startsWith('after') && value) ? 2 : 1
}

export const github: SimulatedPlatform = {
  environment: (url) => ({ GITHUB_API_URL: url }),
  versionPrefix: /^\/api\/v3(?=\/)/,
  alwaysCompressed: false,
  announces: 'reset',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: () => ({
    status: 403,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '\r\nRequest forbidden by administrative rules. Please make sure your request has a User-Agent header.\r\n',
  }),
  credential: ({ headers }) => headers.authorization?.replace(/^(bearer|token) /i, '') ?? null,
  // What reads known issues or a repository has limits that no test reaches.
  isAside: (request) => isRepositoryPath(request.path) || (request.path === graphqlPath && isReadingQuery(request)),
  limit: ({ headers, path }) =>
    path === graphqlPath
      ? { bucket: `graphql ${headers.authorization}`, limit: graphqlPerHour, windowMs: 3_600_000 }
      : {
          bucket: headers.authorization ?? 'anonymous',
          limit: headers.authorization ? authorizedPerMinute : anonymousPerMinute,
          windowMs: 60_000,
        },
  page: (request) => (request.path === graphqlPath ? discussionPage(request) : pageNumber(request.parameters)),
  find: (parameters, corpus, leakPullRequests = false) =>
    findAll(parameters, corpus, leakPullRequests).slice(0, maximumResults),

  search: (request, context) => {
    const { corpus, limit, leakPullRequests, leakPrivate, behaviours } = context
    if (isRepositoryPath(request.path)) return answerRepository(request, context)
    const headers = rateHeaders(limit)
    if (request.path === graphqlPath && request.method === 'POST') {
      return answerGraphql(request, context, { ...headers, 'x-ratelimit-resource': 'graphql' })
    }
    const { parameters } = request
    if (request.path !== '/search/issues') {
      return jsonAnswer(404, { message: 'Not Found', documentation_url: documentation, status: '404' }, headers)
    }
    const query = parseGitHubQuery(parameters)
    if (query.groups.length === 0) return validationFailed({ code: 'missing' }, headers)
    if (query.freeText.length > maximumFreeText) {
      return validationFailed({ message: 'The search is longer than 256 characters.', code: 'invalid' }, headers)
    }
    if (isRefusedForm(parameters, behaviours.github.advancedSearch)) {
      // The real text, which misleads.
      const message =
        'The listed users and repositories cannot be searched either because the resources do not exist or you do not have permission to view them.'
      return validationFailed({ message, code: 'invalid' }, headers)
    }
    if (query.operatorCount > maximumOperators) {
      const message = 'More than five AND / OR / NOT operators were used.'
      return validationFailed({ message, code: 'invalid' }, headers)
    }
    const start = (pageNumber(parameters) - 1) * pageSize(parameters)
    if (start >= maximumResults) {
      const message = 'Only the first 1000 search results are available'
      return jsonAnswer(
        422,
        { message, documentation_url: 'https://docs.github.com/v3/search/', status: '422' },
        headers,
      )
    }
    const hidden = request.headers.authorization ? findPrivate(parameters, corpus, leakPrivate) : []
    const found = [...hidden, ...findAll(parameters, corpus, leakPullRequests)]
    const end = Math.min(start + pageSize(parameters), maximumResults)
    const items = found
      .slice(start, end)
      .map((record) => gitHubItem(record, request.baseUrl, record.fate === 'private' || hidden.includes(record)))
    const body = { total_count: found.length, incomplete_results: false, items }
    return jsonAnswer(200, body, { ...headers, link: linkHeader(request, found.length) })
  },

  refuse: (wait, now, state) => {
    if (wait.form === 'primary') {
      const message =
        "API rate limit exceeded for 127.0.0.1. (But here's the good news: Authenticated requests get a higher rate " +
        'limit. Check out the documentation for more details.)'
      const spent = rateHeaders({ ...state, remaining: 0, used: state.limit, resetAt: wait.until })
      return jsonAnswer(403, { message, documentation_url: rateLimitDocumentation }, spent)
    }
    const seconds = Math.max(1, Math.ceil((wait.until - now) / 1_000))
    const retry: Record<string, string> = wait.form === 'secondary' ? { 'retry-after': String(seconds) } : {}
    const body = {
      message: secondaryMessage,
      documentation_url: `${rateLimitDocumentation}#about-secondary-rate-limits`,
    }
    return jsonAnswer(403, body, { ...rateHeaders({ ...state, remaining: Math.max(1, state.remaining) }), ...retry })
  },
  sayMore: (answer, { parameters, baseUrl, path }) => {
    const query = new URLSearchParams(parameters)
    query.set('page', String(pageNumber(parameters) + 1))
    return { ...answer, headers: { ...answer.headers, link: `<${baseUrl}${path}?${query}>; rel="next"` } }
  },
  ignoring: {
    since: withoutText('q', / created:[^\s"]+/g),
    order: (request) => withParameters({ sort: null })(withoutText('q', / sort:created-desc/g)(request)),
  },
  unauthorized: () =>
    jsonAnswer(401, { message: 'Bad credentials', documentation_url: 'https://docs.github.com/rest', status: '401' }),
  serverError: () => jsonAnswer(503, { message: 'Service Unavailable', documentation_url: documentation }),
  wrongShape: () => jsonAnswer(200, { total_count: 'many', incomplete_results: 0, items: { first: 'not a list' } }),

  // Quoted, so that nothing in a topic is read as a qualifier.
  plainSearch: (topic) => ({ q: `"${topic.replaceAll('"', ' ')}"` }),
  sourceId: (record) => String(record.id),
  sourceUrl: (record) => itemUrl(record),
}
