import type { Corpus, CorpusRecord } from '../corpus.ts'
import {
  changeBody,
  jsonAnswer,
  type SearchContext,
  type SearchRequest,
  type SimulatedPlatform,
  wholeNumber,
  withParameters,
} from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import { hackerNewsHit, hackerNewsTags, objectId } from './hackernews-hit.ts'
import { type Exactness, exactnessOf, matchesAlgolia } from './hackernews-match.ts'

const maximumResults = 1_000
const defaultPageSize = 20
const callsPerHour = 10_000

function pageSize(parameters: URLSearchParams): number {
  const asked = wholeNumber(parameters.get('hitsPerPage'), defaultPageSize) ?? defaultPageSize
  return Math.min(Math.max(asked, 1), maximumResults)
}

function pageIndex(parameters: URLSearchParams): number {
  return Math.max(0, wholeNumber(parameters.get('page'), 0) ?? 0)
}

/** `story,(ask_hn,show_hn)`: a comma is AND, inside parentheses OR. */
function matchesTags(tags: string, record: CorpusRecord): boolean {
  const own = hackerNewsTags(record)
  const groups = tags.match(/\([^)]*\)|[^,()]+/g) ?? []
  return groups.every((group) =>
    group
      .replace(/[()]/g, '')
      .split(',')
      .some((tag) => own.includes(tag.trim())),
  )
}

interface NumericFilter {
  attribute: string
  holds(value: number): boolean
}

function parseNumericFilters(text: string): NumericFilter[] {
  return [...text.matchAll(/([a-z_]+)\s*(<=|>=|<|>|!=|=)\s*(-?\d+)/gi)].map(([, attribute, operator, operand]) => {
    const bound = Number(operand)
    const holds = (value: number): boolean => {
      if (operator === '<=') return value <= bound
      if (operator === '>=') return value >= bound
      if (operator === '<') return value < bound
      if (operator === '>') return value > bound
      return (value === bound) === (operator === '=')
    }
    return { attribute: attribute!, holds }
  })
}

/** Everything that matches, also what lies beyond the thousand that can be paged to. */
function findAll(parameters: URLSearchParams, corpus: Corpus, exactness: Exactness): CorpusRecord[] {
  const query = parseQuery(parameters.get('query') ?? '')
  const filters = parseNumericFilters(parameters.get('numericFilters') ?? '')
  const tags = parameters.get('tags') ?? ''
  return corpus
    .records('hackernews', query.topic)
    .filter((record) => matchesAlgolia(query, record, exactness) && matchesTags(tags, record))
    .filter((record) => filters.every((filter) => filter.holds(Math.floor(record.createdAt.getTime() / 1_000))))
}

/** Near-spellings, beginnings and names of authors are never expected to be stored. */
const exactParameters = new URLSearchParams({
  typoTolerance: 'false',
  queryType: 'prefixNone',
  restrictSearchableAttributes: 'title,story_text,comment_text',
})

/** Algolia echoes the parameters that it was given by the site in front of it, with two more. */
function echo(parameters: URLSearchParams): string {
  const echoed = new URLSearchParams(parameters)
  echoed.set('advancedSyntax', 'true')
  echoed.set('analyticsTags', 'backend')
  return echoed.toString()
}

/** What the client may have to leave out: that the service still passes these on to Algolia is unsure. */
const exactnessParameters = ['typoTolerance', 'queryType', 'restrictSearchableAttributes', 'advancedSyntax']

function searchAnswer(request: SearchRequest, { corpus, behaviours }: SearchContext) {
  const { parameters } = request
  const { exactness } = behaviours.hackernews
  const unknown = exactness === 'refused' && exactnessParameters.find((name) => parameters.has(name))
  if (unknown) return jsonAnswer(400, { code: 400, message: `Unknown parameter: ${unknown}` })
  const refused = parseNumericFilters(parameters.get('numericFilters') ?? '').find(
    (filter) => filter.attribute !== 'created_at_i' || behaviours.hackernews.dateFilter === 'refused',
  )
  if (refused) {
    const reason = 'attribute not specified in numericAttributesForFiltering setting'
    return jsonAnswer(400, { code: 400, message: `invalid numeric attribute(${refused.attribute}), ${reason}` })
  }
  const found = findAll(parameters, corpus, exactnessOf(parameters, exactness === 'ignored'))
  if (request.path === '/search_by_date') found.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
  const size = pageSize(parameters)
  const page = pageIndex(parameters)
  const query = parseQuery(parameters.get('query') ?? '')
  const words = query.groups.flat().flatMap((clause) => (clause.negated ? [] : clause.values[0]!.split(' ')))
  const reachable = found.slice(0, maximumResults)
  return jsonAnswer(200, {
    exhaustive: { nbHits: false, typo: false },
    exhaustiveNbHits: false,
    exhaustiveTypo: false,
    hits: reachable.slice(page * size, (page + 1) * size).map((record) => hackerNewsHit(record, words)),
    hitsPerPage: size,
    nbHits: found.length,
    nbPages: Math.ceil(reachable.length / size),
    page,
    params: echo(parameters),
    processingTimeMS: 4,
    processingTimingsMS: { _request: { roundTrip: 12 }, total: 4 },
    query: parameters.get('query') ?? '',
    serverTimeMS: 5,
  })
}

export const hackernews: SimulatedPlatform = {
  environment: (url) => ({ HACKERNEWS_API_URL: url }),
  versionPrefix: /^\/api\/v1(?=\/)/,
  alwaysCompressed: false,
  announces: 'nothing',
  decentPauseMs: 1_000,

  refuseMissingUserAgent: null,
  credential: () => null,
  limit: () => ({ bucket: 'address', limit: callsPerHour, windowMs: 3_600_000 }),
  page: ({ parameters }) => pageIndex(parameters) + 1,
  find: (parameters, corpus) => findAll(parameters, corpus, exactnessOf(exactParameters)).slice(0, maximumResults),

  search: (request, context) => {
    if (request.path === '/search' || request.path === '/search_by_date') return searchAnswer(request, context)
    return jsonAnswer(404, { status: 404, error: 'Not Found' })
  },

  refuse: (wait, now) => {
    const seconds = String(Math.max(1, Math.ceil((wait.until - now) / 1_000)))
    const headers: Record<string, string> = wait.form === 'silent' ? {} : { 'retry-after': seconds }
    return jsonAnswer(429, { code: 429, message: 'Too Many Requests' }, headers)
  },
  sayMore: (answer) => changeBody(answer, () => ({ nbPages: 1_000_000 })),
  ignoring: {
    since: withParameters({ numericFilters: null }),
    order: (request) => ({ ...request, path: request.path.replace('_by_date', '') }),
  },
  unauthorized: () => jsonAnswer(403, { message: 'Invalid Application-ID or API key', status: 403 }),
  serverError: () => jsonAnswer(503, { code: 503, message: 'Service Unavailable' }),
  wrongShape: () => jsonAnswer(200, { hits: 'none', nbHits: null, page: '0', nbPages: [], hitsPerPage: 20 }),

  plainSearch: (topic) => ({ query: `"${topic.replaceAll('"', ' ')}"` }),
  sourceId: (record) => objectId(record),
  sourceUrl: (record) => `https://news.ycombinator.com/item?id=${objectId(record)}`,
}
