import { Type } from 'typebox'
import type { App } from '../app.ts'
import type { Clock } from '../clock.ts'
import { readCreditUsage } from '../credits/usage.ts'
import type { Database } from '../database/open.ts'
import type { Authentication } from '../http/authentication.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { closed, errorResponses, nullable, oneOf, trimmedText, usage } from '../http/schemas.ts'
import { invalidField } from '../http/validation.ts'
import type { PlatformName } from '../platforms/platform.ts'
import { ownsJob } from '../scraping/jobs.ts'
import { listOrders, listRequests } from './list.ts'
import { readRequests, requestRecord } from './record.ts'

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

/** Reads the platforms of a query string: a comma list, a repeated parameter, or both. */
function parsePlatforms(values: readonly string[] | undefined, enabled: readonly PlatformName[]) {
  if (values === undefined) return undefined
  const names = [...new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim()))]
  const unknown = names.find((name) => !(enabled as readonly string[]).includes(name))
  if (unknown !== undefined) throw invalidField('platforms', `must be one of ${enabled.join(', ')}`)
  return names as PlatformName[]
}

/** Listing the cache (spec 4.4). */
export function registerListRoutes(app: App, dependencies: ListDependencies): void {
  const { database, clock, authentication, enabledPlatforms } = dependencies
  app.get(
    '/api/v1/requests',
    {
      onRequest: authentication.requireAccount,
      schema: {
        summary: 'List the cached requests',
        tags,
        security,
        querystring: closed({
          topic: Type.Optional(trimmedText(2, 100, 'Only requests of this topic')),
          platforms: Type.Optional(
            Type.Array(Type.String({ maxLength: 500 }), { maxItems: 100, description: 'Comma list, or repeated' }),
          ),
          tag: Type.Optional(trimmedText(1, 100, 'Only requests with this tag')),
          jobId: Type.Optional(Type.String({ maxLength: 100, description: 'Only what this job found' })),
          sortBy: Type.Optional(oneOf(listOrders, { default: 'new', description: 'Newest or most voted first' })),
          limit: pageLimit,
          cursor: Type.Optional(Type.String({ maxLength: 200, description: 'From the answer before' })),
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
      const { platforms: names, sortBy = 'new', limit = 20, source: _source, ...filters } = request.query
      const { jobId } = filters
      if (jobId !== undefined && !(isId(jobId) && (await ownsJob(database, account.accountId, jobId)))) {
        throw notFound('Scrape job')
      }
      const platforms = parsePlatforms(names, enabledPlatforms)
      const page = await listRequests(database, { ...filters, ...(platforms ? { platforms } : {}), sortBy, limit })
      return {
        data: { results: await readRequests(database, page.ids), hasMore: page.hasMore, cursor: page.cursor },
        usage: { credits: await readCreditUsage(database, account, clock.now()) },
      }
    },
  )
}
