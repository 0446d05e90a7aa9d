import { type Static, Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import { readCreditUsage } from '../../credits/usage.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { bodyErrors, closed, errorResponses, oneOf, optional, trimmedText, usage } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../idempotency/idempotency.ts'
import { platformNames } from '../../platforms/registry.ts'
import { platformList } from '../../platforms/schemas.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type CoalescedReads, createCoalescedReads } from '../../runtime/request-coalescing.ts'
import type { ExpandedSearch } from '../live-collection.ts'
import { expansionMeta } from '../live-collection.ts'
import { fullTextSchema, requestRecord } from '../record.ts'
import { answerSearch } from './answer.ts'
import type { SearchFilters } from './conditions.ts'
import { highlightSchema } from './highlight.ts'
import { searchCap, searchOrders } from './page.ts'
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
}

const dayOrMoment = (description: string) =>
  Type.Unsafe<string>({ type: 'string', anyOf: [{ format: 'date' }, { format: 'date-time' }], description })

const searchFilters = closed(
  {
    platforms: Type.Optional(Type.Array(oneOf(platformNames), { minItems: 1, maxItems: 100 })),
    topic: Type.Optional(trimmedText(2, 100, 'Only requests of this topic')),
    tags: Type.Optional(
      Type.Array(trimmedText(1, 100, 'As the platform writes it'), {
        ...{ minItems: 1, maxItems: 20, description: 'Only requests with all of these tags' },
      }),
    ),
    minVotes: Type.Optional(
      Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description: 'With so many votes or more' }),
    ),
    since: Type.Optional(dayOrMoment('Asked then or later; a day begins at midnight UTC')),
    until: Type.Optional(dayOrMoment('Asked before then')),
  },
  { description: 'Narrow the results; `platforms` beside `query` only says what an expansion collects from' },
)

export type SearchFiltersBody = Static<typeof searchFilters>

/** What Postgres and ISO 8601 write alike; no request is older, since what a platform says of earlier days is not believed. */
const [earliest, latest] = [0, Date.UTC(9999, 11, 31)]

function toDate(field: string, text: string): Date {
  const moment = Date.parse(text)
  // A leap second has the form of a moment, but no date.
  if (Number.isNaN(moment)) throw invalidField(field, 'is not a date that exists')
  return new Date(Math.min(Math.max(moment, earliest), latest))
}

/** @throws ServiceError INVALID_REQUEST for a date that does not exist. */
export function toSearchFilters({ platforms, topic, tags, minVotes, since, until }: SearchFiltersBody): SearchFilters {
  return {
    ...(platforms ? { platforms } : {}),
    ...(topic === undefined ? {} : { topicKey: topicKey(topic) }),
    ...(tags ? { tags } : {}),
    ...(minVotes === undefined ? {} : { minVotes }),
    ...(since === undefined ? {} : { since: toDate('filters.since', since) }),
    ...(until === undefined ? {} : { until: toDate('filters.until', until) }),
  }
}

const description = `Any of the words may match, in title, description, tags or author; the best matches come first. A phrase in
quotes ("dark mode") must be there, and -word or -"some words" must not: both are compared as they are written, where other
words also match in other forms. Filters, sorting, phrases and exclusions look at the best 1,000 matches when there are more,
and say so in \`meta.window\`. Pages may shift while a scrape writes.`

const searchBody = ({ enabledPlatforms, defaultPlatforms }: SearchDependencies) =>
  closed({
    query: trimmedText(1, 500, 'Words, "phrases" and -exclusions; every other character is ignored'),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Most results of this answer' }),
    ),
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: searchCap - 1, default: 0, description: 'Results to leave out' }),
    ),
    expand: Type.Optional(Type.Boolean({ default: false, description: 'Collect related topics live; 1 credit' })),
    platforms: Type.Optional(platformList(enabledPlatforms, defaultPlatforms)),
    filters: Type.Optional(searchFilters),
    sortBy: Type.Optional(
      oneOf(searchOrders, { default: 'relevance', description: 'Best, most voted or newest first' }),
    ),
    prefix: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'The last word may be the beginning of one: for search while typing',
      }),
    ),
    highlight: Type.Optional(
      Type.Boolean({ default: false, description: 'Say where in what is shown of the results the words are' }),
    ),
    fullText: Type.Optional(fullTextSchema),
  })

export type SearchBody = Static<ReturnType<typeof searchBody>>

const searchResult = closed({
  ...requestRecord.properties,
  highlights: Type.Optional(
    Type.Array(highlightSchema, { description: 'With `highlight`: the fields that have words of the query' }),
  ),
})

const searchMeta = closed({
  originalQuery: Type.String(),
  cachedResults: Type.Integer(),
  expanded: Type.Boolean(),
  window: Type.Optional(
    Type.Integer({ description: 'Only this many of the best matches were looked at; there are more' }),
  ),
  didYouMean: Type.Optional(Type.String({ description: 'When nothing matches: a query of words that there are' })),
  ...optional(expansionMeta),
})

const searchAnswer = closed({
  data: closed({
    results: Type.Array(searchResult),
    hasMore: Type.Boolean({ description: 'Another page can be had inside the cap' }),
    limitReached: Type.Boolean({ description: 'This page ends at result 100 and more match' }),
  }),
  meta: searchMeta,
  usage,
})

const expandDescription = `With \`expand\` related topics are thought of and collected live, one page each from every platform that is not fresh,
within a deadline; the answer is the union of all matches. It costs one credit, given back when nothing was collected, and takes an
\`Idempotency-Key\`. With \`Accept: text/event-stream\` its progress is told meanwhile:

- \`topics\`: \`{topics: […]}\`
- \`collection\`: \`{topic, platform, state, newRequests}\`, \`state\` one of waiting, done, error, skipped, fresh; for each pair at first and
  then when it has ended
- \`result\`: the answer; or \`error\`: the error body with its \`status\`. The stream ends with it.`

/** Searching the cache, and with expand the world (spec 4.3). */
export function registerSearchRoutes(app: App, dependencies: SearchDependencies): void {
  const { database, clock, searchIndex, authentication, defaultPlatforms, expandedSearch, cachedRead } = dependencies
  const share = createCoalescedReads()
  app.post(
    '/api/v1/requests/search',
    {
      onRequest: authentication.requireAccount,
      schema: {
        ...{ summary: 'Search the cached requests', description: `${description}\n\n${expandDescription}` },
        ...{ tags, security, headers: idempotencyHeaders, body: searchBody(dependencies) },
        response: {
          200: {
            description: 'The results; with expand and `Accept: text/event-stream` as events',
            content: {
              'application/json': { schema: searchAnswer },
              'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
            },
          },
          ...errorResponses(...bodyErrors, ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const { expand, filters = {}, platforms, limit = 20, offset = 0, ...options } = request.body
      const input = { ...options, filters: toSearchFilters(filters), limit, offset }
      if (expand === true) {
        return expandedSearch(request, reply, { ...input, platforms: [...new Set(platforms ?? defaultPlatforms)] })
      }
      const account = authentication.accountOf(request)
      const [{ meta, ...data }, credits] = await Promise.all([
        cachedRead(`search ${JSON.stringify(input)}`, () => answerSearch({ searchIndex, executor: database }, input)),
        share(account.accountId, () => readCreditUsage(database, account, clock.now())),
      ])
      return { data, meta: { ...meta, expanded: false }, usage: { credits } }
    },
  )
}
