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
import { isFound } from '../records.ts'
import { questionLink, questionTags, stackExchangeItem } from './stackexchange-item.ts'

const maximumPageSize = 100
const defaultPageSize = 30
const pagesWithoutKey = 25
const callsPerDayWithoutKey = 300
const callsPerDayWithKey = 10_000

const filters = new Set(['default', 'withbody', 'none', 'total'])

function numberOf(parameters: URLSearchParams, name: string, otherwise: number, maximum: number): number | null {
  const value = wholeNumber(parameters.get(name), otherwise)
  return value !== null && value >= 1 && value <= maximum ? value : null
}

function errorAnswer(id: number, name: string, message: string, status = 400): Answer {
  return jsonAnswer(status, { error_id: id, error_message: message, error_name: name })
}

function badParameter(message: string): Answer {
  return errorAnswer(400, 'bad_parameter', message)
}

const orders: Record<string, (record: CorpusRecord) => number> = {
  activity: (record) => record.createdAt.getTime(),
  creation: (record) => record.createdAt.getTime(),
  votes: (record) => record.votes,
  relevance: (record) => -record.rank,
}

/** A site that the simulator knows is one with a plausible name: which ones exist changes too often to list. */
function siteError(site: string | null): Answer | null {
  if (site === null || site === '') return badParameter('site is required')
  return /^[a-z][a-z0-9.-]+$/.test(site) && !site.startsWith('nosuch')
    ? null
    : badParameter(`No site found for name \`${site}\``)
}

function matchesTags(parameters: URLSearchParams, record: CorpusRecord): boolean {
  const own = questionTags(record)
  const wanted = parameters.get('tagged')?.split(';').filter(Boolean) ?? []
  const unwanted = parameters.get('nottagged')?.split(';').filter(Boolean) ?? []
  return wanted.every((tag) => own.includes(tag)) && !unwanted.some((tag) => own.includes(tag))
}

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(`${parameters.get('q') ?? ''} ${parameters.get('title') ?? ''}`)
  const from = Number(parameters.get('fromdate') ?? 0) * 1_000
  const to = Number(parameters.get('todate') ?? Number.MAX_SAFE_INTEGER / 1_000) * 1_000
  const value = orders[parameters.get('sort') ?? 'activity'] ?? orders.activity!
  const direction = parameters.get('order') === 'asc' ? -1 : 1
  return corpus
    .records(`stackexchange/${parameters.get('site')}`, query.topic)
    .filter((record) => matchesQuery(query, record.searchText) && matchesTags(parameters, record))
    .filter((record) => record.createdAt.getTime() >= from && record.createdAt.getTime() <= to)
    .sort((a, b) => direction * (value(b) - value(a)) || a.id - b.id)
}

function refusedParameter(request: SearchRequest): Answer | null {
  const { parameters } = request
  const site = siteError(parameters.get('site'))
  if (site) return site
  if (numberOf(parameters, 'pagesize', defaultPageSize, maximumPageSize) === null) return badParameter('pagesize')
  const page = numberOf(parameters, 'page', 1, Number.MAX_SAFE_INTEGER)
  if (page === null) return badParameter('page')
  if (page > pagesWithoutKey && !parameters.get('key')) {
    return errorAnswer(403, 'access_denied', 'page above 25 requires access token or app key')
  }
  const sort = parameters.get('sort')
  if (sort !== null && !(sort in orders)) return badParameter('sort')
  const filter = parameters.get('filter')
  // What a made filter (`!...`) selects is the platform's secret; it is taken to include the body.
  if (filter !== null && !filters.has(filter) && !filter.startsWith('!'))
    return badParameter('Invalid filter specified')
  return null
}

/** Questions by their ids, and what a site says of itself. Both count against the quota. */
function answerAside(request: SearchRequest, { corpus, limit, behaviours }: SearchContext): Answer {
  const { path, parameters } = request
  const refused = refusedParameter(request)
  if (refused) return refused
  const site = parameters.get('site')!
  const quota = { quota_max: limit.limit, quota_remaining: limit.remaining }
  if (path === '/info') return jsonAnswer(200, { items: [{ total_questions: 1 }], has_more: false, ...quota })
  const ids = path.slice('/questions/'.length).split(';').map(Number)
  const size = numberOf(parameters, 'pagesize', defaultPageSize, maximumPageSize)!
  const withBody = parameters.get('filter') === 'withbody'
  const items = corpus
    .known('stackexchange')
    .filter(({ place, record }) => (place === null || place === `stackexchange/${site}`) && isFound(record))
    .filter(({ record }) => ids.includes(record.id))
    .map(({ record }) => stackExchangeItem(record, site, withBody))
  if (ids.length === 1 && items.length === 0 && behaviours.stackexchange.missing === 'error') {
    return errorAnswer(404, 'no_method', 'no question found with this id')
  }
  return jsonAnswer(200, { items: items.slice(0, size), has_more: items.length > size, ...quota })
}

export const stackexchange: SimulatedPlatform = {
  environment: (url) => ({ STACKEXCHANGE_API_URL: url }),
  versionPrefix: /^\/2\.\d(?=\/)/,
  alwaysCompressed: true,
  announces: 'remaining',
  decentPauseMs: 60_000,

  refuseMissingUserAgent: null,
  credential: ({ parameters }) => parameters.get('key'),
  limit: ({ parameters }) => {
    const key = parameters.get('key')
    return {
      bucket: key ?? 'address',
      limit: key ? callsPerDayWithKey : callsPerDayWithoutKey,
      windowMs: 86_400_000,
      burst: { limit: 30, windowMs: 1_000, penaltyMs: 30_000 },
    }
  },
  page: ({ parameters }) => wholeNumber(parameters.get('page'), 1) ?? 1,
  find: (parameters, corpus) => {
    const reach = parameters.get('key') ? Number.POSITIVE_INFINITY : pagesWithoutKey * maximumPageSize
    return find(parameters, corpus).slice(0, reach)
  },

  search: (request, context) => {
    const { corpus, limit, backoffSeconds } = context
    const { parameters } = request
    if (/^\/(?:questions\/[\d;]+|info)$/.test(request.path)) return answerAside(request, context)
    if (request.path !== '/search/advanced') return errorAnswer(404, 'no_method', 'no method found with this name')
    const refused = refusedParameter(request)
    if (refused) return refused
    const size = numberOf(parameters, 'pagesize', defaultPageSize, maximumPageSize)!
    const start = (numberOf(parameters, 'page', 1, Number.MAX_SAFE_INTEGER)! - 1) * size
    const found = find(parameters, corpus)
    const filter = parameters.get('filter') ?? 'default'
    const withBody = filter === 'withbody' || filter.startsWith('!')
    const site = parameters.get('site')!
    const items = found.slice(start, start + size).map((record) => stackExchangeItem(record, site, withBody))
    return jsonAnswer(200, {
      ...(filter === 'total' ? { total: found.length } : {}),
      ...(filter === 'total' || filter === 'none' ? {} : { items, has_more: start + size < found.length }),
      ...(backoffSeconds === null ? {} : { backoff: backoffSeconds }),
      quota_max: limit.limit,
      quota_remaining: limit.remaining,
    })
  },

  refuse: (wait, now) => {
    const seconds = Math.max(1, Math.ceil((wait.until - now) / 1_000))
    const message = `too many requests from this IP, more requests available in ${seconds} seconds`
    return errorAnswer(502, 'throttle_violation', message)
  },
  sayMore: (answer) => changeBody(answer, () => ({ has_more: true })),
  ignoring: {
    since: withParameters({ fromdate: null }),
    order: withParameters({ sort: 'relevance' }),
  },
  unauthorized: () => badParameter("`key` doesn't match a known application"),
  serverError: () => errorAnswer(503, 'temporarily_unavailable', 'This method is temporarily unavailable', 503),
  wrongShape: () => jsonAnswer(200, { items: 'none', has_more: 'perhaps', quota_max: null, quota_remaining: 'some' }),

  plainSearch: (topic) => ({ q: `"${topic.replaceAll('"', ' ')}"`, site: 'meta' }),
  sourceId: (record) => String(record.id),
  sourceUrl: (record, parameters) => questionLink(record, parameters.get('site') ?? 'meta'),
}
