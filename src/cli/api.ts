import type { JobCost } from '../credits/spending.ts'
import type { Job, JobStatus } from '../scraping/jobs.ts'
import type { TopicPage } from '../topics/topic-page.ts'
import type {
  AccountUsage,
  CorrectionAnswer,
  GroupedAnswer,
  JobPage,
  ScrapeRequest,
  SearchAnswer,
  SearchRequest,
  StartedJob,
  TopicAnswer,
} from './api-types.ts'
import { type ChannelCalls, createChannelCalls } from './channel-calls.ts'
import type { ClientConfig } from './client-config.ts'
import { type Connection, createConnection, type StreamedAnswer } from './connection.ts'
import { createNewsCalls, type NewsCalls } from './news-calls.ts'
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'
import { createWatchCalls, type WatchCalls } from './watch-calls.ts'
import { createWishCalls, type WishCalls } from './wish-calls.ts'

/** The calls that the commands make. All of them throw ApiError, or the reason of the signal once it is aborted. */
export interface Api {
  /** Repeated calls with the same key have one effect. */
  startJob(body: ScrapeRequest, idempotencyKey: string, signal: AbortSignal): Promise<StartedJob>
  readJob(jobId: string, signal?: AbortSignal): Promise<Job & Partial<JobCost>>
  /** The job's events after `lastEventId`, until the service ends the stream. */
  followJob(jobId: string, lastEventId: string | null, signal: AbortSignal): AsyncGenerator<ServerSentEvent>
  listJobs(query: { status?: JobStatus; limit?: number; cursor?: string }): Promise<JobPage>
  cancelJob(jobId: string): Promise<{ data: Job }>
  /** The credits as they are now. */
  readUsage(signal?: AbortSignal, query?: { days?: string; month?: string }): Promise<{ data: AccountUsage }>
  search(body: SearchRequest): Promise<SearchAnswer | GroupedAnswer>
  /** The events of a search with `expand`. The last one is `result` or `error`. */
  expandSearch(body: SearchRequest & { platforms?: string[] }, signal: AbortSignal): AsyncGenerator<ServerSentEvent>
  listTopics(query: { query?: string; sortBy?: string; limit?: number; cursor?: string }): Promise<TopicAnswer>
  readTopic(topic: string): Promise<{ data: TopicPage }>
  /** @param isRequest null undoes the correction. */
  correctRequest(requestId: string, isRequest: boolean | null): Promise<CorrectionAnswer>
  wishes: WishCalls
  watches: WatchCalls
  news: NewsCalls
  channels: ChannelCalls
  /** The bytes of an export. A connection that breaks is a temporary ApiError. */
  openExport(query: URLSearchParams): Promise<AsyncIterable<Uint8Array>>
}

const defaultTimeoutMs = 15_000
/** A hundred results with descriptions of the maximum length are smaller. */
const maxResultLength = 32 * 1024 * 1024

const jobPath = (jobId: string) => `/api/v1/scrape/${encodeURIComponent(jobId)}`
const searchPath = '/api/v1/requests/search'

const withQuery = (path: string, query: Record<string, string>): string =>
  Object.keys(query).length === 0 ? path : `${path}?${new URLSearchParams(query)}`

const isEventStream = ({ response }: StreamedAnswer) =>
  response.headers.get('content-type')?.startsWith('text/event-stream') === true

async function* followJob(connection: Connection, jobId: string, lastEventId: string | null, signal: AbortSignal) {
  const headers: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
  const stream = await connection.openStream(`${jobPath(jobId)}/events`, { headers, signal })
  if (isEventStream(stream)) yield* connection.explainEach(readServerSentEvents(stream.bytes), signal)
  else await connection.readEnvelope(stream.response, signal)
}

async function* expandSearch(connection: Connection, body: object, signal: AbortSignal) {
  const stream = await connection.openStream(searchPath, {
    method: 'POST',
    headers: { accept: 'text/event-stream, application/json' },
    body: { ...body, expand: true },
    signal,
  })
  if (isEventStream(stream)) {
    yield* connection.explainEach(readServerSentEvents(stream.bytes, undefined, maxResultLength), signal)
    return
  }
  const answer = await connection.readEnvelope(stream.response, signal)
  yield { id: '', event: 'result', data: JSON.stringify(answer) }
}

async function openExport(connection: Connection, query: URLSearchParams): Promise<AsyncIterable<Uint8Array>> {
  const stream = await connection.openStream(`/api/v1/requests/export?${query}`)
  if (!stream.response.ok || stream.response.body === null) await connection.readEnvelope(stream.response)
  return stream.bytes
}

/** A client of the service that `config` names. @param timeoutMs how long a call may take; streams have a limit of their own. */
export function createApi(config: ClientConfig, { timeoutMs = defaultTimeoutMs } = {}): Api {
  const connection = createConnection(config, timeoutMs)
  const { call } = connection
  return {
    startJob: (body, idempotencyKey, signal) => {
      const headers = { 'idempotency-key': idempotencyKey }
      return call('/api/v1/scrape', { method: 'POST', body, headers, signal })
    },
    readJob: async (jobId, signal) => (await call<{ data: Job & Partial<JobCost> }>(jobPath(jobId), { signal })).data,
    followJob: (jobId, lastEventId, signal) => followJob(connection, jobId, lastEventId, signal),
    listJobs: (query) => call(`/api/v1/scrape?${new URLSearchParams(query as Record<string, string>)}`),
    cancelJob: (jobId) => call(jobPath(jobId), { method: 'DELETE' }),
    readUsage: (signal, query = {}) => call(withQuery('/api/v1/usage', query), { signal }),
    search: (body) => call(searchPath, { method: 'POST', body }),
    expandSearch: (body, signal) => expandSearch(connection, body, signal),
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
    openExport: (query) => openExport(connection, query),
  }
}
