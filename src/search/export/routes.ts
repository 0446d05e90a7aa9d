import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import { closed, errorResponses } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import type { JobOwnership } from '../list/job-filter.ts'
import { searchCap } from '../orders.ts'
import type { SearchIndex } from '../search-index.ts'
import { createOpenExports, maxExportsPerAccount } from './open-exports.ts'
import { exportQuery, openExport } from './query.ts'

const retryAfterSeconds = 10
/** A reader that reads nothing for so long is gone. */
const silenceMs = 60_000

const contentTypes = { jsonl: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

export interface ExportDependencies extends JobOwnership {
  database: Database
  searchIndex: SearchIndex
  authentication: Authentication
}

const description = `A record a line, streamed, in the order of the list; counted as one call. The author and the licence that a platform states are
on every record: name both where you pass the texts on (Stack Exchange: CC BY-SA).

Every record has a \`cursor\`: the same call with it goes on after that record, for a connection that broke, or for what
was added meanwhile. An export that ended without an error is whole; one that fails midway breaks its connection (the last chunk is missing), it
never just ends. Requests that move in the order meanwhile (with \`votes\`, when votes change; with
\`new\`, when a platform gives another date) may be missed or come twice, and those that are stored meanwhile may be missing.

With \`query\` it is what the search of these words finds, and no more: at most its best ${searchCap}, best match first or as \`sortBy\` says,
with the same filters. What a job found (\`jobId\`) can be listed, not searched. A cursor of a search is a rank in it, which another request
may have when something was stored meanwhile.

CSV is RFC 4180 in UTF-8 with a header (none with \`cursor\`); lists are JSON, what is unknown is an empty field. A text that a spreadsheet could
take for a formula has a \`'\` before it, and so has one that begins with \`'\`: take one away to have the text itself.

An account may have ${maxExportsPerAccount} exports open in each process.`

const { descriptionTruncated: _, ...exportedProperties } = requestRecord.properties

const exportSchema = {
  operationId: 'exportRequests',
  summary: 'Export the cached requests',
  description,
  tags: ['Requests'],
  security: [{ apiKey: [] }],
  querystring: exportQuery,
  response: {
    200: {
      description: 'The records, one a line',
      content: {
        'application/x-ndjson': {
          schema: closed({
            ...exportedProperties,
            cursor: Type.String({ description: 'The same call with it goes on after this record' }),
          }),
        },
        'text/csv': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
      },
    },
    ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND', 'SEARCH_UNAVAILABLE'),
  },
}

const tooManyExports = () => {
  const message = `Too many open exports (${maxExportsPerAccount} per account). Wait for one to end.`
  return new ServiceError('RATE_LIMITED', message, { reason: 'rate' })
}

/** The cache as a file. */
export function registerExportRoutes(app: App, dependencies: ExportDependencies): void {
  const { authentication } = dependencies
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  app.get(
    '/api/v1/requests/export',
    {
      onRequest: authentication.requireAccount,
      // It would read everything and send none of it.
      exposeHeadRoute: false,
      schema: exportSchema,
    },
    async (request, reply) => {
      const account = authentication.accountOf(request)
      const { format } = request.query
      const stream = await exports.open(account.accountId, () => openExport(dependencies, account, request.query))
      if (stream === null) {
        reply.header('retry-after', retryAfterSeconds)
        throw tooManyExports()
      }
      reply.raw.setTimeout(silenceMs, () => stream.destroy(new Error('The reader of an export is gone.')))
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="wishwell.${format}"`)
        .header('x-accel-buffering', 'no')
        .type(contentTypes[format])
        .send(stream)
    },
  )
}
