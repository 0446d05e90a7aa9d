import { type Static, Type } from 'typebox'
import type { App } from '../../app.ts'
import type { Clock } from '../../clock.ts'
import { readCreditUsage } from '../../credits/usage.ts'
import type { Database } from '../../database/open.ts'
import type { Authentication } from '../../http/authentication.ts'
import { closed, errorResponses, oneOf, optional, trimmedText, usage } from '../../http/schemas.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../idempotency/idempotency.ts'
import type { ExpandedSearch } from '../../live/expanded-search.ts'
import { expansionMeta } from '../../live/schemas.ts'
import type { PlatformName } from '../../platforms/platform.ts'
import { platformList } from '../../scraping/routes.ts'
import { readRequests, requestRecord } from '../record.ts'
import { topicKey } from '../topic.ts'
import type { SearchFilters, SearchIndex } from './search-index.ts'

/** A search gives at most this many results in total, however it is paged (spec 4.3). */
const searchCap = 100
const security = [{ apiKey: [] }]
const tags = ['Requests']

export interface SearchDependencies {
  database: Database
  clock: Clock
  searchIndex: SearchIndex
  authentication: Authentication
  expandedSearch: ExpandedSearch
  enabledPlatforms: readonly PlatformName[]
  defaultPlatforms: readonly PlatformName[]
}

const searchFilters = (enabled: readonly PlatformName[]) =>
  closed(
    {
      platforms: Type.Optional(Type.Array(oneOf(enabled), { minItems: 1, maxItems: 100 })),
      topic: Type.Optional(trimmedText(2, 100, 'Only requests of this topic')),
    },
    { description: 'Narrow the results; `platforms` beside `query` only says what an expansion collects from' },
  )

const toSearchFilters = ({ platforms, topic }: Static<ReturnType<typeof searchFilters>>): SearchFilters => ({
  ...(platforms ? { platforms } : {}),
  ...(topic === undefined ? {} : { topicKey: topicKey(topic) }),
})

const searchAnswer = closed({
  data: closed({
    results: Type.Array(requestRecord),
    hasMore: Type.Boolean({ description: 'Another page can be had inside the cap' }),
    limitReached: Type.Boolean({ description: 'This page ends at result 100 and more match' }),
  }),
  meta: closed({
    originalQuery: Type.String(),
    cachedResults: Type.Integer(),
    expanded: Type.Boolean(),
    window: Type.Optional(
      Type.Integer({ description: 'Filters looked only at this many of the best matches; there are more' }),
    ),
    ...optional(expansionMeta),
  }),
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
  const { database, clock, searchIndex, authentication, enabledPlatforms, defaultPlatforms } = dependencies
  const { expandedSearch } = dependencies
  app.post(
    '/api/v1/requests/search',
    {
      onRequest: authentication.requireAccount,
      schema: {
        summary: 'Search the cached requests',
        description: `Any of the words may match, in title, description, tags or author; the best matches come first.\n\n${expandDescription}`,
        tags,
        security,
        headers: idempotencyHeaders,
        body: closed({
          query: trimmedText(1, 500, 'Words; every other character is ignored'),
          limit: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Most results of this answer' }),
          ),
          offset: Type.Optional(
            Type.Integer({ minimum: 0, maximum: searchCap - 1, default: 0, description: 'Results to leave out' }),
          ),
          expand: Type.Optional(Type.Boolean({ default: false, description: 'Collect related topics live; 1 credit' })),
          platforms: Type.Optional(platformList(enabledPlatforms, defaultPlatforms)),
          filters: Type.Optional(searchFilters(enabledPlatforms)),
        }),
        response: {
          200: {
            description: 'The results; as events with `Accept: text/event-stream` and expand',
            content: {
              'application/json': { schema: searchAnswer },
              'text/event-stream': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
            },
          },
          ...errorResponses(
            'INVALID_REQUEST',
            'UNAUTHORIZED',
            'PAYLOAD_TOO_LARGE',
            'UNSUPPORTED_MEDIA_TYPE',
            ...idempotencyErrors,
          ),
        },
      },
    },
    async (request, reply) => {
      const { query, limit = 20, offset = 0, expand, filters } = request.body
      if (expand === true) {
        const platforms = [...new Set(request.body.platforms ?? defaultPlatforms)]
        const input = { query, limit, offset, platforms, ...(filters ? { filters: toSearchFilters(filters) } : {}) }
        return expandedSearch(request, reply, input)
      }
      const matches = await searchIndex.search(database, {
        ...{ query, offset, limit: Math.min(limit, searchCap - offset) },
        ...(filters ? { filters: toSearchFilters(filters) } : {}),
      })
      const results = await readRequests(database, matches.ids)
      const atCap = offset + matches.ids.length >= searchCap
      const window = matches.window === null ? {} : { window: matches.window }
      return {
        data: { results, hasMore: matches.more && !atCap, limitReached: matches.more && atCap },
        meta: { originalQuery: query, cachedResults: results.length, expanded: false, ...window },
        usage: { credits: await readCreditUsage(database, authentication.accountOf(request), clock.now()) },
      }
    },
  )
}
