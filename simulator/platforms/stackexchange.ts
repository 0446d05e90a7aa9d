import { type Answer, changeBody, readAnswers } from '../answers.ts'
import type { Corpus, CorpusRecord } from '../corpus.ts'
import { created, matching, mostFirst, relevance, votes } from '../finding.ts'
import { acceptedNumber, listed, pageNumber, quoted, withParameters } from '../parameters.ts'
import type { SearchContext, SearchRequest, SimulatedPlatform } from '../platform-shape.ts'
import { parseQuery } from '../query.ts'
import { isFound } from '../records.ts'
import written from './stackexchange.json' with { type: 'json' }
import { questionLink, questionTags, stackExchangeItem } from './stackexchange-item.ts'

const answers = readAnswers(written.answers)
const pageSizes = { usual: 30, maximum: 100 }
const pages = { usual: 1, maximum: Number.MAX_SAFE_INTEGER }
const pagesWithoutKey = 25
const callsPerDayWithoutKey = 300
const callsPerDayWithKey = 10_000

/** What a made filter (`!...`) selects is the platform's secret; it is taken to include the body. */
const knownFilter = /^(?:default|withbody|none|total|!.*)$/

const orders: Record<string, (record: CorpusRecord) => number> = {
  activity: created,
  creation: created,
  votes,
  relevance,
}

function matchesTags(parameters: URLSearchParams, record: CorpusRecord): boolean {
  const own = questionTags(record)
  const wanted = listed(parameters.get('tagged'), ';')
  const unwanted = listed(parameters.get('nottagged'), ';')
  return wanted.every((tag) => own.includes(tag)) && !unwanted.some((tag) => own.includes(tag))
}

function find(parameters: URLSearchParams, corpus: Corpus): CorpusRecord[] {
  const query = parseQuery(`${parameters.get('q') ?? ''} ${parameters.get('title') ?? ''}`)
  const from = Number(parameters.get('fromdate') ?? 0) * 1_000
  const to = Number(parameters.get('todate') ?? Number.MAX_SAFE_INTEGER / 1_000) * 1_000
  const measure = orders[parameters.get('sort') ?? 'activity'] ?? created
  return corpus
    .records(`stackexchange/${parameters.get('site')}`, query.topic)
    .filter(matching(query))
    .filter((record) => matchesTags(parameters, record))
    .filter((record) => created(record) >= from && created(record) <= to)
    .sort(mostFirst(measure, parameters.get('order') === 'asc' ? -1 : 1))
}

interface Paging {
  site: string
  page: number
  size: number
}

/** The common parameters of all methods, or the refusal of one. Sites are those with a plausible name: they change too often to list. */
function readCommon(parameters: URLSearchParams): Paging | Answer {
  const refuse = (message: string) => answers.badParameter({ message })
  const site = parameters.get('site')
  const sort = parameters.get('sort')
  const size = acceptedNumber(parameters.get('pagesize'), pageSizes)
  const page = acceptedNumber(parameters.get('page'), pages)
  if (!site) return refuse('site is required')
  if (!/^[a-z][a-z0-9.-]+$/.test(site) || site.startsWith('nosuch')) return refuse(`No site found for name \`${site}\``)
  if (size === null) return refuse('pagesize')
  if (page === null) return refuse('page')
  if (page > pagesWithoutKey && !parameters.get('key')) return answers.accessDenied()
  if (sort !== null && !(sort in orders)) return refuse('sort')
  return knownFilter.test(parameters.get('filter') ?? 'default')
    ? { site, page, size }
    : refuse('Invalid filter specified')
}

/** The names that a result has in its form. */
const noResult = { total: undefined, items: undefined, hasMore: undefined, backoff: undefined }

/** Questions by their ids, and what a site says of itself. Both count against the quota. */
function answerAside(
  path: string,
  parameters: URLSearchParams,
  { site, size }: Paging,
  context: SearchContext,
): Answer {
  const { corpus, limit, behaviours } = context
  if (path === '/info') {
    return answers.results({ ...noResult, ...limit, items: [{ total_questions: 1 }], hasMore: false })
  }
  const ids = path.slice('/questions/'.length).split(';').map(Number)
  const withBody = parameters.get('filter') === 'withbody'
  const items = corpus
    .known('stackexchange')
    .filter(({ place, record }) => (place === null || place === `stackexchange/${site}`) && isFound(record))
    .filter(({ record }) => ids.includes(record.id))
    .map(({ record }) => stackExchangeItem(record, site, withBody))
  if (ids.length === 1 && items.length === 0 && behaviours.stackexchange.missing === 'error') {
    return answers.noQuestion()
  }
  return answers.results({ ...noResult, ...limit, items: items.slice(0, size), hasMore: items.length > size })
}

function answerSearch(parameters: URLSearchParams, { site, page, size }: Paging, context: SearchContext): Answer {
  const { corpus, limit, backoffSeconds } = context
  const found = find(parameters, corpus)
  const filter = parameters.get('filter') ?? 'default'
  const withBody = filter === 'withbody' || filter.startsWith('!')
  const items = found.slice((page - 1) * size, page * size).map((record) => stackExchangeItem(record, site, withBody))
  const isCounting = filter === 'total' || filter === 'none'
  return answers.results({
    ...limit,
    total: filter === 'total' ? found.length : undefined,
    items: isCounting ? undefined : items,
    hasMore: isCounting ? undefined : page * size < found.length,
    backoff: backoffSeconds ?? undefined,
  })
}

function answer({ path, parameters }: SearchRequest, context: SearchContext): Answer {
  const isAside = /^\/(?:questions\/[\d;]+|info)$/.test(path)
  if (!isAside && path !== '/search/advanced') return answers.noMethod()
  const common = readCommon(parameters)
  if ('status' in common) return common
  return isAside ? answerAside(path, parameters, common, context) : answerSearch(parameters, common, context)
}

export const stackexchange: SimulatedPlatform = {
  environment: (url) => ({ STACKEXCHANGE_API_URL: url }),
  versionPrefix: /^\/2\.\d(?=\/)/,
  alwaysCompressed: true,
  announces: 'remaining',
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
  page: ({ parameters }) => pageNumber(parameters),
  find: (parameters, corpus) => {
    const reach = parameters.get('key') ? Number.POSITIVE_INFINITY : pagesWithoutKey * pageSizes.maximum
    return find(parameters, corpus).slice(0, reach)
  },
  search: answer,

  refuse: ({ seconds }) => answers.throttled({ seconds }),
  sayMore: (answer) => changeBody(answer, () => ({ has_more: true })),
  ignoring: { since: withParameters({ fromdate: null }), order: withParameters({ sort: 'relevance' }) },
  answers,

  plainSearch: (topic) => ({ q: quoted(topic), site: 'meta' }),
  sourceId: ({ id }) => String(id),
  sourceUrl: (record, parameters) => questionLink(record, parameters.get('site') ?? 'meta'),
}
