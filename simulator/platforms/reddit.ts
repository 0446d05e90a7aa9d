import type { Corpus, CorpusRecord } from '../corpus.ts'
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
import { aboutCommunity, refusedCommunity } from './reddit-communities.ts'
import { community, flair, postName, postUrl, redditPost } from './reddit-item.ts'
import { authorization, credential, errorAnswer, giveToken, readToken } from './reddit-token.ts'
import { rememberShown, shownRecord } from './shown-records.ts'

const maximumResults = 1_000
const maximumPageSize = 100
const defaultPageSize = 25
const maximumQuery = 512
const windowMs = 600_000
const requestsPerWindow = 1_000

const tokenPath = '/api/v1/access_token'
const clientId = 'simulated-client'
const clientSecret = 'simulated-secret'

/** The first two narrow here; the others are understood, so that they are not taken for words, and ignored. */
const qualifiers = 'flair subreddit title selftext author self site url nsfw'.split(' ')

function htmlAnswer(status: number, title: string, headers: Record<string, string> = {}): Answer {
  const body = `<!doctype html><html><head><title>${title}</title></head><body><h1>whoa there, pardner!</h1></body></html>`
  return { status, headers: { 'content-type': 'text/html; charset=UTF-8', ...headers }, body }
}

/** Remaining is a float, reset the seconds that are left. */
function rateHeaders(used: number, remaining: number, resetAt: number, now: number): Record<string, string> {
  return {
    'x-ratelimit-used': String(used),
    'x-ratelimit-remaining': remaining.toFixed(1),
    'x-ratelimit-reset': String(Math.max(0, Math.ceil((resetAt - now) / 1_000))),
  }
}

const orders: Record<string, (record: CorpusRecord) => number> = {
  relevance: (record) => -record.rank,
  hot: (record) => record.votes,
  top: (record) => record.votes,
  comments: (record) => record.commentCount,
  new: (record) => record.createdAt.getTime(),
}

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('q') ?? '', qualifiers)
  const qualifies = (record: CorpusRecord) => (name: string, value: string) => {
    if (name === 'flair') return flair(record)?.toLowerCase() === value
    return name === 'subreddit' ? community(record).toLowerCase() === value : null
  }
  const order = orders[parameters.get('sort') ?? 'relevance'] ?? orders.relevance!
  return corpus
    .records('reddit', query.topic)
    .filter((record) => matchesQuery(query, record.searchText, qualifies(record)))
    .sort((a, b) => order(b) - order(a) || a.id - b.id)
    .slice(0, maximumResults)
}

/** Below this path operators are text; which of the two Reddit does is not known. */
const plainPrefix = /^\/plain(?=\/)/
const searchPath = /^(?:\/r\/(\w+))?\/search$/
const aboutPath = /^\/r\/(\w+)\/about$/

/** A search of one community is narrowed to it. Where operators are text, no post has all of their words. */
function findAt(path: string, parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  if (plainPrefix.test(path) && /\bOR\b|flair:/.test(parameters.get('q') ?? '')) return []
  const name = searchPath.exec(path.replace(plainPrefix, ''))?.[1]?.toLowerCase()
  const found = find(parameters, corpus)
  return name === undefined ? found : found.filter((record) => community(record).toLowerCase() === name)
}

/** Posts by their fullnames: removed ones have their marks, unknown and private ones are left out. */
function postInfo({ parameters }: SearchRequest, { corpus, limit, now }: SearchContext): Answer {
  const names = (parameters.get('id') ?? '').split(',').slice(0, maximumPageSize)
  const records = names.map((name) => shownRecord(corpus, 'reddit', name)).filter((record) => record !== undefined)
  const known = records.filter(({ fate }) => fate !== 'private')
  const children = known.map((record) => redditPost(record, parameters.get('raw_json') === '1'))
  const headers = rateHeaders(limit.used, limit.remaining, limit.resetAt, now)
  return jsonAnswer(
    200,
    { kind: 'Listing', data: { after: null, dist: children.length, children, before: null } },
    headers,
  )
}

function pageSize(parameters: URLSearchParams): number {
  const asked = wholeNumber(parameters.get('limit'), defaultPageSize) ?? defaultPageSize
  return asked < 1 ? defaultPageSize : Math.min(asked, maximumPageSize)
}

/** A page begins after the post that `after` names; after one that is not in the listing there is nothing. */
function searchPosts({ path, parameters }: SearchRequest, { corpus, limit, now }: SearchContext): Answer {
  const headers = rateHeaders(limit.used, limit.remaining, limit.resetAt, now)
  if ((parameters.get('q') ?? '').length > maximumQuery) return errorAnswer(400, 'Bad Request', headers)
  const found = findAt(path, parameters, corpus)
  const after = parameters.get('after')
  const before = after === null ? -1 : found.findIndex((record) => postName(record) === after)
  const start = after !== null && before === -1 ? found.length : before + 1
  const posts = found.slice(start, start + pageSize(parameters))
  rememberShown(corpus, 'reddit', posts, postName)
  const last = posts.at(-1)
  const hasMore = last !== undefined && start + posts.length < found.length
  const data = {
    after: hasMore ? postName(last) : null,
    dist: posts.length,
    facets: {},
    modhash: null,
    children: posts.map((record) => redditPost(record, parameters.get('raw_json') === '1')),
    before: null,
  }
  return jsonAnswer(200, { kind: 'Listing', data }, headers)
}

export const reddit: SimulatedPlatform = {
  environment: (url) => ({
    REDDIT_API_URL: url,
    REDDIT_TOKEN_URL: url + tokenPath,
    REDDIT_CLIENT_ID: clientId,
    REDDIT_CLIENT_SECRET: clientSecret,
  }),
  versionPrefix: /(?!)/,
  alwaysCompressed: false,
  announces: 'reset',
  decentPauseMs: 60_000,

  isAside: ({ path }) => path === tokenPath,
  refuseMissingUserAgent: () => htmlAnswer(429, 'Too Many Requests'),
  credential,
  limit: (request) => ({ bucket: credential(request) ?? 'anonymous', limit: requestsPerWindow, windowMs }),
  // Only clients that tell how much they have seen can be told their page.
  page: ({ path, parameters }) =>
    path === tokenPath ? 0 : Math.floor((wholeNumber(parameters.get('count'), 0) ?? 0) / pageSize(parameters)) + 1,
  find,

  search: (request, context) => {
    if (request.path === tokenPath) return giveToken(request, context.now)
    const token = authorization(request, 'bearer')
    if (token === null) return htmlAnswer(403, 'Blocked')
    if (readToken(token)[1] <= context.now) return errorAnswer(401, 'Unauthorized')
    const path = request.path.replace(plainPrefix, '')
    const named = (searchPath.exec(path) ?? aboutPath.exec(path))?.[1]
    const refused = named === undefined ? null : refusedCommunity(named)
    if (refused) return refused
    if (path === '/api/info') return postInfo(request, context)
    if (aboutPath.test(path)) return aboutCommunity(named!)
    return searchPath.test(path) ? searchPosts(request, context) : errorAnswer(404, 'Not Found')
  },

  refuse: (wait, now, state) => {
    const seconds = Math.max(1, Math.ceil((wait.until - now) / 1_000))
    if (wait.form === 'secondary') return htmlAnswer(429, 'Too Many Requests', { 'retry-after': String(seconds) })
    const spent = wait.form === 'primary' ? rateHeaders(state.limit, 0, wait.until, now) : {}
    return errorAnswer(429, 'Too Many Requests', spent)
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ data }) => {
      const listing = data as { after: string | null }
      return { data: { ...listing, after: listing.after ?? parameters.get('after') ?? 't3_again' } }
    }),
  ignoring: {
    since: (request) => request,
    order: withParameters({ sort: 'relevance' }),
  },
  unauthorized: () => errorAnswer(401, 'Unauthorized'),
  serverError: () => htmlAnswer(503, 'Our CDN was unable to reach our servers'),
  wrongShape: () => jsonAnswer(200, { kind: 'Listing', data: { children: { first: 'not a list' }, after: 7 } }),

  plainSearch: (topic) => ({ q: `"${topic.replaceAll('"', ' ')}"` }),
  sourceId: (record) => postName(record),
  sourceUrl: (record) => postUrl(record),
}
