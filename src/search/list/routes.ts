import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import { type Pricing, priceText } from '../../accounts/plans.ts'
import { creditsOfCaller } from '../../credits/usage.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../http/idempotency/idempotency.ts'
import { pageOf, pageParameters, sortByParameter } from '../../http/pagination.ts'
import { closed, defaulted, errorResponses, oneOf, optional, usage } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { searchWords } from '../../platforms/topic-words.ts'
import { parseQueryFilters, queryFilters } from '../../requests/filters/filters.ts'
import { fullTextParameter, requestRecord } from '../../requests/record.ts'
import type { Clock } from '../../runtime/clock.ts'
import type { CoalescedReads } from '../../runtime/request-coalescing.ts'
import { countsSchema, facetsParameter } from '../facets.ts'
import { type RealtimeList, realtimeMeta } from '../live-collection.ts'
import { countRequests } from './counts.ts'
import { listOrders } from './index-scan.ts'
import { type ListInput, listRequests } from './list.ts'
import { type JobOwnership, listQuery, parseListFilters, requireOwnJob } from './query.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']
export interface ListDependencies extends JobOwnership {
  database: Database
  clock: Clock
  authentication: Authentication
  cachedRead: CoalescedReads
  realtimeList: RealtimeList
  defaultPlatforms: readonly PlatformName[]
  pricing: Pricing
}

const listDescription = ({
  prices,
}: Pricing) => `Likely feature requests, and with \`include\` others. By the original date (where the platform gives none, by when it entered the cache) or by votes. With filters a page
may hold fewer requests than \`limit\`, even none, and yet have more after it: \`hasMore\` says so.

With \`source=realtime\` a page of \`topic\` is collected live from each of \`platforms\` that is not fresh, within a
deadline, and the list after it is the answer. It costs ${priceText(prices.realtime)}, given back when nothing was collected, and takes an
\`Idempotency-Key\`. The pages after the first need their \`cursor\` and no \`source\`.`

function checkRealtime({ topic, cursor }: Pick<ListInput, 'topic' | 'cursor'>): string {
  if (topic === undefined) throw invalidField('topic', 'is required with source=realtime')
  if (cursor !== undefined)
    throw invalidField('cursor', 'is not for source=realtime: leave out source for the next page')
  if (searchWords(topic).length === 0) throw invalidField('topic', 'must have a letter, a digit or an emoji')
  return topic
}

const listSchema = (pricing: Pricing) => ({
  operationId: 'listRequests',
  summary: 'List the cached requests',
  description: listDescription(pricing),
  tags,
  security,
  headers: idempotencyHeaders,
  querystring: closed({
    ...listQuery,
    sortBy: sortByParameter(listOrders, { default: 'new', description: 'Newest or most voted first' }),
    limit: pageParameters.limit,
    fullText: fullTextParameter,
    source: defaulted(
      oneOf(['cached', 'realtime'], {
        default: 'cached',
        description: `\`realtime\` needs \`topic\`; ${priceText(pricing.prices.realtime)}`,
      }),
    ),
  }),
  response: {
    200: closed({ data: pageOf(requestRecord), meta: Type.Optional(realtimeMeta), usage }),
    ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'SCOPE_EXCEEDED', 'NOT_FOUND', ...idempotencyErrors),
  },
})

/** Registers lists of the cache; with `source=realtime`, after collecting live. */
export function registerListRoutes(app: App, dependencies: ListDependencies): void {
  const { database, clock, authentication, defaultPlatforms, realtimeList, cachedRead, pricing } = dependencies
  app.get(
    '/api/v1/requests',
    { onRequest: authentication.requireAccount, schema: listSchema(pricing) },
    async (request, reply) => {
      const account = authentication.accountOf(request)
      const { sortBy, limit, fullText, source, cursor, ...query } = request.query
      const filters = parseListFilters(query, account)
      await requireOwnJob(dependencies, account.accountId, filters.jobId)
      const list = { ...filters, sortBy, limit, fullText, cursor }
      if (source === 'realtime') {
        // A HEAD has no body, but collecting for it would cost a credit.
        if (request.method === 'HEAD') throw invalidField('source', 'realtime is not for HEAD')
        authentication.requireScope(request, 'collect')
        const topic = checkRealtime(list)
        const platforms = filters.platforms ?? defaultPlatforms
        return realtimeList(request, reply, { list: { ...list, topic }, platforms })
      }
      const page = await cachedRead(`list ${JSON.stringify(list)}`, () => listRequests(database, list))
      const credits = await creditsOfCaller(database, pricing, account, clock.now())
      return {
        data: { results: page.results, hasMore: page.hasMore, cursor: page.cursor },
        usage: { credits },
      }
    },
  )
}

const facetsSchema = {
  operationId: 'countRequests',
  summary: 'Count the cached requests',
  description:
    'How many requests pass the filters, and by `facets` how they are distributed: what a list with them has. One page of a list says nothing of the others.',
  tags,
  security,
  querystring: closed({ ...queryFilters, facets: facetsParameter('Count by these, in `facets`') }),
  response: {
    200: closed({
      data: closed({
        total: Type.Integer(),
        ...countsSchema,
        ...optional({ facets: countsSchema.facets, facetsAreExact: countsSchema.facetsAreExact }),
      }),
    }),
    ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED'),
  },
}

/** Registers the counts of the cache. */
export function registerFacetRoutes(app: App, { database, authentication, cachedRead }: ListDependencies): void {
  app.get(
    '/api/v1/requests/facets',
    { onRequest: authentication.requireAccount, schema: facetsSchema },
    async (request) => {
      const { facets = [], ...query } = request.query
      const filters = parseQueryFilters(query, authentication.accountOf(request))
      const input = { facets: [...new Set(facets)].sort() }
      const data = await cachedRead(`facets ${JSON.stringify([filters, input])}`, () =>
        countRequests(database, filters, input),
      )
      return { data }
    },
  )
}
