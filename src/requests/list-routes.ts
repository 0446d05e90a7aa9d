import { Type } from 'typebox'
import type { App } from '../app.ts'
import type { Clock } from '../clock.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Database } from '../database/open.ts'
import type { Authentication } from '../http/authentication.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { closed, errorResponses, nullable, oneOf, usage } from '../http/schemas.ts'
import type { PlatformName } from '../platforms/platform.ts'
import { ownsJob } from '../scraping/jobs.ts'
import { createSharedReads } from '../shared-reads.ts'
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
  enabledPlatforms: readonly PlatformName[]
}

/** Listing the cache (spec 4.4). */
export function registerListRoutes(app: App, dependencies: ListDependencies): void {
  const { database, clock, authentication, enabledPlatforms } = dependencies
  const share = createSharedReads()
  app.get(
    '/api/v1/requests',
    {
      onRequest: authentication.requireAccount,
      schema: {
        summary: 'List the cached requests',
        description:
          'By the original date (where the platform gives none, by when it entered the cache) or by votes. With filters a ' +
          'page may hold fewer requests than `limit`, even none, and yet have more after it: `hasMore` says so.',
        tags,
        security,
        querystring: closed({
          ...listQuery,
          limit: pageLimit,
          source: Type.Optional(oneOf(['cached'], { default: 'cached' })),
        }),
        response: {
          200: closed({
            data: closed({
              results: Type.Array(requestRecord),
              hasMore: Type.Boolean(),
              cursor: nullable(Type.String({ description: 'For the page after this one' })),
            }),
            usage,
          }),
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request) => {
      const account = authentication.accountOf(request)
      const { sortBy = 'new', limit = 20, source: _source, cursor, ...query } = request.query
      const { jobId } = query
      if (jobId !== undefined && !(isId(jobId) && (await ownsJob(database, account.accountId, jobId)))) {
        throw notFound('Scrape job')
      }
      const filters = toListFilters(query, enabledPlatforms)
      const list = { ...filters, sortBy, limit, ...(cursor === undefined ? {} : { cursor }) }
      const page = await share(JSON.stringify(list), () => listRequests(database, list))
      const credits = await share(account.accountId, () => readCreditUsage(database, account, clock.now()))
      return {
        data: { results: page.results, hasMore: page.hasMore, cursor: page.cursor },
        usage: { credits },
      }
    },
  )
}
