import { randomUUID } from 'node:crypto'
import type { EventSourceMessage } from 'eventsource-parser/stream'
import createClient from 'openapi-fetch'
import type { paths } from '../../client/api.d.ts'
import type { JobCost } from '../credits/spending.ts'
import type { Job, JobStatus } from '../scraping/jobs.ts'
import type { TopicPage } from '../topics/topic-page.ts'
import type {
  AccountUsage,
  Body,
  CorrectionAnswer,
  GroupedAnswer,
  JobPage,
  Query,
  ScrapeRequest,
  SearchAnswer,
  SearchRequest,
  StartedJob,
  TopicAnswer,
} from './api-types.ts'
import { type ChannelCalls, createChannelCalls } from './channel-calls.ts'
import type { ClientConfig } from './client-config.ts'
import { type Connection, createConnection } from './connection.ts'
import { readEvents } from './events.ts'
import { createNewsCalls, type NewsCalls } from './news-calls.ts'
import { createWatchCalls, type WatchCalls } from './watch-calls.ts'
import { createWishCalls, type WishCalls } from './wish-calls.ts'

const defaultTimeoutMs = 15_000
/** A hundred results with descriptions of the maximum length are smaller. */
const maxResultLength = 32 * 1024 * 1024

/** The calls of a service: see createApi. */
export type Api = ReturnType<typeof createApi>

const isEventStream = ({ headers }: Response) => headers.get('content-type')?.startsWith('text/event-stream') === true

/**
 * A client of the service that `config` names, for every call of `client/api.d.ts`, and those whose answers arrive in pieces. All of
 * them throw ApiError, or the reason of their signal once it is aborted, instead of returning an error.
 * @param timeoutMs how long a call may take; streams have a limit of their own.
 */
export function createApi(config: ClientConfig, { timeoutMs = defaultTimeoutMs } = {}) {
  const connection = createConnection(config, timeoutMs)
  const client = createClient<paths, 'application/json'>({ baseUrl: config.url, fetch: connection.fetch })
  const streams = createClient<paths>({ baseUrl: config.url, fetch: connection.stream })
  return {
    ...client,
    ...createWrappers(connection),

    /** The job's events after `lastEventId`, until the service ends the stream. */
    async *followJob(jobId: string, lastEventId: string | null, signal: AbortSignal) {
      const header = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const params = { path: { jobId }, header }
      const { response } = await streams.GET('/api/v1/scrape/{jobId}/events', { params, parseAs: 'stream', signal })
      if (response.body) yield* readEvents(response.body)
    },

    /** The events of a search with `expand`. The last one is `result` or `error`. */
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
      if (response.body && isEventStream(response)) yield* readEvents(response.body, maxResultLength)
      else yield { event: 'result', data: JSON.stringify(await connection.readEnvelope(response)) }
    },

    /** The bytes of an export. A connection that breaks is a temporary ApiError. */
    async openExport(query: Query<'exportRequests'>): Promise<AsyncIterable<Uint8Array>> {
      const params = { query }
      const { response } = await streams.GET('/api/v1/requests/export', { params, parseAs: 'stream' })
      return response.body ?? ReadableStream.from([])
    },
  }
}

/** The header of a call that has its effect once, however often it arrives. */
export const once = () => ({ 'idempotency-key': randomUUID() })

/** The envelope of a call of the client. */
export async function answerOf<Envelope>(call: Promise<{ data?: Envelope }>): Promise<Envelope> {
  // The client throws every answer that has none.
  return (await call).data as Envelope
}

/** The calls that the commands make. All of them throw ApiError, or the reason of the signal once it is aborted. */
interface Wrappers {
  /** Repeated calls with the same key have one effect. */
  startJob(body: ScrapeRequest, idempotencyKey: string, signal: AbortSignal): Promise<StartedJob>
  readJob(jobId: string, signal?: AbortSignal): Promise<Job & Partial<JobCost>>
  listJobs(query: { status?: JobStatus; limit?: number; cursor?: string }): Promise<JobPage>
  cancelJob(jobId: string): Promise<{ data: Job }>
  /** The credits as they are now. */
  readUsage(signal?: AbortSignal, query?: { days?: string; month?: string }): Promise<{ data: AccountUsage }>
  search(body: SearchRequest): Promise<SearchAnswer | GroupedAnswer>
  listTopics(query: { query?: string; sortBy?: string; limit?: number; cursor?: string }): Promise<TopicAnswer>
  readTopic(topic: string): Promise<{ data: TopicPage }>
  /** @param isRequest null undoes the correction. */
  correctRequest(requestId: string, isRequest: boolean | null): Promise<CorrectionAnswer>
  wishes: WishCalls
  watches: WatchCalls
  news: NewsCalls
  channels: ChannelCalls
}

const jobPath = (jobId: string) => `/api/v1/scrape/${encodeURIComponent(jobId)}`
const searchPath = '/api/v1/requests/search'

const withQuery = (path: string, query: Record<string, string>): string =>
  Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`

function createWrappers(connection: Connection): Wrappers {
  const { call } = connection
  return {
    startJob: (body, idempotencyKey, signal) => {
      const headers = { 'idempotency-key': idempotencyKey }
      return call('/api/v1/scrape', { method: 'POST', body, headers, signal })
    },
    readJob: async (jobId, signal) => (await call<{ data: Job & Partial<JobCost> }>(jobPath(jobId), { signal })).data,
    listJobs: (query) => call(`/api/v1/scrape?${new URLSearchParams(query as Record<string, string>)}`),
    cancelJob: (jobId) => call(jobPath(jobId), { method: 'DELETE' }),
    readUsage: (signal, query = {}) => call(withQuery('/api/v1/usage', query), { signal }),
    search: (body) => call(searchPath, { method: 'POST', body }),
    listTopics: (query) => call(`/api/v1/topics?${new URLSearchParams(query as Record<string, string>)}`),
    readTopic: (topic) => call(`/api/v1/topics/${encodeURIComponent(topic)}`),
    correctRequest: (requestId, isRequest) => {
      const path = `/api/v1/requests/${encodeURIComponent(requestId)}/correction`
      return call(path, isRequest === null ? { method: 'DELETE' } : { method: 'PUT', body: { isRequest } })
    },
    wishes: createWishCalls(call),
    watches: createWatchCalls(call),
    news: createNewsCalls(call),
    channels: createChannelCalls(call),
  }
}
