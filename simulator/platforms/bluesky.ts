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
import { blueskyPost, postUri, postUrl } from './bluesky-item.ts'
import { accessToken } from './bluesky-token.ts'

const maximumResults = 10_000
const maximumPageSize = 100
const defaultPageSize = 25
const windowMs = 300_000
const requestsPerWindow = 3_000
const sessionsPerWindow = 30

const sessionPath = '/com.atproto.server.createSession'
const searchPath = '/app.bsky.feed.searchPosts'
const postsPath = '/app.bsky.feed.getPosts'
const maximumUris = 25
const handle = 'wishwell.simulated.example'
const appPassword = 'simu-late-dapp-pass'

function rateHeaders(state: LimitState): Record<string, string> {
  return {
    'ratelimit-limit': String(state.limit),
    'ratelimit-remaining': String(state.remaining),
    'ratelimit-reset': String(Math.ceil(state.resetAt / 1_000)),
    'ratelimit-policy': `${state.limit};w=${windowMs / 1_000}`,
  }
}

function xrpcError(status: number, error: string, message: string, headers: Record<string, string> = {}): Answer {
  return jsonAnswer(status, { error, message }, headers)
}

function parse(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown> | null
  } catch {
    return null
  }
}

function part(token: string, index: number): unknown {
  return parse(Buffer.from(token.split('.')[index] ?? '', 'base64url').toString())
}

function bearer({ headers }: SearchRequest): string | null {
  return headers.authorization?.replace(/^bearer /i, '') ?? null
}

/** The app password, or what was sent for a token that none was given for. */
function credential(request: SearchRequest): string | null {
  if (request.path === sessionPath) return String(parse(request.body)?.password ?? '')
  const token = bearer(request)
  return token === null ? null : String(part(token, 2) ?? token)
}

function createSession(request: SearchRequest, { limit, now }: SearchContext): Answer {
  const headers = rateHeaders(limit)
  const { identifier, password } = parse(request.body) ?? {}
  if (request.method !== 'POST' || typeof identifier !== 'string' || typeof password !== 'string') {
    return xrpcError(400, 'InvalidRequest', 'Input must have the property "identifier"', headers)
  }
  const session = {
    did: 'did:plc:wishwellsimulated2345672',
    handle: identifier,
    emailConfirmed: true,
    emailAuthFactor: false,
    accessJwt: accessToken(password, now),
    refreshJwt: accessToken(password, now),
    active: true,
  }
  return jsonAnswer(200, session, headers)
}

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('q') ?? '')
  const since = new Date(parameters.get('since') ?? 0)
  const found = corpus
    .records('bluesky', query.topic)
    .filter((record) => matchesQuery(query, record.searchText))
    .filter((record) => record.createdAt >= since)
  const isTop = parameters.get('sort') === 'top'
  found.sort((a, b) => (isTop ? b.votes - a.votes : b.createdAt.getTime() - a.createdAt.getTime()) || a.id - b.id)
  return found.slice(0, maximumResults)
}

function offset(parameters: URLSearchParams): number | null {
  return wholeNumber(parameters.get('cursor'), 0)
}

/** Null for a session that holds. */
function refusedSession(request: SearchRequest, { limit, now }: SearchContext): Answer | null {
  const headers = rateHeaders(limit)
  const token = bearer(request)
  if (token === null) return xrpcError(401, 'AuthMissing', 'Authentication Required', headers)
  const expiry = (part(token, 1) as { exp?: unknown } | null)?.exp
  const isOver = typeof expiry === 'number' && expiry * 1_000 <= now
  return isOver ? xrpcError(400, 'ExpiredToken', 'Token has expired', headers) : null
}

/** Given records by their addresses; those that are deleted are left out. */
function getPosts({ parameters }: SearchRequest, { corpus, limit }: SearchContext): Answer {
  const headers = rateHeaders(limit)
  const uris = parameters.getAll('uris')
  if (uris.length === 0 || uris.length > maximumUris) {
    return xrpcError(400, 'InvalidRequest', 'Error: uris must not have more than 25 elements', headers)
  }
  const posts = corpus.records('bluesky', '').filter((record) => uris.includes(postUri(record)))
  return jsonAnswer(200, { posts: posts.map(blueskyPost) }, headers)
}

function searchPosts(request: SearchRequest, context: SearchContext): Answer {
  const { corpus, limit, behaviours } = context
  const headers = rateHeaders(limit)
  const { parameters } = request
  // `public.api.bsky.app`, also with a valid session.
  if (behaviours.bluesky.search === 'refused') {
    return { status: 403, headers: { 'content-type': 'text/html' }, body: '<html>403 Forbidden</html>' }
  }
  if (!parameters.get('q')) return xrpcError(400, 'InvalidRequest', 'Error: Params must have the property "q"', headers)
  const size = wholeNumber(parameters.get('limit'), defaultPageSize)
  if (size === null || size < 1 || size > maximumPageSize) {
    return xrpcError(400, 'InvalidRequest', 'Error: limit can not be greater than 100', headers)
  }
  const start = offset(parameters)
  if (start === null || start >= maximumResults) return xrpcError(400, 'BadRequest', 'Bad cursor', headers)
  const found = find(parameters, corpus)
  const posts = found.slice(start, start + size).map(blueskyPost)
  const next = start + size < found.length ? { cursor: String(start + size) } : {}
  return jsonAnswer(200, { posts, ...next, hitsTotal: found.length }, headers)
}

export const bluesky: SimulatedPlatform = {
  environment: (url) => ({ BLUESKY_API_URL: url, BLUESKY_HANDLE: handle, BLUESKY_APP_PASSWORD: appPassword }),
  versionPrefix: /^\/xrpc(?=\/)/,
  alwaysCompressed: false,
  announces: 'reset',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential,
  // Sessions are counted too, by themselves: they are what runs out first.
  limit: ({ path }) =>
    path === sessionPath
      ? { bucket: 'sessions', limit: sessionsPerWindow, windowMs }
      : { bucket: 'address', limit: requestsPerWindow, windowMs },
  // Faults are for searches: a session is no page.
  page: ({ path, parameters }) => {
    if (path === sessionPath) return 0
    return Math.floor((offset(parameters) ?? 0) / (wholeNumber(parameters.get('limit'), defaultPageSize) || 1)) + 1
  },
  find,

  search: (request, context) => {
    if (request.path === sessionPath) return createSession(request, context)
    const refused = refusedSession(request, context)
    if (refused) return refused
    if (request.path === searchPath) return searchPosts(request, context)
    if (request.path === postsPath) return getPosts(request, context)
    return xrpcError(501, 'MethodNotImplemented', 'Method Not Implemented', rateHeaders(context.limit))
  },

  refuse: (wait, now, state) => {
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    const spent = rateHeaders({ ...state, remaining: 0, resetAt: wait.until })
    const told = { primary: spent, secondary: { 'retry-after': seconds }, silent: {} }[wait.form]
    return xrpcError(429, 'RateLimitExceeded', 'Rate Limit Exceeded', told)
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ cursor }) => ({ cursor: cursor ?? parameters.get('cursor') ?? '0' })),
  ignoring: {
    since: withParameters({ since: null }),
    order: withParameters({ sort: 'top' }),
  },
  unauthorized: () => xrpcError(401, 'AuthenticationRequired', 'Invalid identifier or password'),
  serverError: () => xrpcError(503, 'NotEnoughResources', 'Service Unavailable'),
  wrongShape: () => jsonAnswer(200, { posts: { first: 'not a list' }, cursor: 25 }),

  plainSearch: (topic) => ({ q: `"${topic.replaceAll('"', ' ')}"` }),
  sourceId: (record) => postUri(record),
  sourceUrl: (record) => postUrl(record),
}
