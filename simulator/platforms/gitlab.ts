import type { Behaviours } from '../behaviour.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import {
  type Answer,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  withParameters,
} from '../platform-shape.ts'
import { matchesQuery, parseQuery } from '../query.ts'
import { isFound } from '../records.ts'
import {
  maximumPageSize,
  pageNumber,
  pageSize,
  pagingHeaders,
  rateHeaders,
  requestsPerMinute,
} from './gitlab-headers.ts'
import { gitLabIssue, gitLabLabels, internalId, issueUrl } from './gitlab-item.ts'
import { describeProject, groupOf, isLookup, projectOf, token } from './gitlab-project.ts'

const maximumOffset = 50_000
const anonymousSearchesPerMinute = 10
const searchesPerMinute = 30

const orders: Record<string, (record: CorpusRecord) => number> = {
  created_at: (record) => record.createdAt.getTime(),
  updated_at: (record) => record.createdAt.getTime(),
  popularity: (record) => record.votes,
}

/** Without a search all issues are listed: those of a project that were found for any topic. */
function recordsOf(place: string, topic: string, corpus: Corpus): readonly CorpusRecord[] {
  if (topic !== '') return corpus.records(place, topic)
  const known = corpus.known('gitlab').filter((one) => one.place === null || one.place === place)
  return known.map(({ record }) => record).filter(isFound)
}

/** `project` is part of the path of a request, and a parameter of an expectation. */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('search') ?? '')
  const labels = parameters.get('labels')?.split(',').filter(Boolean) ?? []
  const value = orders[parameters.get('order_by') ?? 'created_at'] ?? orders.created_at!
  const direction = parameters.get('sort') === 'asc' ? -1 : 1
  const state = parameters.get('state') ?? 'all'
  const since = new Date(parameters.get('created_after') ?? 0)
  return recordsOf(`gitlab/${parameters.get('project')}`, query.topic, corpus)
    .filter((record) => state === 'all' || (state === 'closed') === (record.resolution !== undefined))
    .filter((record) => matchesQuery(query, record.searchText))
    .filter((record) => record.createdAt >= since)
    .filter((record) => labels.every((label) => gitLabLabels(record).includes(label)))
    .sort((a, b) => direction * (value(b) - value(a)) || a.id - b.id)
}

/** The refusals of an anonymous search: by a switch of GitLab.com, and by settings of other servers. */
const searchRefusals: Partial<Record<Behaviours['gitlab']['anonymousSearch'], [number, string]>> = {
  refused: [422, 'User must be authenticated to use search'],
  unauthorized: [401, '401 Unauthorized'],
  forbidden: [403, '403 Forbidden'],
}

/** Issues by their numbers, also those that no search has any more. */
function listByNumber(request: SearchRequest, project: string, { corpus }: SearchContext): Answer {
  const numbers = request.parameters.getAll('iids[]').map(Number)
  const issues = corpus
    .known('gitlab')
    .filter(({ place, record }) => (place === null || place === `gitlab/${project}`) && isFound(record))
    .filter(({ record }) => numbers.includes(internalId(record)))
    .map(({ record }) => gitLabIssue(record, project, request.baseUrl))
  return jsonAnswer(200, issues)
}

function listIssues(request: SearchRequest, context: SearchContext): Answer {
  const { corpus, limit, leakPrivate, behaviours } = context
  const rate = rateHeaders(limit)
  const project = projectOf(request.path, corpus)
  if (project === null) return jsonAnswer(404, { error: '404 Not Found' }, rate)
  // Which projects exist changes too often to list.
  const isMember = token(request) !== null
  if (project.startsWith('nosuch') || (groupOf(project) !== null && !isMember))
    return jsonAnswer(404, { message: '404 Project Not Found' }, rate)
  const { parameters } = request
  if (parameters.has('iids[]')) return listByNumber(request, project, context)
  const isAnonymousSearch = !isMember && parameters.has('search')
  const refusal = isAnonymousSearch ? searchRefusals[behaviours.gitlab.anonymousSearch] : undefined
  if (refusal) return jsonAnswer(refusal[0], { message: refusal[1] }, rate)
  const order = parameters.get('order_by')
  if (order !== null && !(order in orders)) {
    return jsonAnswer(400, { error: 'order_by does not have a valid value' }, rate)
  }
  const size = pageSize(parameters)
  const start = (pageNumber(parameters) - 1) * size
  if (start > maximumOffset) {
    const error = `Offset pagination has a maximum allowed offset of ${maximumOffset} for requests that return objects of type Issue. Remaining records can be retrieved using keyset pagination.`
    return jsonAnswer(405, { error }, rate)
  }
  const search = new URLSearchParams(parameters)
  search.set('project', project)
  if (isAnonymousSearch && behaviours.gitlab.anonymousSearch === 'ignored') search.delete('search')
  const isAskedFor = parameters.get('confidential') !== 'false' || leakPrivate
  const topic = parseQuery(parameters.get('search') ?? '').topic
  const confidential = isMember && isAskedFor ? corpus.privateRecords(`gitlab/${project}`, topic) : []
  const found = [...confidential, ...find(search, corpus)]
  const issues = found
    .slice(start, start + size)
    .map((record) =>
      gitLabIssue(record, project, request.baseUrl, record.fate === 'private' || confidential.includes(record)),
    )
  return jsonAnswer(200, issues, { ...rate, ...pagingHeaders(request, found.length) })
}

export const gitlab: SimulatedPlatform = {
  environment: (url) => ({
    GITLAB_API_URL: url,
    GITLAB_PROJECTS: 'quillbox/desk:type::feature,halfmoon/editor:enhancement,granary/granary',
  }),
  versionPrefix: /^\/api\/v4(?=\/)/,
  alwaysCompressed: false,
  announces: 'nothing',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: token,
  limit: (request) => ({
    bucket: token(request) ?? 'address',
    limit: token(request) === null ? anonymousSearchesPerMinute : searchesPerMinute,
    windowMs: 60_000,
  }),
  page: ({ parameters }) => pageNumber(parameters),
  find: (parameters, corpus) => find(parameters, corpus).slice(0, maximumOffset + maximumPageSize),

  // Looking up a project and reading issues by their numbers do not count against the limit of searches.
  isAside: ({ path, parameters }) => isLookup(path) || parameters.has('iids[]'),
  search: (request, context) => (isLookup(request.path) ? describeProject(request) : listIssues(request, context)),

  // The front door says when, in plain text; the search limit behind it says nothing but no.
  refuse: (wait, now, state) => {
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    if (wait.form === 'silent') {
      const error = 'This endpoint has been requested too many times. Try again later.'
      return jsonAnswer(429, { message: { error } }, rateHeaders(state))
    }
    const spent = rateHeaders({ ...state, used: requestsPerMinute, resetAt: wait.until })
    const headers = { 'content-type': 'text/plain', 'retry-after': seconds }
    const told = wait.form === 'primary' ? { ...headers, ...spent } : headers
    return { status: 429, headers: told, body: 'Retry later\n' }
  },
  sayMore: (answer, { parameters }) => ({
    ...answer,
    headers: { ...answer.headers, 'x-next-page': String(pageNumber(parameters) + 1) },
  }),
  ignoring: {
    since: withParameters({ created_after: null }),
    order: withParameters({ order_by: 'popularity' }),
  },
  unauthorized: () => jsonAnswer(401, { message: '401 Unauthorized' }),
  serverError: () => ({
    status: 503,
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<!DOCTYPE html><html><head><title>GitLab is not responding (503)</title></head></html>',
  }),
  wrongShape: () => jsonAnswer(200, { message: { issues: 'none' } }),

  plainSearch: (topic) => ({ search: `"${topic.replaceAll('"', ' ')}"`, project: 'quillbox/desk' }),
  sourceId: (record) => String(record.id),
  sourceUrl: (record, parameters) => issueUrl(record, parameters.get('project') ?? 'quillbox/desk'),
}
