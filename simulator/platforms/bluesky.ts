import { type Answer, changeBody, jsonAnswer, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, mostFirst, since, votes } from '../finding.ts'
import type { LimitState } from '../limits.ts'
import { acceptedNumber, bearer, limitHeaders, pageAt, quoted, wholeNumber, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import written from './bluesky.json' with { type: 'json' }
import { blueskyPost, postUri, postUrl } from './bluesky-item.ts'
import { accessToken, parse, tokenPart } from './bluesky-token.ts'

const answers = readAnswers(written.answers)
const maximumResults = 10_000
const pageSizes = { usual: 25, maximum: 100 }
const windowMs = 300_000
const requestsPerWindow = 3_000
const sessionsPerWindow = 30
const maximumUris = 25

const sessionPath = '/com.atproto.server.createSession'
const searchPath = '/app.bsky.feed.searchPosts'
const postsPath = '/app.bsky.feed.getPosts'

const rateHeaders = (state: LimitState): Record<string, string> => ({
  ...limitHeaders('ratelimit-', state),
  'ratelimit-policy': `${state.limit};w=${windowMs / 1_000}`,
})

/** The app password, or what was sent for a token that none was given for. */
function credential(request: SearchRequest): string | null {
  if (request.path === sessionPath) return String(parse(request.body)?.password ?? '')
  const token = bearer(request)
  return token === null ? null : String(tokenPart(token, 2) ?? token)
}

function createSession(request: SearchRequest, { limit, now }: SearchContext): Answer {
  const { identifier, password } = parse(request.body) ?? {}
  if (request.method !== 'POST' || typeof identifier !== 'string' || typeof password !== 'string') {
    return answers.invalidRequest({ message: 'Input must have the property "identifier"' }, rateHeaders(limit))
  }
  return answers.session({ identifier, token: accessToken(password, now) }, rateHeaders(limit))
}

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('q') ?? '')
  return corpus
    .records('bluesky', query.topic)
    .filter(matching(query))
    .filter(since(parameters.get('since')))
    .sort(mostFirst(parameters.get('sort') === 'top' ? votes : created))
    .slice(0, maximumResults)
}

const offset = (parameters: URLSearchParams): number | null => wholeNumber(parameters.get('cursor'), 0)

/** Null for a session that holds. */
function refusedSession(request: SearchRequest, { limit, now }: SearchContext): Answer | null {
  const token = bearer(request)
  if (token === null) return answers.missingToken({}, rateHeaders(limit))
  const expiry = (tokenPart(token, 1) as { exp?: unknown } | null)?.exp
  const isOver = typeof expiry === 'number' && expiry * 1_000 <= now
  return isOver ? answers.expiredToken({}, rateHeaders(limit)) : null
}

/** Given records by their addresses; those that are deleted are left out. */
function getPosts({ parameters }: SearchRequest, { corpus, limit }: SearchContext): Answer {
  const uris = parameters.getAll('uris')
  if (uris.length === 0 || uris.length > maximumUris) {
    return answers.invalidRequest({ message: 'Error: uris must not have more than 25 elements' }, rateHeaders(limit))
  }
  const posts = corpus.records('bluesky', '').filter((record) => uris.includes(postUri(record)))
  return jsonAnswer(200, { posts: posts.map(blueskyPost) }, rateHeaders(limit))
}

function searchPosts({ parameters }: SearchRequest, { corpus, limit, behaviours }: SearchContext): Answer {
  const headers = rateHeaders(limit)
  // `public.api.bsky.app`, also with a valid session.
  if (behaviours.bluesky.search === 'refused') return answers.forbidden()
  if (!parameters.get('q')) {
    return answers.invalidRequest({ message: 'Error: Params must have the property "q"' }, headers)
  }
  const size = acceptedNumber(parameters.get('limit'), pageSizes)
  if (size === null) return answers.invalidRequest({ message: 'Error: limit can not be greater than 100' }, headers)
  const start = offset(parameters)
  if (start === null || start >= maximumResults) return answers.badCursor({}, headers)
  const found = find(parameters, corpus)
  const posts = found.slice(start, start + size).map(blueskyPost)
  const next = start + size < found.length ? { cursor: String(start + size) } : {}
  return jsonAnswer(200, { posts, ...next, hitsTotal: found.length }, headers)
}

export const bluesky: SimulatedPlatform = {
  environment: (url) => ({
    BLUESKY_API_URL: url,
    BLUESKY_HANDLE: 'wishwell.simulated.example',
    BLUESKY_APP_PASSWORD: 'simu-late-dapp-pass',
  }),
  versionPrefix: /^\/xrpc(?=\/)/,
  announces: 'reset',
  credential,
  // Sessions are counted too, by themselves: they are what runs out first.
  limit: ({ path }) =>
    path === sessionPath
      ? { bucket: 'sessions', limit: sessionsPerWindow, windowMs }
      : { bucket: 'address', limit: requestsPerWindow, windowMs },
  // Faults are for searches: a session is no page.
  page: ({ path, parameters }) =>
    path === sessionPath ? 0 : pageAt(offset(parameters), wholeNumber(parameters.get('limit'), pageSizes.usual)),
  find,

  search: (request, context) => {
    if (request.path === sessionPath) return createSession(request, context)
    const refused = refusedSession(request, context)
    if (refused) return refused
    if (request.path === searchPath) return searchPosts(request, context)
    if (request.path === postsPath) return getPosts(request, context)
    return answers.notImplemented({}, rateHeaders(context.limit))
  },

  refuse: ({ form, until, seconds }, state) => {
    const spent = rateHeaders({ ...state, remaining: 0, resetAt: until })
    return answers.rateLimited({}, { primary: spent, secondary: { 'retry-after': String(seconds) }, silent: {} }[form])
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ cursor }) => ({ cursor: cursor ?? parameters.get('cursor') ?? '0' })),
  ignoring: { since: withParameters({ since: null }), order: withParameters({ sort: 'top' }) },
  answers,

  plainSearch: (topic) => ({ q: quoted(topic) }),
  sourceId: postUri,
  sourceUrl: postUrl,
}
