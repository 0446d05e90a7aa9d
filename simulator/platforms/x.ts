import type { Corpus, CorpusRecord } from '../corpus.ts'
import type { LimitState } from '../limits.ts'
import {
  type Answer,
  changeBody,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withParameters,
} from '../platform-shape.ts'
import { matchesQuery, parseQuery } from '../query.ts'
import { postUrl, xPost, xUsers } from './x-item.ts'

const searchPath = '/tweets/search/recent'
const minimumPageSize = 10
const maximumPageSize = 100
const defaultPageSize = 10
const maximumQuery = 512
const windowMs = 900_000
const requestsPerWindow = 450
const reachMs = 7 * 86_400_000

const qualifiers = 'is has lang from to url conversation_id'.split(' ')
const knownFields: Record<string, ReadonlySet<string>> = {
  'tweet.fields': new Set(
    `attachments author_id conversation_id created_at edit_history_tweet_ids entities id in_reply_to_user_id lang note_tweet
    possibly_sensitive public_metrics referenced_tweets reply_settings text withheld`.split(/\s+/),
  ),
  'user.fields': new Set(
    'created_at description id name profile_image_url protected username verified withheld'.split(' '),
  ),
  expansions: new Set(['author_id', 'referenced_tweets.id', 'in_reply_to_user_id']),
}

function problem(status: number, title: string, headers: Record<string, string> = {}): Answer {
  return jsonAnswer(status, { title, detail: title, type: 'about:blank', status }, headers)
}

function invalid(parameter: string, value: string, headers: Record<string, string>): Answer {
  const body = {
    errors: [
      { parameters: { [parameter]: [value] }, message: `The \`${parameter}\` query parameter value is not valid` },
    ],
    title: 'Invalid Request',
    detail: 'One or more parameters to your request was invalid.',
    type: 'https://api.twitter.com/2/problems/invalid-request',
  }
  return jsonAnswer(400, body, headers)
}

function rateHeaders(state: LimitState): Record<string, string> {
  return {
    'x-rate-limit-limit': String(state.limit),
    'x-rate-limit-remaining': String(state.remaining),
    'x-rate-limit-reset': String(Math.ceil(state.resetAt / 1_000)),
  }
}

function bearer({ headers }: SearchRequest): string | null {
  return headers.authorization?.replace(/^bearer /i, '') ?? null
}

function pageSize(parameters: URLSearchParams): number | null {
  const size = wholeNumber(parameters.get('max_results'), defaultPageSize)
  return size !== null && size >= minimumPageSize && size <= maximumPageSize ? size : null
}

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
  const since = new Date(parameters.get('start_time') ?? 0)
  const found = corpus
    .records('x', query.topic)
    .filter((record) => matchesQuery(query, record.searchText, qualifies(record)))
    .filter((record) => record.createdAt >= since)
  if (parameters.get('sort_order') === 'relevancy') return found
  return found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || b.id - a.id)
}

/** The parameter that X would refuse; null when all are well. */
function refusedParameter(parameters: URLSearchParams, now: number): string | null {
  const query = parameters.get('query') ?? ''
  const { groups } = parseQuery(query, qualifiers)
  const canStandAlone = groups.some((group) => group.some(({ kind, negated }) => kind !== 'qualifier' && !negated))
  const isBalanced = query.split('"').length % 2 === 1
  if (query.length > maximumQuery || !canStandAlone || !isBalanced) return 'query'
  if (pageSize(parameters) === null) return 'max_results'
  if (offset(parameters) === null) return 'next_token'
  if (!isStart(parameters.get('start_time'), now)) return 'start_time'
  const isKnown = (name: string) => listed(parameters, name).every((field) => knownFields[name]!.has(field))
  return Object.keys(knownFields).find((name) => !isKnown(name)) ?? null
}

/** A start is within the last seven days, and before the end, 30 seconds ago. */
function isStart(text: string | null, now: number): boolean {
  if (text === null) return true
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text)
  const age = now - Date.parse(text)
  return isInstant && age >= 30_000 && age <= reachMs
}

function listed(parameters: URLSearchParams, name: string): string[] {
  return (parameters.get(name) ?? '').split(',').filter((field) => field !== '')
}

function searchPosts({ parameters }: SearchRequest, { corpus, limit, now, leakPullRequests }: SearchContext): Answer {
  const headers = rateHeaders(limit)
  const refused = refusedParameter(parameters, now)
  if (refused !== null) return invalid(refused, parameters.get(refused) ?? '', headers)
  const start = offset(parameters)!
  const found = find(parameters, corpus, leakPullRequests)
  const records = found.slice(start, start + pageSize(parameters)!)
  const [newest] = records
  if (!newest) return jsonAnswer(200, { meta: { result_count: 0 } }, headers)
  const end = start + records.length
  const fields = (name: string) => new Set(listed(parameters, name))
  const body = {
    data: records.map((record) => xPost(record, fields('tweet.fields'))),
    ...(fields('expansions').has('author_id') ? xUsers(records, fields('user.fields')) : {}),
    meta: {
      newest_id: String(newest.id),
      oldest_id: String(records.at(-1)!.id),
      result_count: records.length,
      ...(end < found.length ? { next_token: tokenAt(end) } : {}),
    },
  }
  return jsonAnswer(200, body, headers)
}

function byRelevance(request: SearchRequest): SearchRequest {
  const parameters = new URLSearchParams(request.parameters)
  parameters.set('sort_order', 'relevancy')
  return { ...request, parameters }
}

export const x: SimulatedPlatform = {
  environment: (url) => ({ X_API_URL: url, X_BEARER_TOKEN: 'simulated-bearer' }),
  versionPrefix: /^\/2(?=\/)/,
  alwaysCompressed: false,
  announces: 'reset',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: bearer,
  limit: (request) => ({ bucket: bearer(request) ?? 'anonymous', limit: requestsPerWindow, windowMs }),
  page: ({ parameters }) => Math.floor((offset(parameters) ?? 0) / (pageSize(parameters) ?? defaultPageSize)) + 1,
  find,

  search: (request, context) => {
    if (bearer(request) === null) return x.unauthorized()
    return request.path === searchPath ? searchPosts(request, context) : problem(404, 'Not Found')
  },

  refuse: (wait, now, state) => {
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    const spent = rateHeaders({ ...state, remaining: 0, resetAt: wait.until })
    const told = { primary: spent, secondary: { 'retry-after': seconds }, silent: {} }[wait.form]
    return problem(429, 'Too Many Requests', told)
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ meta }) => ({
      meta: { next_token: parameters.get('next_token') ?? tokenAt(0), ...(meta as object) },
    })),
  ignoring: {
    since: withParameters({ start_time: null }),
    order: byRelevance,
  },
  unauthorized: () => problem(401, 'Unauthorized'),
  serverError: () => problem(503, 'Service Unavailable'),
  wrongShape: () => jsonAnswer(200, { data: { first: 'not a list' }, includes: 'some', meta: 7 }),

  plainSearch: (topic) => ({ query: `"${topic.replaceAll('"', ' ')}" -is:retweet` }),
  sourceId: (record) => String(record.id),
  sourceUrl: (record) => postUrl(record),
}
