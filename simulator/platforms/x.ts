import { type Answer, changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, since } from '../finding.ts'
import {
  acceptedNumber,
  bearer,
  limitHeaders,
  listed,
  pageAt,
  quoted,
  withParameter,
  withParameters,
} from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import written from './x.json' with { type: 'json' }
import { postUrl, xPost, xUsers } from './x-item.ts'

const answers = readAnswers(written.answers)
const rateHeaders = limitHeaders.bind(null, 'x-rate-limit-')
const searchPath = '/tweets/search/recent'
const pageSizes = { usual: 10, minimum: 10, maximum: 100 }
const maximumQuery = 512
const windowMs = 900_000
const requestsPerWindow = 450
const reachMs = 7 * 86_400_000

const qualifiers = 'is has lang from to url conversation_id'.split(' ')

const pageSize = (parameters: URLSearchParams) => acceptedNumber(parameters.get('max_results'), pageSizes)

/** A token is opaque to clients: here, where its page begins. */
const tokenAt = (offset: number) => `b26v89c19zqg8o3f${offset.toString(36).padStart(6, '0')}`

function offset(parameters: URLSearchParams): number | null {
  const token = parameters.get('next_token')
  const place = /^b26v89c19zqg8o3f([0-9a-z]{6})$/.exec(token ?? '')?.[1]
  return token === null ? 0 : place === undefined ? null : Number.parseInt(place, 36)
}

function find(parameters: URLSearchParams, corpus: Corpus, leakRetweets = false): CorpusRecord[] {
  const query = parseQuery(parameters.get('query') ?? '', qualifiers)
  const qualifies = (record: CorpusRecord) => (name: string, value: string) =>
    name === 'is' && value === 'retweet' && !leakRetweets ? record.kind === 'pull_request' : null
  const found = corpus
    .records('x', query.topic)
    .filter(matching(query, qualifies))
    .filter(since(parameters.get('start_time')))
  if (parameters.get('sort_order') === 'relevancy') return found
  return found.sort((a, b) => created(b) - created(a) || b.id - a.id)
}

/** The parameter that X would refuse; null when all are well. */
function refusedParameter(parameters: URLSearchParams, now: number): string | null {
  const query = parameters.get('query') ?? ''
  const clauses = parseQuery(query, qualifiers).groups.flat()
  const canStandAlone = clauses.some(({ kind, negated }) => kind !== 'qualifier' && !negated)
  const isBalanced = query.split('"').length % 2 === 1
  if (query.length > maximumQuery || !canStandAlone || !isBalanced) return 'query'
  if (pageSize(parameters) === null) return 'max_results'
  if (offset(parameters) === null) return 'next_token'
  if (!isStart(parameters.get('start_time'), now)) return 'start_time'
  const unknown = Object.entries(written.knownFields).find(([name, known]) =>
    listed(parameters.get(name)).some((field) => !known.includes(field)),
  )
  return unknown?.[0] ?? null
}

/** A start is within the last seven days, and before the end, 30 seconds ago. */
function isStart(text: string | null, now: number): boolean {
  if (text === null) return true
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)
  const age = now - Date.parse(text)
  return isInstant && age >= 30_000 && age <= reachMs
}

function searchPosts({ parameters }: SearchRequest, { corpus, limit, now, leakPullRequests }: SearchContext): Answer {
  const headers = rateHeaders(limit)
  const refused = refusedParameter(parameters, now)
  if (refused !== null) {
    return answers.invalid({ name: refused, parameters: { [refused]: [parameters.get(refused) ?? ''] } }, headers)
  }
  const start = offset(parameters)!
  const found = find(parameters, corpus, leakPullRequests)
  const records = found.slice(start, start + pageSize(parameters)!)
  if (records.length === 0) return answers.nothing({}, headers)
  const end = start + records.length
  const fields = (name: string) => new Set(listed(parameters.get(name)))
  const hasAuthors = fields('expansions').has('author_id')
  return answers.results(
    {
      posts: records.map((record) => xPost(record, fields('tweet.fields'))),
      ...(hasAuthors ? xUsers(records, fields('user.fields')) : { includes: undefined, errors: undefined }),
      newestId: String(records[0]!.id),
      oldestId: String(records.at(-1)!.id),
      count: records.length,
      next: end < found.length ? tokenAt(end) : undefined,
    },
    headers,
  )
}

export const x: SimulatedPlatform = {
  environment: (url) => ({ X_API_URL: url, X_BEARER_TOKEN: 'simulated-bearer' }),
  versionPrefix: /^\/2(?=\/)/,
  announces: 'reset',
  credential: bearer,
  limit: (request) => ({ bucket: bearer(request) ?? 'anonymous', limit: requestsPerWindow, windowMs }),
  page: ({ parameters }) => pageAt(offset(parameters), pageSize(parameters) ?? pageSizes.usual),
  find: (parameters, corpus) => find(parameters, corpus),

  search: (request, context) => {
    if (bearer(request) === null) return answers.unauthorized()
    return request.path === searchPath ? searchPosts(request, context) : answers.notFound()
  },

  refuse: ({ form, until, seconds }, state) => {
    const spent = rateHeaders({ ...state, remaining: 0, resetAt: until })
    return answers.tooMany({}, { primary: spent, secondary: { 'retry-after': String(seconds) }, silent: {} }[form])
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ meta }) => ({
      meta: { next_token: parameters.get('next_token') ?? tokenAt(0), ...(meta as object) },
    })),
  ignoring: {
    since: withParameters({ start_time: null }),
    order: (request) => ({
      ...request,
      parameters: withParameter(request.parameters, 'sort_order', 'relevancy'),
    }),
  },
  answers,

  plainSearch: (topic) => ({ query: `${quoted(topic)} -is:retweet` }),
  sourceId: ({ id }) => String(id),
  sourceUrl: postUrl,
}
