import { Type } from 'typebox'
import type { App } from '../app.ts'
import type { Clock } from '../clock.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Database } from '../database/open.ts'
import type { Authentication } from '../http/authentication.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { closed, errorResponses, nullable, oneOf, usage } from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import { idempotencyErrors, idempotencyHeaders } from '../idempotency/idempotency.ts'
import type { RealtimeList } from '../live/realtime-list.ts'
import { realtimeMeta } from '../live/schemas.ts'
import type { PlatformName } from '../platforms/platform.ts'
import { searchWords } from '../platforms/topic.ts'
import { ownsJob } from '../scraping/jobs.ts'
import { createSharedReads, type SharedReads } from '../shared-reads.ts'
import { listRequests } from './list.ts'
import { listQuery, toListFilters } from './list-query.ts'
import { requestRecord } from './record.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']
const pageLimit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Most results of this answer' }),
)

export interface ListDependencies {
  database: Database
  clock: Clock
  authentication: Authentication
  readRequests: SharedReads
  realtimeList: RealtimeList
  enabledPlatforms: readonly PlatformName[]
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
  const { database, clock, authentication, enabledPlatforms, defaultPlatforms, realtimeList, readRequests } =
    dependencies
  const share = createSharedReads()
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
      const { sortBy = 'new', limit = 20, source = 'cached', cursor, ...query } = request.query
      const { jobId } = query
      if (jobId !== undefined && !(isId(jobId) && (await ownsJob(database, account.accountId, jobId)))) {
        throw notFound('Scrape job')
      }
      const filters = toListFilters(query, enabledPlatforms)
      const list = { ...filters, sortBy, limit, ...(cursor === undefined ? {} : { cursor }) }
      if (source === 'realtime') {
        // Nobody would see what it costs a credit to collect.
        if (request.method === 'HEAD') throw invalidField('source', 'realtime is not for HEAD')
        const topic = checkRealtime(list)
        const platforms = filters.platforms ?? defaultPlatforms
        return realtimeList(request, reply, { list: { ...list, topic }, platforms })
      }
      const [page, credits] = await Promise.all([
        readRequests(`list ${JSON.stringify(list)}`, () => listRequests(database, list)),
        share(account.accountId, () => readCreditUsage(database, account, clock.now())),
      ])
      return {
        data: { results: page.results, hasMore: page.hasMore, cursor: page.cursor },
        usage: { credits },
      }
    },
  )
}
