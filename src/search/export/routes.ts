import { Readable } from 'node:stream'
import { Type } from 'typebox'
import type { Authentication } from '../../accounts/authentication.ts'
import type { Database } from '../../database/open.ts'
import { createAccountSlots } from '../../http/account-slots.ts'
import type { App } from '../../http/app-type.ts'
import { ServiceError } from '../../http/errors.ts'
import { closed, errorResponses, openWord } from '../../http/schemas.ts'
import { requestRecord } from '../../requests/record.ts'
import type { JobOwnership } from '../list/query.ts'
import { searchCap } from '../orders.ts'
import type { SearchIndex } from '../search-index.ts'
import { exportQuery, openExport } from './export.ts'

/** Open exports per account, in this process. */
export const maxExportsPerAccount = 3

const stopping = () => new ServiceError('UNAVAILABLE', 'The service is stopping.')

/** Tracks the open exports of this process. */
export function createOpenExports() {
  const streams = new Set<Readable>()
  const slots = createAccountSlots({ perAccount: maxExportsPerAccount, total: Number.POSITIVE_INFINITY })
  let stopped = false
  return {
    /** Opens an export; null at the account's maximum. @throws as `texts`; UNAVAILABLE at shutdown */
    async open(accountId: string, texts: () => Promise<AsyncGenerator<string>>): Promise<Readable | null> {
      const leave = slots.enter(accountId)
      if (typeof leave === 'string') return null
      try {
        const stream = await toStream(await texts())
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
    /** Aborts the exports: readers notice that they are incomplete and resume with their last cursor. */
    stop(): void {
      stopped = true
      for (const stream of streams) stream.destroy(stopping())
    },
  }
}

/** Streams text. Produces the first text before the response starts, so that bad calls get an ordinary error. */
async function toStream(texts: AsyncGenerator<string>): Promise<Readable> {
  const first = await texts.next()
  const all = (async function* () {
    if (!first.done) yield first.value
    yield* texts
  })()
  return Readable.from(all, { objectMode: false, highWaterMark: 64 * 1024 })
}

const retryAfterSeconds = 10
/** A reader that reads nothing for this long counts as disconnected. */
const silenceMs = 60_000

const contentTypes = { jsonl: 'application/x-ndjson; charset=utf-8', csv: 'text/csv; charset=utf-8' } as const

export interface ExportDependencies extends JobOwnership {
  database: Database
  searchIndex: SearchIndex
  authentication: Authentication
}

const inPartHeader = 'matches-in-part'
const beyondHeader = 'matches-beyond'

const description = `A record a line, streamed, in the order of the list; counted as one call. The author and the licence that a platform states are
on every record: name both where you pass the texts on (Stack Exchange: CC BY-SA).

Every record has a \`cursor\`: the same call with it goes on after that record, for a connection that broke, or for what
was added meanwhile. An export that ended without an error is whole; one that fails midway breaks its connection (the last chunk is missing), it
never just ends. Requests that move in the order meanwhile (with \`votes\`, when votes change; with
\`new\`, when a platform gives another date) may be missed or come twice, and those that are stored meanwhile may be missing.

With \`query\` it is what has all of its words, as \`meta.total\` of the search counts it: at most its best ${searchCap}, best match first or as \`sortBy\` says,
with the same filters. The header \`${beyondHeader}\` says how many more match, \`${inPartHeader}\` how many requests have some of the words only. What a job found (\`jobId\`) can be listed, not searched. A cursor of a search is a rank in it, which another request
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
      headers: {
        [beyondHeader]: Type.Integer({ description: 'With `query`: requests that match, too, after the best 100' }),
        [inPartHeader]: Type.Integer({ description: 'With `query`: requests that match in part, which are not in it' }),
      },
      content: {
        'application/x-ndjson': {
          schema: closed({
            ...exportedProperties,
            publicPages: openWord(['texts', 'links'], 'What of it others may be shown, by the terms of its platform'),
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

/** Registers the export of the cache as a file. */
export function registerExportRoutes(app: App, dependencies: ExportDependencies): void {
  const { authentication } = dependencies
  const exports = createOpenExports()
  app.addHook('preClose', async () => exports.stop())
  app.get('/api/v1/requests/export', {
    onRequest: authentication.requireAccount,
    // A HEAD would read everything and send nothing.
    exposeHeadRoute: false,
    schema: exportSchema,
    handler: async (request, reply) => {
      const account = authentication.accountOf(request)
      const { format } = request.query
      const stream = await exports.open(account.accountId, async () => {
        const { texts, inPart, beyond } = await openExport(dependencies, account, request.query)
        if (inPart !== null) reply.headers({ [inPartHeader]: inPart.total, [beyondHeader]: beyond })
        return texts
      })
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
  })
}
