import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import { readCreditUsage } from '../../credits/usage.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { notFound } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { closed, errorResponses, nullable, oneOf, usage } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { idempotencyErrors, idempotencyHeaders } from '../../idempotency/idempotency.ts'
import { searchWords } from '../../platforms/topic-words.ts'
import type { Clock } from '../../runtime/clock.ts'
import { type CoalescedReads, createCoalescedReads } from '../../runtime/request-coalescing.ts'
import type { RealtimeList } from '../live-collection.ts'
import { realtimeMeta } from '../live-collection.ts'
import { fullTextSchema, requestRecord } from '../record.ts'
import { listRequests } from './list.ts'
import { listQuery, toListFilters } from './query.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']
const pageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Most results of this answer' }),
)

export interface ListDependencies {
  /** Whether a scrape job is of this account: only then may its requests be listed by it. */
  ownsJob(accountId: string, jobId: string): Promise<boolean>
  database: Database
  clock: Clock
  authentication: Authentication
  cachedRead: CoalescedReads
  realtimeList: RealtimeList
  defaultPlatforms: readonly PlatformName[]
}

const listDescription = `By the original date (where the platform gives none, by when it entered the cache) or by votes. With filters a page
may hold fewer requests than \`limit\`, even none, and yet have more after it: \`hasMore\` says so.

With \`source=realtime\` a page of \`topic\` is collected live from each of \`platforms\` that is not fresh, within a
deadline, and the list after it is the answer. It costs one credit, given back when nothing was collected, and takes an
\`Idempotency-Key\`. The pages after the first are had by their \`cursor\`, without \`source\`.`

/** Refuses what a live collection cannot do. */
function checkRealtime({ topic, cursor }: { topic?: string; cursor?: string }): string {
  if (topic === undefined) throw invalidField('topic', 'is required with source=realtime')
  if (cursor !== undefined)
    throw invalidField('cursor', 'cannot be had live; leave out source=realtime for the next page')
  if (searchWords(topic).length === 0) throw invalidField('topic', 'must have a letter, a digit or an emoji')
  return topic
}

/** Listing the cache, and with `source=realtime` what is asked for now (spec 4.4). */
export function registerListRoutes(app: App, dependencies: ListDependencies): void {
  const { database, clock, authentication, defaultPlatforms, realtimeList, cachedRead } = dependencies
  const share = createCoalescedReads()
  app.get(
    '/api/v1/requests',
    {
      onRequest: authentication.requireAccount,
      schema: {
        summary: 'List the cached requests',
        description: listDescription,
        tags,
        security,
        headers: idempotencyHeaders,
        querystring: closed({
          ...listQuery,
          limit: pageLimit,
          fullText: Type.Optional(fullTextSchema),
          source: Type.Optional(
            oneOf(['cached', 'realtime'], { default: 'cached', description: '`realtime` needs `topic`; 1 credit' }),
          ),
        }),
        response: {
          200: closed({
            data: closed({
              results: Type.Array(requestRecord),
              hasMore: Type.Boolean(),
              cursor: nullable(Type.String({ description: 'For the page after this one' })),
            }),
            meta: Type.Optional(realtimeMeta),
            usage,
          }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND', ...idempotencyErrors),
        },
      },
    },
    async (request, reply) => {
      const account = authentication.accountOf(request)
      const { sortBy = 'new', limit = 20, fullText = false, source = 'cached', cursor, ...query } = request.query
      const { jobId } = query
      if (jobId !== undefined && !(isId(jobId) && (await dependencies.ownsJob(account.accountId, jobId)))) {
        throw notFound('Scrape job')
      }
      const filters = toListFilters(query)
      const list = { ...filters, sortBy, limit, fullText, ...(cursor === undefined ? {} : { cursor }) }
      if (source === 'realtime') {
        // Nobody would see what it costs a credit to collect.
        if (request.method === 'HEAD') throw invalidField('source', 'realtime is not for HEAD')
        const topic = checkRealtime(list)
        const platforms = filters.platforms ?? defaultPlatforms
        return realtimeList(request, reply, { list: { ...list, topic }, platforms })
      }
      const [page, credits] = await Promise.all([
        cachedRead(`list ${JSON.stringify(list)}`, () => listRequests(database, list)),
        share(account.accountId, () => readCreditUsage(database, account, clock.now())),
      ])
      return {
        data: { results: page.results, hasMore: page.hasMore, cursor: page.cursor },
        usage: { credits },
      }
    },
  )
}
