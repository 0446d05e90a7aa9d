import { type Answer, jsonAnswer, readAnswers } from '../answers.ts'
import type { Behaviours } from '../behaviour.ts'
import { readForm } from '../forms.ts'
import type { LimitState } from '../limits.ts'
import {
  correctedNumber,
  limitHeaders,
  pageLink,
  pageNumber,
  quoted,
  withoutText,
  withParameters,
} from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import written from './github.json' with { type: 'json' }
import { answerGraphql, graphqlPath, isReadingQuery, readGraphql } from './github-graphql.ts'
import { gitHubItem, itemUrl } from './github-item.ts'
import { answerRepository, isRepositoryPath } from './github-repository.ts'
import { findAll, findPrivate, isAdvancedQuery, parseGitHubQuery } from './github-search.ts'

const answers = readAnswers(written.answers)
const commonHeaders = readForm(written.forms.headers)
const maximumResults = 1_000
const maximumFreeText = 256
const maximumOperators = 5
const anonymousPerMinute = 10
const authorizedPerMinute = 30
const graphqlPerHour = 5_000

const pageSize = (parameters: URLSearchParams): number =>
  correctedNumber(parameters.get('per_page'), { usual: 30, maximum: 100 })

const rateHeaders = (state: LimitState): Record<string, string> => ({
  ...limitHeaders('x-ratelimit-', state),
  ...(commonHeaders({ used: String(state.used) }) as Record<string, string>),
})

/** The advertised deprecation is always there, so that a client cannot take any Link header for a next page. */
function linkHeader({ parameters, baseUrl, path }: SearchRequest, total: number): string {
  const page = pageNumber(parameters)
  const last = Math.ceil(Math.min(total, maximumResults) / pageSize(parameters))
  const link = (rel: string, target: number): string => pageLink(`${baseUrl}${path}`, parameters, rel, target)
  const links = ['<https://github.blog/changelog/>; rel="deprecation"; type="text/html"']
  if (page > 1) links.push(link('prev', page - 1))
  if (page < last) links.push(link('next', page + 1), link('last', last))
  if (page > 1) links.push(link('first', 1))
  return links.join(', ')
}

/** Whether a query has OR or parentheses where GitHub does not read them. */
function isRefusedForm(parameters: URLSearchParams, advanced: Behaviours['github']['advancedSearch']): boolean {
  if (advanced === 'default' || !isAdvancedQuery(parameters)) return false
  return advanced === 'refused' || parameters.get('advanced_search') !== 'true'
}

/** Why GitHub refuses a query, with the real text, which misleads; null when it is well. */
function refusalOf(parameters: URLSearchParams, { github }: Behaviours): { code: string; message?: string } | null {
  const query = parseGitHubQuery(parameters)
  const { tooLong, misleading, tooManyOperators } = written.refusedQueries
  if (query.groups.length === 0) return { code: 'missing' }
  if (query.freeText.length > maximumFreeText) return { code: 'invalid', message: tooLong }
  if (isRefusedForm(parameters, github.advancedSearch)) return { code: 'invalid', message: misleading }
  return query.operatorCount > maximumOperators ? { code: 'invalid', message: tooManyOperators } : null
}

function searchIssues(request: SearchRequest, context: SearchContext): Answer {
  const { corpus, limit, leakPullRequests, leakPrivate, behaviours } = context
  const { parameters } = request
  const headers = rateHeaders(limit)
  const refused = refusalOf(parameters, behaviours)
  if (refused) return answers.validationFailed({ message: undefined, ...refused }, headers)
  const start = (pageNumber(parameters) - 1) * pageSize(parameters)
  if (start >= maximumResults) return answers.tooDeep({}, headers)
  const hidden = request.headers.authorization ? findPrivate(parameters, corpus, leakPrivate) : []
  const found = [...hidden, ...findAll(parameters, corpus, leakPullRequests)]
  const items = found
    .slice(start, Math.min(start + pageSize(parameters), maximumResults))
    .map((record) => gitHubItem(record, request.baseUrl, record.fate === 'private' || hidden.includes(record)))
  const body = { total_count: found.length, incomplete_results: false, items }
  return jsonAnswer(200, body, { ...headers, link: linkHeader(request, found.length) })
}

/** Any cursor is one of a later page. */
function discussionPage(request: SearchRequest): number {
  const { variables } = readGraphql(request)
  return Object.entries(variables).some(([name, value]) => name.startsWith('after') && value) ? 2 : 1
}

export const github: SimulatedPlatform = {
  environment: (url) => ({ GITHUB_API_URL: url }),
  versionPrefix: /^\/api\/v3(?=\/)/,
  announces: 'reset',
  refuseMissingUserAgent: answers.noUserAgent,
  credential: ({ headers }) => headers.authorization?.replace(/^(bearer|token) /i, '') ?? null,
  // What reads known issues or a repository has limits that no test reaches.
  isAside: (request) => isRepositoryPath(request.path) || (request.path === graphqlPath && isReadingQuery(request)),
  limit: ({ headers: { authorization }, path }) => {
    if (path === graphqlPath) {
      return { bucket: `graphql ${authorization}`, limit: graphqlPerHour, windowMs: 3_600_000 }
    }
    const limit = authorization ? authorizedPerMinute : anonymousPerMinute
    return { bucket: authorization ?? 'anonymous', limit, windowMs: 60_000 }
  },
  page: (request) => (request.path === graphqlPath ? discussionPage(request) : pageNumber(request.parameters)),
  find: (parameters, corpus) => findAll(parameters, corpus, false).slice(0, maximumResults),

  search: (request, context) => {
    if (isRepositoryPath(request.path)) return answerRepository(request, context)
    if (request.path === '/search/issues') return searchIssues(request, context)
    const headers = rateHeaders(context.limit)
    return request.path === graphqlPath && request.method === 'POST'
      ? answerGraphql(request, context, { ...headers, 'x-ratelimit-resource': 'graphql' })
      : answers.notFound({ documentation: written.searchDocumentation }, headers)
  },

  refuse: ({ form, until, seconds }, state) => {
    const spent = { ...state, remaining: 0, used: state.limit, resetAt: until }
    if (form === 'primary') return answers.rateLimited({}, rateHeaders(spent))
    const retry: Record<string, string> = form === 'secondary' ? { 'retry-after': String(seconds) } : {}
    const remaining = Math.max(1, state.remaining)
    return answers.secondaryLimit({}, { ...rateHeaders({ ...state, remaining }), ...retry })
  },
  sayMore: (answer, { parameters, baseUrl, path }) => {
    const link = pageLink(`${baseUrl}${path}`, parameters, 'next', pageNumber(parameters) + 1)
    return { ...answer, headers: { ...answer.headers, link } }
  },
  ignoring: {
    since: withoutText('q', / created:[^\s"]+/g),
    order: (request) => withParameters({ sort: null })(withoutText('q', / sort:created-desc/g)(request)),
  },
  answers,

  plainSearch: (topic) => ({ q: quoted(topic) }),
  sourceId: ({ id }) => String(id),
  sourceUrl: itemUrl,
}
