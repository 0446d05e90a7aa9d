import { Readable } from 'node:stream'
import { type Static, Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import { createAccountSlots } from '../../http/account-slots.ts'
import type { App } from '../../http/app-type.ts'
import { notFound, ServiceError } from '../../http/errors.ts'
import { isId } from '../../http/ids.ts'
import { closed, errorResponses, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { listQuery, toListFilters } from '../list/query.ts'
import { requestRecord } from '../record.ts'
import { searchCap } from '../search/page.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { exportFormats, exportRequests } from './export.ts'
import { exportOrders, exportSearch } from './search-export.ts'

const security = [{ apiKey: [] }]
const tags = ['Requests']

/** Open exports, in this process. */
export const maxExportsPerAccount = 3
const retryAfterSeconds = 10
/** A reader that takes nothing for so long is gone. */
const silenceMs = 60_000

const { descriptionTruncated: _, ...exportedProperties } = requestRecord.properties

const types = { jsonl: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

export interface ExportDependencies {
  /** Whether a scrape job is of this account: only then may its requests be listed by it. */
  ownsJob(accountId: string, jobId: string): Promise<boolean>
  database: Database
  searchIndex: SearchIndex
  authentication: Authentication
}

const description = `A record a line, streamed, in the order of the list; counted as one call. The author and the licence that a platform states are
on every record: whoever passes the texts on names both (Stack Exchange: CC BY-SA).

Every record has a \`cursor\`: the same call with it goes on after that record, for a connection that broke, or for what
came meanwhile. An export that ended without an error is whole; one that fails midway breaks its connection (the last chunk is missing), it
never just ends. Requests that change their place meanwhile (with \`top\`, when votes change; with
\`new\`, when a platform gives another date) may be missed or come twice, and those that are stored meanwhile may be missing.

With \`query\` it is what the search of these words finds, and no more: at most its best ${searchCap}, best match first or as \`sortBy\` says,
with the same filters. What a job found (\`jobId\`) can be listed, not searched. A cursor of a search is a place in it, which other requests
may have when something was stored meanwhile.

CSV is RFC 4180 in UTF-8 with a header (none with \`cursor\`); lists are JSON, what is unknown is an empty field. A text that a spreadsheet could
take for a formula has a \`'\` before it, and so has one that begins with \`'\`: take one away to have the text itself.

An account may have ${maxExportsPerAccount} exports open in each process.`

const exportQuery = closed({
  format: Type.Optional(oneOf(exportFormats, { default: 'jsonl', description: 'JSON Lines or CSV' })),
  bom: Type.Optional(Type.Boolean({ default: false, description: 'Begin a CSV with a byte order mark' })),
  ...listQuery,
  query: Type.Optional(trimmedText(1, 500, 'Only what a search of these words finds')),
  prefix: Type.Optional(
    Type.Boolean({ default: false, description: 'With `query`: its last word may be the beginning of one' }),
  ),
  sortBy: Type.Optional(
    oneOf(exportOrders, {
      description: 'Best match (only with `query`, and its default), newest (the default without) or most voted first',
    }),
  ),
})

type ExportQuery = Static<typeof exportQuery>

/** The open exports of this process. */
function createOpenExports() {
  const streams = new Set<Readable>()
  const slots = createAccountSlots({ perAccount: maxExportsPerAccount, total: Number.POSITIVE_INFINITY })
  let stopped = false
  return {
    /** Opens one for an account; null when the account has all of its exports open. @throws what `open` throws; UNAVAILABLE at shutdown. */
    async open(accountId: string, open: () => Promise<Readable>): Promise<Readable | null> {
      const leave = slots.enter(accountId)
      if (typeof leave === 'string') return null
      try {
        const stream = await open()
        streams.add(stream)
        stream.once('close', () => {
          streams.delete(stream)
          leave()
        })
        if (stopped) stream.destroy(stopping())
        return stream
      } catch (error) {
        leave()
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
  const { database, searchIndex, authentication } = dependencies
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  /** @throws ServiceError INVALID_REQUEST, NOT_FOUND */
  const textsOf = async (accountId: string, asked: ExportQuery): Promise<AsyncGenerator<string>> => {
    const { format = 'jsonl', bom = false, query, prefix = false, sortBy, cursor, ...filters } = asked
    const shared = { format, bom, ...(cursor === undefined ? {} : { cursor }) }
    const { jobId, ...searchable } = toListFilters(filters)
    if (query !== undefined) {
      if (jobId !== undefined) throw invalidField('jobId', 'cannot be searched: leave out jobId or query')
      const input = { ...shared, query, prefix, filters: searchable, sortBy: sortBy ?? 'relevance' }
      return exportSearch({ searchIndex, executor: database }, input)
    }
    if (sortBy === 'relevance') throw invalidField('sortBy', 'is relevance only with query')
    if (prefix) throw invalidField('prefix', 'is only for query')
    if (jobId !== undefined && !(isId(jobId) && (await dependencies.ownsJob(accountId, jobId)))) {
      throw notFound('Scrape job')
    }
    const ofJob = jobId === undefined ? {} : { jobId }
    return exportRequests(database, { ...shared, ...searchable, ...ofJob, sortBy: sortBy ?? 'new' })
  }
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
          ...errorResponses('INVALID_REQUEST', 'UNAUTHORIZED', 'NOT_FOUND'),
        },
      },
    },
    async (request, reply) => {
      const { accountId } = authentication.accountOf(request)
      const { format = 'jsonl' } = request.query
      const stream = await exports.open(accountId, async () => toStream(await textsOf(accountId, request.query)))
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
