import { type Answer, type AnswerForm, changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, mostFirst, relevance, votes } from '../finding.ts'
import { correctedNumber, pageAt, quoted, wholeNumber, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import written from './reddit.json' with { type: 'json' }
import { community, flair, postName, postUrl, redditPost } from './reddit-item.ts'
import { authorization, credential, giveToken, readToken } from './reddit-token.ts'
import { rememberShown, shownRecord } from './shown-records.ts'

const answers = readAnswers(written.answers)
const maximumResults = 1_000
const maximumPageSize = 100
const maximumQuery = 512
const windowMs = 600_000
const requestsPerWindow = 1_000

const tokenPath = '/api/v1/access_token'
/** Below this path operators are text; which of the two Reddit does is not known. */
const plainPrefix = /^\/plain(?=\/)/
const searchPath = /^(?:\/r\/(\w+))?\/search$/
const aboutPath = /^\/r\/(\w+)\/about$/

/** The communities that an application may not read, and what it gets instead; all others are public. */
const { membersonly, quarantined, banned } = answers
const refusals: Partial<Record<string, AnswerForm>> = { membersonly, quarantined, banned }

/** The first two narrow here; the others are understood, so that they are not taken for words, and ignored. */
const qualifiers = 'flair subreddit title selftext author self site url nsfw'.split(' ')

/** Remaining is a float, reset the seconds that are left. */
const rateHeaders = (used: number, remaining: number, seconds: number): Record<string, string> => ({
  'x-ratelimit-used': String(used),
  'x-ratelimit-remaining': remaining.toFixed(1),
  'x-ratelimit-reset': String(Math.max(0, Math.ceil(seconds))),
})

const headersOf = ({ limit, now }: SearchContext) =>
  rateHeaders(limit.used, limit.remaining, (limit.resetAt - now) / 1_000)

const orders: Record<string, (record: CorpusRecord) => number> = {
  relevance,
  hot: votes,
  top: votes,
  comments: ({ commentCount }) => commentCount,
  new: created,
}

const isIn = (name: string) => (record: CorpusRecord) => community(record).toLowerCase() === name

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(parameters.get('q') ?? '', qualifiers)
  const qualifies = (record: CorpusRecord) => (name: string, value: string) => {
    if (name === 'flair') return flair(record)?.toLowerCase() === value
    return name === 'subreddit' ? isIn(value)(record) : null
  }
  return corpus
    .records('reddit', query.topic)
    .filter(matching(query, qualifies))
    .sort(mostFirst(orders[parameters.get('sort') ?? 'relevance'] ?? relevance))
    .slice(0, maximumResults)
}

/** A search of one community is narrowed to it. Where operators are text, no post has all of their words. */
function findAt(path: string, parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  if (plainPrefix.test(path) && /\bOR\b|flair:/.test(parameters.get('q') ?? '')) return []
  const name = searchPath.exec(path.replace(plainPrefix, ''))?.[1]?.toLowerCase()
  const found = find(parameters, corpus)
  return name === undefined ? found : found.filter(isIn(name))
}

const childrenOf = (records: readonly CorpusRecord[], parameters: URLSearchParams) =>
  records.map((record) => redditPost(record, parameters.get('raw_json') === '1'))

/** Posts by their fullnames: removed ones have their marks, unknown and private ones are left out. */
function postInfo({ parameters }: SearchRequest, context: SearchContext): Answer {
  const names = (parameters.get('id') ?? '').split(',').slice(0, maximumPageSize)
  const known = names.flatMap((name) => shownRecord(context.corpus, 'reddit', name) ?? [])
  const children = childrenOf(
    known.filter(({ fate }) => fate !== 'private'),
    parameters,
  )
  return answers.posts({ count: children.length, children }, headersOf(context))
}

/** `GET /r/<name>/about`. Reddit sends a client that wants a community which does not exist to a search for similar names. */
const aboutCommunity = (name: string): Answer =>
  name.toLowerCase().startsWith('nosuch') ? answers.noCommunity() : answers.community({ name })

const pageSize = (parameters: URLSearchParams): number =>
  correctedNumber(parameters.get('limit'), { usual: 25, maximum: maximumPageSize })

/** A page begins after the post that `after` names; after one that is not in the listing there is nothing. */
function searchPosts({ path, parameters }: SearchRequest, context: SearchContext): Answer {
  const { corpus } = context
  if ((parameters.get('q') ?? '').length > maximumQuery) return answers.badRequest({}, headersOf(context))
  const found = findAt(path, parameters, corpus)
  const after = parameters.get('after')
  const before = after === null ? -1 : found.findIndex((record) => postName(record) === after)
  const start = after !== null && before === -1 ? found.length : before + 1
  const posts = found.slice(start, start + pageSize(parameters))
  rememberShown(corpus, 'reddit', posts, postName)
  const last = posts.at(-1)
  const hasMore = last !== undefined && start + posts.length < found.length
  const values = { after: hasMore ? postName(last) : null, count: posts.length }
  return answers.results({ ...values, children: childrenOf(posts, parameters) }, headersOf(context))
}

export const reddit: SimulatedPlatform = {
  environment: (url) => ({
    REDDIT_API_URL: url,
    REDDIT_TOKEN_URL: url + tokenPath,
    REDDIT_CLIENT_ID: 'simulated-client',
    REDDIT_CLIENT_SECRET: 'simulated-secret',
  }),
  announces: 'reset',
  isAside: ({ path }) => path === tokenPath,
  refuseMissingUserAgent: answers.tooManyPage,
  credential,
  limit: (request) => ({ bucket: credential(request) ?? 'anonymous', limit: requestsPerWindow, windowMs }),
  // Only clients that tell how much they have seen can be told their page.
  page: ({ path, parameters }) =>
    path === tokenPath ? 0 : pageAt(wholeNumber(parameters.get('count'), 0), pageSize(parameters)),
  find,

  search: (request, context) => {
    if (request.path === tokenPath) return giveToken(request, context.now)
    const token = authorization(request, 'bearer')
    if (token === null) return answers.blocked()
    if (readToken(token)[1] <= context.now) return answers.unauthorized()
    const path = request.path.replace(plainPrefix, '')
    const named = (searchPath.exec(path) ?? aboutPath.exec(path))?.[1]
    const refused = refusals[named?.toLowerCase() ?? '']
    if (refused) return refused()
    if (path === '/api/info') return postInfo(request, context)
    if (aboutPath.test(path)) return aboutCommunity(named!)
    return searchPath.test(path) ? searchPosts(request, context) : answers.notFound()
  },

  refuse: ({ form, seconds }, { limit }) => {
    if (form === 'secondary') return answers.tooManyPage({}, { 'retry-after': String(seconds) })
    return answers.tooMany({}, form === 'primary' ? rateHeaders(limit, 0, seconds) : {})
  },
  sayMore: (answer, { parameters }) =>
    changeBody(answer, ({ data }) => {
      const listing = data as { after: string | null }
      return { data: { ...listing, after: listing.after ?? parameters.get('after') ?? 't3_again' } }
    }),
  ignoring: { since: (request) => request, order: withParameters({ sort: 'relevance' }) },
  answers,

  plainSearch: (topic) => ({ q: quoted(topic) }),
  sourceId: postName,
  sourceUrl: postUrl,
}
