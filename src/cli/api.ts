import { randomUUID } from 'node:crypto'
import { type EventSourceMessage, EventSourceParserStream, ParseError } from 'eventsource-parser/stream'
import createClient from 'openapi-fetch'
import type { paths } from '../../client/api.d.ts'
import { answerOf } from '../../client/client.ts'
import { pathsWithIds } from '../../client/path.ts'
import { ApiError } from './answers.ts'
import type { Body, Query } from './api-types.ts'
import type { ClientConfig } from './client-config.ts'
import { createConnection } from './connection.ts'
import { exitCodes } from './exit-codes.ts'

/** Far longer than any event except a search's result. */
const maxEventLength = 256 * 1024

/** Reads a `text/event-stream`. @param maxLength of an event, in UTF-16 units; longer ones throw ApiError */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  maxLength = maxEventLength,
): AsyncGenerator<EventSourceMessage> {
  try {
    yield* body
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream({ maxBufferSize: maxLength }))
  } catch (error) {
    if (!(error instanceof ParseError)) throw error
    const message = 'The service sent an event that does not end.'
    throw new ApiError(message, exitCodes.unreachable, { temporary: true, answerLost: true })
  }
}

const defaultTimeoutMs = 15_000
/** Larger than a hundred results with descriptions of maximum length. */
const maxResultLength = 32 * 1024 * 1024

/** How the CLI's clients build paths. */
export const pathSerializer = pathsWithIds((message) => new ApiError(message, exitCodes.failed, { code: 'NOT_FOUND' }))

/** Node's `fetch` gives up without an answer in five minutes, even during an upload; this one heeds only its signal. */
const patientFetch: typeof fetch = async (input, init) => {
  const { Agent, fetch: send } = await import('undici')
  const request = new Request(input, init)
  const { method, redirect, signal } = request
  const headers = [...request.headers] as [string, string][]
  const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  const sent = { method, headers, redirect, signal, body: await request.bytes(), dispatcher }
  return (await send(request.url, sent)) as unknown as Response
}

/** See createApi. */
export type Api = ReturnType<typeof createApi>

/**
 * Creates a client for all calls of `client/api.d.ts` and for streams. Calls throw ApiError, or an aborted signal's
 * reason.
 * @param timeoutMs of a call, including file imports; streams have their own limit
 */
export function createApi(config: ClientConfig, { timeoutMs = defaultTimeoutMs } = {}) {
  const connection = createConnection(config, timeoutMs)
  const patient = createConnection(config, timeoutMs, { transport: patientFetch })
  const shared = { baseUrl: config.url, pathSerializer }
  const client = createClient<paths, 'application/json'>({ ...shared, fetch: connection.fetch })
  const streams = createClient<paths>({ ...shared, fetch: connection.stream })
  return {
    ...client,

    /** A job's events after `lastEventId`, until the service ends the stream. */
    async *followJob(jobId: string, lastEventId: string | null, signal: AbortSignal) {
      const header = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const params = { path: { jobId }, header }
      const { response } = await streams.GET('/api/v1/scrape/{jobId}/events', { params, parseAs: 'stream', signal })
      if (response.body) yield* readEvents(response.body)
    },

    /** The events of a search with `expand`, ending with `result` or `error`. */
    async *expandSearch(
      body: Body<'searchRequests'>,
      signal: AbortSignal,
    ): AsyncGenerator<Pick<EventSourceMessage, 'event' | 'data'>> {
      const { response } = await streams.POST('/api/v1/requests/search', {
        headers: { accept: 'text/event-stream, application/json' },
        body: { ...body, expand: true },
        parseAs: 'stream',
        signal,
      })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (response.body && isStream) yield* readEvents(response.body, maxResultLength)
      else yield { event: 'result', data: JSON.stringify(await connection.readEnvelope(response)) }
    },

    /** The bytes of an export, with numbers of partial and omitted matches. A break is a temporary ApiError. */
    async openExport(query: Query<'exportRequests'>) {
      const params = { query }
      const { response } = await streams.GET('/api/v1/requests/export', { params, parseAs: 'stream' })
      const bytes: AsyncIterable<Uint8Array> = response.body ?? ReadableStream.from([])
      const numberIn = (header: string) => Number(response.headers.get(header) ?? 0)
      return { bytes, inPart: numberIn('matches-in-part'), beyond: numberIn('matches-beyond') }
    },

    async importFile(query: Query<'importFeedback'>, file: Uint8Array) {
      const answer = await client.POST('/api/v1/feedback/imports', {
        params: { query },
        headers: { 'content-type': 'application/octet-stream' },
        body: file,
        bodySerializer: (bytes) => bytes as Uint8Array<ArrayBuffer>,
        fetch: patient.fetch,
      })
      return answerOf(Promise.resolve(answer))
    },

    async readBriefFile(briefId: string, format: NonNullable<Query<'readBriefFile'>['format']>): Promise<string> {
      const params = { path: { briefId }, query: { format } }
      const { response } = await streams.GET('/api/v1/briefs/{briefId}/file', { params, parseAs: 'stream' })
      return response.text()
    },
  }
}

export { answerOf }

/** The header that makes a call take effect once, however often it arrives. */
export const once = () => ({ 'idempotency-key': randomUUID() })

interface ListPage {
  data: { results: unknown[]; hasMore: boolean; cursor: string | null }
}

/** All pages of a short list as one answer. @param readPage reads the page at a cursor */
export async function wholeList<Page extends ListPage>(
  readPage: (query: { limit: number; cursor?: string }) => Promise<{ data?: Page }>,
): Promise<{ data: Page }> {
  const limit = 100
  let page = await answerOf(readPage({ limit }))
  const results = [...page.data.results]
  while (page.data.cursor !== null) {
    page = await answerOf(readPage({ limit, cursor: page.data.cursor }))
    results.push(...page.data.results)
  }
  return { data: { ...page, data: { ...page.data, results } } }
}
