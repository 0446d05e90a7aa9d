import { type Answer, type AnswerForm, jsonAnswer, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, mostFirst, since, votes } from '../finding.ts'
import { listed, pageNumber, quoted, withParameter, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import { isFound } from '../records.ts'
import written from './gitlab.json' with { type: 'json' }
import { gitLabIssue, gitLabLabels, internalId, issueUrl } from './gitlab-item.ts'
import { maximumPageSize, pageSize, pagingHeaders, rateHeaders, requestsPerMinute } from './gitlab-paging.ts'
import { describeProject, givenProject, isClosed, isLookup, projectOf, token } from './gitlab-project.ts'

const answers = readAnswers(written.answers)
const maximumOffset = 50_000
const anonymousSearchesPerMinute = 10
const searchesPerMinute = 30

const orders: Record<string, (record: CorpusRecord) => number> = {
  created_at: created,
  updated_at: created,
  popularity: votes,
}

/** The issues of a place that were found for any topic. */
const knownIn = (place: string, corpus: Corpus): CorpusRecord[] =>
  corpus
    .known('gitlab')
    .filter((one) => (one.place === null || one.place === place) && isFound(one.record))
    .map(({ record }) => record)

/** `project` is part of the path of a request, and a parameter of an expectation. Without a search all known issues are listed. */
function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('search') ?? '')
  const labels = listed(parameters.get('labels'))
  const state = parameters.get('state') ?? 'all'
  const place = `gitlab/${parameters.get('project')}`
  const records = query.topic === '' ? knownIn(place, corpus) : corpus.records(place, query.topic)
  const measure = orders[parameters.get('order_by') ?? 'created_at'] ?? created
  return records
    .filter((record) => state === 'all' || (state === 'closed') === (record.resolution !== undefined))
    .filter(matching(query))
    .filter(since(parameters.get('created_after')))
    .filter((record) => labels.every((label) => gitLabLabels(record).includes(label)))
    .sort(mostFirst(measure, parameters.get('sort') === 'asc' ? -1 : 1))
}

/** The refusals of an anonymous search: by a switch of GitLab.com, and by settings of other servers. */
const searchRefusals: Partial<Record<string, AnswerForm>> = {
  refused: answers.refused,
  unauthorized: answers.unauthorized,
  forbidden: answers.forbidden,
}

/** Issues by their numbers, also those that no search has any more. */
function listByNumber(request: SearchRequest, project: string, { corpus }: SearchContext): Answer {
  const numbers = request.parameters.getAll('iids[]').map(Number)
  const found = knownIn(`gitlab/${project}`, corpus).filter((record) => numbers.includes(internalId(record)))
  const issues = found.map((record) => gitLabIssue(record, project, request.baseUrl))
  return jsonAnswer(200, issues)
}

function listIssues(request: SearchRequest, context: SearchContext): Answer {
  const { corpus, limit, behaviours } = context
  const { parameters } = request
  const { anonymousSearch } = behaviours.gitlab
  const rate = rateHeaders(limit)
  const project = projectOf(request.path, corpus)
  if (project === null) return answers.unknownPath({}, rate)
  // Which projects exist changes too often to list.
  const isMember = token(request) !== null
  if (project.startsWith('nosuch') || (isClosed(project) && !isMember)) {
    return answers.notFound({ what: 'Project' }, rate)
  }
  if (parameters.has('iids[]')) return listByNumber(request, project, context)
  const isAnonymousSearch = !isMember && parameters.has('search')
  const refusal = isAnonymousSearch ? searchRefusals[anonymousSearch] : undefined
  if (refusal) return refusal({}, rate)
  const order = parameters.get('order_by')
  if (order !== null && !(order in orders)) return answers.badOrder({}, rate)
  const start = (pageNumber(parameters) - 1) * pageSize(parameters)
  if (start > maximumOffset) return answers.tooDeep({}, rate)
  const search = withParameter(parameters, 'project', project)
  if (isAnonymousSearch && anonymousSearch === 'ignored') search.delete('search')
  const confidential = isMember ? confidentialIssues(parameters, project, context) : []
  const found = [...confidential, ...find(search, corpus)]
  const isConfidential = (record: CorpusRecord) => record.fate === 'private' || confidential.includes(record)
  const issues = found
    .slice(start, start + pageSize(parameters))
    .map((record) => gitLabIssue(record, project, request.baseUrl, isConfidential(record)))
  return jsonAnswer(200, issues, { ...rate, ...pagingHeaders(request, found.length) })
}

function confidentialIssues(parameters: URLSearchParams, project: string, { corpus, leakPrivate }: SearchContext) {
  if (parameters.get('confidential') === 'false' && !leakPrivate) return []
  return corpus.privateRecords(`gitlab/${project}`, parseQuery(parameters.get('search') ?? '').topic)
}

export const gitlab: SimulatedPlatform = {
  environment: (url) => ({
    GITLAB_API_URL: url,
    GITLAB_PROJECTS: 'quillbox/desk:type::feature,halfmoon/editor:enhancement,granary/granary',
  }),
  versionPrefix: /^\/api\/v4(?=\/)/,
  announces: 'nothing',
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
  refuse: ({ form, until, seconds }, state) => {
    if (form === 'silent') return answers.tooOften({}, rateHeaders(state))
    const spent = rateHeaders({ ...state, used: requestsPerMinute, resetAt: until })
    return answers.retryLater({}, { 'retry-after': String(seconds), ...(form === 'primary' ? spent : {}) })
  },
  sayMore: (answer, { parameters }) => ({
    ...answer,
    headers: { ...answer.headers, 'x-next-page': String(pageNumber(parameters) + 1) },
  }),
  ignoring: { since: withParameters({ created_after: null }), order: withParameters({ order_by: 'popularity' }) },
  answers,

  plainSearch: (topic) => ({ search: quoted(topic), project: givenProject }),
  sourceId: ({ id }) => String(id),
  sourceUrl: (record, parameters) => issueUrl(record, parameters.get('project') ?? givenProject),
}
