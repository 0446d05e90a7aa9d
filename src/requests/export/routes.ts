import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { App } from '../../app.ts'
import type { Database } from '../../database/open.ts'
import type { Authentication } from '../../http/authentication.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { closed, errorResponses, oneOf } from '../../http/schemas.ts'
import type { PlatformName } from '../../platforms/platform.ts'
import { ownsJob } from '../../scraping/jobs.ts'
import { listQuery, toListFilters } from '../list-query.ts'
import { requestRecord } from '../record.ts'
import { exportFormats, exportRequests } from './export.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']

/** Open exports, in this process. */
export const maxExportsPerAccount = 3
const retryAfterSeconds = 10
/** A reader that takes nothing for so long is gone. */
const silenceMs = 60_000

const types = { jsonl: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

export interface ExportDependencies {
  database: Database
  authentication: Authentication
  enabledPlatforms: readonly PlatformName[]
}

const description = `A record a line, streamed, in the order of the list; counted as one call. The author and the licence that a platform states are
on every record: whoever passes the texts on names both (Stack Exchange: CC BY-SA).

Every record has a \`cursor\`: the same call with it goes on after that record, for a connection that broke, or for what
came meanwhile. An export that ended without an error is whole; one that fails midway breaks its connection (the last chunk is missing), it
never just ends. Requests that change their place meanwhile (with \`top\`, when votes change; with
\`new\`, when a platform gives another date) may be missed or come twice, and those that are stored meanwhile may be missing.

CSV is RFC 4180 in UTF-8 with a header (none with \`cursor\`); lists are JSON, what is unknown is an empty field. A text that a spreadsheet could
take for a formula has a \`'\` before it, and so has one that begins with \`'\`: take one away to have the text itself.

An account may have ${maxExportsPerAccount} exports open in each process.`

/** The open exports of this process. */
function createOpenExports() {
  const streams = new Set<Readable>()
  const counts = new Map<string, number>()
  const release = (accountId: string) => {
    const left = (counts.get(accountId) ?? 1) - 1
    if (left === 0) counts.delete(accountId)
    else counts.set(accountId, left)
  }
  let stopped = false
  return {
    /** Opens one for an account; null when it has its fill. @throws what `open` throws; UNAVAILABLE at shutdown. */
    async open(accountId: string, open: () => Promise<Readable>): Promise<Readable | null> {
      const taken = counts.get(accountId) ?? 0
      if (taken >= maxExportsPerAccount) return null
      counts.set(accountId, taken + 1)
      try {
        const stream = await open()
        streams.add(stream)
        stream.once('close', () => {
          streams.delete(stream)
          release(accountId)
        })
        if (stopped) stream.destroy(stopping())
        return stream
      } catch (error) {
        release(accountId)
        throw error
      }
    },
    /** Breaks them off: their readers see that what they have is not whole, and go on with its last cursor. */
    stop(): void {
      stopped = true
      for (const stream of streams) stream.destroy(stopping())
    },
  }
}

const stopping = () => new ServiceError('UNAVAILABLE', 'The service is stopping.')
const tooManyExports = () => {
  const message = `Too many open exports (${maxExportsPerAccount} per account). Wait for one to end.`
  return new ServiceError('RATE_LIMITED', message, { reason: 'rate' })
}

/**
 * Text as a stream. The first text is made before anything is answered, so that what is wrong with the call is an ordinary
 * error.
 */
async function toStream(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next()
  const all = (async function* () {
    if (!first.done) yield first.value
    yield* texts
  })()
  return Readable.from(all, { objectMode: false, highWaterMark: 64 * 1024 })
}

/** The cache as a file. */
export function registerExportRoutes(app: App, dependencies: ExportDependencies): void {
  const { database, authentication, enabledPlatforms } = dependencies
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  app.get(
    '/api/v1/requests/export',
    {
      onRequest: authentication.requireAccount,
      // It would read everything for nobody.
      exposeHeadRoute: false,
      schema: {
        summary: 'Export the cached requests',
        description,
        tags,
        security,
        querystring: closed({
          format: Type.Optional(oneOf(exportFormats, { default: 'jsonl', description: 'JSON Lines or CSV' })),
          bom: Type.Optional(Type.Boolean({ default: false, description: 'Begin a CSV with a byte order mark' })),
          ...listQuery,
        }),
        response: {
          200: {
            description: 'The records, one a line',
            content: {
              'application/x-ndjson': {
                schema: closed({
                  ...requestRecord.properties,
                  cursor: Type.String({ description: 'The same call with it goes on after this record' }),
                }),
              },
              'text/csv': { schema: Type.Unsafe<unknown>({ type: 'string' }) },
            },
          },
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { format = 'jsonl', bom = false, sortBy = 'new', cursor, ...query } = request.query
      const { jobId } = query
      if (jobId !== undefined && !(isId(jobId) && (await ownsJob(database, accountId, jobId)))) {
        throw notFound('Scrape job')
      }
      const filters = toListFilters(query, enabledPlatforms)
      const input = { ...filters, format, bom, sortBy, ...(cursor === undefined ? {} : { cursor }) }
      const stream = await exports.open(accountId, () => toStream(exportRequests(database, input)))
      if (stream === null) {
        reply.header('retry-after', retryAfterSeconds)
        throw tooManyExports()
      }
      reply.raw.setTimeout(silenceMs, () => stream.destroy(new Error('The reader of an export is gone.')))
      return reply
        .header('cache-control', 'no-store')
        .header('content-disposition', `attachment; filename="wishwell.${format}"`)
        .header('x-accel-buffering', 'no')
        .type(types[format])
        .send(stream)
    },
  )
}
