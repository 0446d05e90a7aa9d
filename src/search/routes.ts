import { Type } from 'typebox'
import type { Authentication } from '../accounts/authentication.ts'
import { type Pricing, priceText } from '../accounts/plans.ts'
import { creditsOfCaller } from '../credits/usage.ts'
import { type PlatformName, requestStatuses } from '../database/column-types.ts'
import type { Database } from '../database/open.ts'
import type { App } from '../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../http/idempotency/idempotency.ts'
import { pageParameters, sortByParameter } from '../http/pagination.ts'
import {
  bodyErrors,
  closed,
  defaulted,
  errorResponses,
  moment,
  nullable,
  oneOf,
  openWord,
  optional,
  trimmedText,
  usage,
} from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import { platformList } from '../platforms/schemas.ts'
import { bodyFilters, includeFilter, parseBodyFilters } from '../requests/filters/filters.ts'
import { fullTextParameter, ownAsks, requestRecord } from '../requests/record.ts'
import type { Include } from '../requests/views/include.ts'
import type { Clock } from '../runtime/clock.ts'
import type { CoalescedReads } from '../runtime/request-coalescing.ts'
import { samenesses } from '../runtime/text/same-words.ts'
import { answerSearch, type SearchAnswer } from './answer.ts'
import { countsSchema, facetsParameter } from './facets.ts'
import { answerWithWishes, type WishAnswer } from './grouped.ts'
import { highlightSchema } from './highlight.ts'
import { type ExpandedSearch, expansionMeta } from './live-collection.ts'
import { searchCap, searchOrders } from './orders.ts'
import type { SearchIndex } from './search-index.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']

export interface SearchDependencies {
  database: Database
  clock: Clock
  searchIndex: SearchIndex
  cachedRead: CoalescedReads
  authentication: Authentication
  expandedSearch: ExpandedSearch
  enabledPlatforms: readonly PlatformName[]
  defaultPlatforms: readonly PlatformName[]
  pricing: Pricing
}

const description = `Likely feature requests, and with \`include\` (or \`filters.include\`, the same) others; \`meta.maybeResults\` counts what \`maybe\` adds.
Any of the words may match, in title, description, tags or author; the best matches come first. A phrase in
quotes ("dark mode") must be there, and -"some words", or -word at the end of the query, must not: both are compared as they are
written, where other words also match in other forms. Abbreviations, other words for the same, and words that are written as one or as two find each other ("2fa", "two-factor");
\`meta.understood.alternatives\` says which were searched. Where fewer than ten results have the phrases of a query that also has other words,
or where it reads like a title, there are also results with its words alone; they have \`matchedBy\`. A pasted title is searched by its words: a minus in it excludes nothing where the
query goes on after it, reads like a sentence, or has more than ten words. A misspelt word is corrected, unless it is in quotes.
\`meta.understood\` says how the query was read. By relevance, filters and phrases look at the best 1,000 matches when there are more,
and say so in \`meta.window\`; so does a Postgres without BM25 where too many match to rank them all. Pages may shift while a scrape writes.`

const searchBody = ({ enabledPlatforms, defaultPlatforms, pricing }: SearchDependencies) =>
  closed({
    query: trimmedText(1, 500, 'Words, "phrases" and, at the end, -exclusions; every other character is ignored'),
    limit: pageParameters.limit,
    offset: defaulted(
      Type.Integer({ minimum: 0, maximum: searchCap - 1, default: 0, description: 'Results to leave out' }),
    ),
    expand: defaulted(
      Type.Boolean({ default: false, description: `Collect related topics live; ${priceText(pricing.prices.expand)}` }),
    ),
    platforms: Type.Optional(platformList(enabledPlatforms, defaultPlatforms)),
    filters: Type.Optional(bodyFilters),
    // Repeated here because it is the parameter `include` of lists, outside `filters`.
    include: includeFilter,
    sortBy: sortByParameter(searchOrders, {
      default: 'relevance',
      description: 'Best match, most voted or newest first',
    }),
    prefix: defaulted(
      Type.Boolean({
        default: false,
        description: 'The last word may be the beginning of one: for search while typing',
      }),
    ),
    groupBy: Type.Optional(
      oneOf(['wish'], {
        description:
          'Each result is a wish, in the numbers of the whole wish, with its best matching request; most votes and newest order wishes by ' +
          'all their votes and by when they were first asked for. Not with `expand`',
      }),
    ),
    highlight: defaulted(
      Type.Boolean({ default: false, description: 'Say where the words are in the texts that the results show' }),
    ),
    fullText: fullTextParameter,
    total: defaulted(
      Type.Boolean({
        default: false,
        description: 'Count the requests with all words, in `meta.total`; `facets` do it too',
      }),
    ),
    inPart: defaulted(
      Type.Boolean({
        default: false,
        description: 'With `total`: also count those with some of the words, in `meta.inPart`',
      }),
    ),
    facets: facetsParameter('Count the requests with all words by these, in `meta.facets`'),
  })

const searchResult = closed({
  ...requestRecord.properties,
  highlights: Type.Optional(
    Type.Array(highlightSchema, { description: 'With `highlight`: the fields that have words of the query' }),
  ),
  matchedBy: Type.Optional(
    openWord(['words'], 'It has words of the query, but not all of its phrases: it fills up few results'),
  ),
})

const understoodQuery = closed(
  {
    words: Type.Array(Type.String(), { description: 'What is searched, normalised; any of them may match' }),
    phrases: Type.Array(Type.String(), { description: 'What must be there as it is written' }),
    excluded: Type.Array(Type.String(), { description: 'What must not be there' }),
    alternatives: Type.Array(
      closed({
        words: Type.String({ description: 'Words of the query' }),
        others: Type.Array(Type.String(), { description: 'What was searched besides, as one word or side by side' }),
        kind: openWord(samenesses, 'Why it is the same'),
      }),
      { description: 'Abbreviations, other words for the same, and words that are written as one or as two' },
    ),
    unknown: Type.Array(Type.String(), {
      description: 'Words that no request has, nor anything like them: they may be of a language that hardly any is in',
    }),
    corrected: Type.Optional(
      Type.String({
        description: 'The results are those of this query, as nothing, or hardly anything, has the word that was typed',
      }),
    ),
  },
  { description: 'How the query was read' },
)

const wishResult = closed(
  {
    wishId: nullable(Type.String({ description: 'Null for a request that is not likely, which stands for itself' })),
    title: Type.String({ description: 'That of its most telling request' }),
    requestCount: Type.Integer({ description: 'How many likely requests the whole wish has, without imported ones' }),
    votes: Type.Integer({ description: 'The sum of their votes' }),
    own: nullable(ownAsks),
    platforms: Type.Array(Type.String()),
    product: nullable(Type.String({ description: 'That of its most telling request' })),
    status: nullable(oneOf(requestStatuses)),
    firstAskedAt: moment('When the first of them was posted'),
    lastAskedAt: moment('When the last of them was posted'),
    matching: Type.Integer({
      description: 'How many of them match and pass the filters; with `meta.window`, of the considered matches',
    }),
    hasAllWords: Type.Boolean({
      description: 'One of them has all words of the query: these results come before the others',
    }),
    bestMatch: searchResult,
  },
  { description: 'With `groupBy`' },
)

const searchMeta = closed({
  originalQuery: Type.String(),
  understood: understoodQuery,
  cachedResults: Type.Integer({
    description: 'How many results of this page were stored before the call; `total` is another number',
  }),
  expanded: Type.Boolean(),
  maybeResults: Type.Integer({
    description:
      'How many more of the considered matches may be requests: `filters.include` = `maybe` adds them; 0 when they are included',
  }),
  total: Type.Optional(
    Type.Integer({
      description:
        'With `total` or `facets`: how many requests have all words of the query and pass the filters. Results that have only some of the words come after these; with `expand` they come among them',
    }),
  ),
  inPart: Type.Optional(Type.Integer({ description: 'How many have some of the words, but not all; at most 10,000' })),
  ...optional(countsSchema),
  window: Type.Optional(
    Type.Integer({ description: 'Only this many of the best matches were considered; there are more' }),
  ),
  didYouMean: Type.Optional(Type.String({ description: 'The same as `understood.corrected`' })),
  ...optional(expansionMeta),
})

const searchAnswer = closed({
  data: closed({
    results: Type.Array(Type.Union([searchResult, wishResult])),
    hasMore: Type.Boolean({ description: 'Another page can be had inside the cap' }),
    limitReached: Type.Boolean({ description: 'This page ends at result 100 and more match' }),
  }),
  meta: searchMeta,
  usage,
})

const expandDescription = ({
  prices,
}: Pricing) => `With \`expand\` related topics are thought of and collected live, one page each from every platform that is not fresh,
within a deadline; the answer is the union of all matches. It costs ${priceText(prices.expand)}, given back when nothing was collected, and takes an
\`Idempotency-Key\`. With \`Accept: text/event-stream\` its progress is streamed:

- \`topics\`: \`{topics: […]}\`
- \`collection\`: \`{topic, platform, state, newRequests}\`, \`state\` one of waiting, done, error, skipped, fresh; for each pair at first and
  then when it has ended
- \`result\`: the answer; or \`error\`: the error body with its \`status\`. The stream ends with it.`

const searchSchema = (dependencies: SearchDependencies) => ({
  operationId: 'searchRequests',
  summary: 'Search the cached requests',
  description: `${description}\n\n${expandDescription(dependencies.pricing)}`,
  tags,
  security,
  headers: idempotencyHeaders,
  body: searchBody(dependencies),
  response: {
    200: {
      description: 'The results; with expand and `Accept: text/event-stream` as events',
      content: {
        'application/json': { schema: searchAnswer },
        'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
      },
    },
    ...errorResponses(...bodyErrors, 'SCOPE_EXCEEDED', ...idempotencyErrors, 'SEARCH_UNAVAILABLE'),
  },
})

/** @throws ServiceError INVALID_REQUEST for two different values. */
function includeOf(filters: { include?: Include }, include: Include | undefined): { include?: Include } {
  if (include === undefined) return {}
  if (filters.include !== undefined && filters.include !== include) {
    throw invalidField('include', `is ${include}, but filters.include is ${filters.include}`)
  }
  return { include }
}

/** Registers searches of the cache; with `expand`, after collecting related topics live. */
export function registerSearchRoutes(app: App, dependencies: SearchDependencies): void {
  const { database, clock, searchIndex, authentication } = dependencies
  const { defaultPlatforms, expandedSearch, cachedRead, pricing } = dependencies
  app.post(
    '/api/v1/requests/search',
    { onRequest: authentication.requireAccount, schema: searchSchema(dependencies) },
    async (request, reply) => {
      const { expand, filters = {}, include, platforms, groupBy, ...options } = request.body
      const account = authentication.accountOf(request)
      const input = { ...options, filters: parseBodyFilters({ ...filters, ...includeOf(filters, include) }, account) }
      if (expand) {
        authentication.requireScope(request, 'collect')
        if (groupBy !== undefined) throw invalidField('groupBy', 'is not for expand')
        return expandedSearch(request, reply, { ...input, platforms: [...new Set(platforms ?? defaultPlatforms)] })
      }
      const [{ data, meta }, credits] = await Promise.all([
        cachedRead<SearchAnswer | WishAnswer>(`search ${groupBy ?? ''} ${JSON.stringify(input)}`, () =>
          (groupBy === 'wish' ? answerWithWishes : answerSearch)({ searchIndex, executor: database }, input),
        ),
        // Free, so the credits are the same before and after.
        creditsOfCaller(database, pricing, account, clock.now()),
      ])
      return { data, meta: { ...meta, cachedResults: data.results.length, expanded: false }, usage: { credits } }
    },
  )
}
