import { changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, epochSeconds } from '../finding.ts'
import { listed, quoted, wholeNumber, withParameter, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import written from './hackernews.json' with { type: 'json' }
import { hackerNewsHit, hackerNewsTags } from './hackernews-hit.ts'
import { type Exactness, exactnessOf, matchesAlgolia } from './hackernews-match.ts'

const answers = readAnswers(written.answers)
const maximumResults = 1_000
const defaultPageSize = 20
const callsPerHour = 10_000

function pageSize(parameters: URLSearchParams): number {
  const asked = wholeNumber(parameters.get('hitsPerPage'), defaultPageSize) ?? defaultPageSize
  return Math.min(Math.max(asked, 1), maximumResults)
}

/** Counted from 0. */
const pageIndex = (parameters: URLSearchParams): number => Math.max(0, wholeNumber(parameters.get('page'), 0) ?? 0)

/** `story,(ask_hn,show_hn)`: a comma is AND, inside parentheses OR. */
function matchesTags(tags: string, record: CorpusRecord): boolean {
  const own = hackerNewsTags(record)
  const groups = tags.match(/\([^)]*\)|[^,()]+/g) ?? []
  return groups.every((group) => listed(group.replace(/[()]/g, '')).some((tag) => own.includes(tag.trim())))
}

const comparisons: Record<string, (value: number, bound: number) => boolean> = {
  '<=': (value, bound) => value <= bound,
  '>=': (value, bound) => value >= bound,
  '<': (value, bound) => value < bound,
  '>': (value, bound) => value > bound,
  '=': (value, bound) => value === bound,
  '!=': (value, bound) => value !== bound,
}

interface NumericFilter {
  attribute: string
  holds(value: number): boolean
}

const parseNumericFilters = (text: string | null): NumericFilter[] =>
  [...(text ?? '').matchAll(/([a-z_]+)\s*(<=|>=|<|>|!=|=)\s*(-?\d+)/gi)].map(([, attribute, operator, bound]) => ({
    attribute: attribute!,
    holds: (value) => comparisons[operator!]!(value, Number(bound)),
  }))

/** Everything that matches, also what lies beyond the thousand that can be paged to. */
function findAll(parameters: URLSearchParams, corpus: Corpus, exactness: Exactness): CorpusRecord[] {
  const query = parseQuery(parameters.get('query') ?? '')
  const filters = parseNumericFilters(parameters.get('numericFilters'))
  const tags = parameters.get('tags') ?? ''
  return corpus
    .records('hackernews', query.topic)
    .filter((record) => matchesAlgolia(query, record, exactness) && matchesTags(tags, record))
    .filter(({ createdAt }) => filters.every((filter) => filter.holds(epochSeconds(createdAt))))
}

/** Near-spellings, beginnings and names of authors are never expected to be stored. */
const exactParameters = new URLSearchParams({
  typoTolerance: 'false',
  queryType: 'prefixNone',
  restrictSearchableAttributes: 'title,story_text,comment_text',
})

/** What the client may have to leave out: that the service still passes these on to Algolia is unsure. */
const exactnessParameters = ['typoTolerance', 'queryType', 'restrictSearchableAttributes', 'advancedSyntax']

function searchAnswer({ parameters, path }: SearchRequest, { corpus, behaviours }: SearchContext) {
  const { exactness, dateFilter } = behaviours.hackernews
  const unknown = exactness === 'refused' && exactnessParameters.find((name) => parameters.has(name))
  if (unknown) return answers.unknownParameter({ name: unknown })
  const refused = parseNumericFilters(parameters.get('numericFilters')).find(
    ({ attribute }) => attribute !== 'created_at_i' || dateFilter === 'refused',
  )
  if (refused) return answers.invalidAttribute({ attribute: refused.attribute })
  const found = findAll(parameters, corpus, exactnessOf(parameters, exactness === 'ignored'))
  if (path === '/search_by_date') found.sort((a, b) => created(b) - created(a))
  const size = pageSize(parameters)
  const page = pageIndex(parameters)
  const query = parameters.get('query') ?? ''
  const clauses = parseQuery(query).groups.flat()
  const words = clauses.flatMap((clause) => (clause.negated ? [] : clause.values[0]!.split(' ')))
  const reachable = found.slice(0, maximumResults)
  // Algolia echoes the parameters that it was given by the site in front of it, with two more.
  const echoed = withParameter(withParameter(parameters, 'advancedSyntax', 'true'), 'analyticsTags', 'backend')
  return answers.results({
    hits: reachable.slice(page * size, (page + 1) * size).map((record) => hackerNewsHit(record, words)),
    size,
    count: found.length,
    pageCount: Math.ceil(reachable.length / size),
    page,
    echo: echoed.toString(),
    query,
  })
}

export const hackernews: SimulatedPlatform = {
  environment: (url) => ({ HACKERNEWS_API_URL: url }),
  versionPrefix: /^\/api\/v1(?=\/)/,
  announces: 'nothing',
  decentPauseMs: 1_000,
  credential: () => null,
  limit: () => ({ bucket: 'address', limit: callsPerHour, windowMs: 3_600_000 }),
  page: ({ parameters }) => pageIndex(parameters) + 1,
  find: (parameters, corpus) => findAll(parameters, corpus, exactnessOf(exactParameters)).slice(0, maximumResults),
  search: (request, context) =>
    /^\/search(?:_by_date)?$/.test(request.path) ? searchAnswer(request, context) : answers.notFound(),

  refuse: ({ form, seconds }) => answers.rateLimited({}, form === 'silent' ? {} : { 'retry-after': String(seconds) }),
  sayMore: (answer) => changeBody(answer, () => ({ nbPages: 1_000_000 })),
  ignoring: {
    since: withParameters({ numericFilters: null }),
    order: (request) => ({ ...request, path: request.path.replace('_by_date', '') }),
  },
  answers,

  plainSearch: (topic) => ({ query: quoted(topic) }),
  sourceId: ({ id }) => String(id),
  sourceUrl: ({ id }) => `https://news.ycombinator.com/item?id=${id}`,
}
