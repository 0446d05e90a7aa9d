import type { CreditUsage } from '../credits/usage.ts'
import type { CollectionError } from '../live/gathered.ts'
import type { PlatformStatus } from '../platforms/status.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { ListedJob } from '../scraping/job-list.ts'
import type { Job, JobStatus } from '../scraping/jobs.ts'
import type { TopicPage } from '../topics/topic-page.ts'
import type { TopicSummary } from '../topics/topics.ts'
import { connectionError, readAnswer } from './answers.ts'
import type { ClientConfig } from './client-config.ts'
import { CommandError } from './exit-codes.ts'
import { readServerSentEvents, type ServerSentEvent } from './server-sent-events.ts'

export interface Usage {
  credits: CreditUsage
}

/** What an account has of its plan, as the usage endpoint tells it. */
export interface AccountUsage {
  tier: string
  credits: CreditUsage & { held: number; resetsAt: string }
  paygBalance: number
  paygMonthlyCap: number | null
  rateLimit: { requestsPerMinute: number }
  days?: { date: string; operation: string; credits: number }[]
}

export interface StartedJob {
  data: Pick<Job, 'jobId' | 'status' | 'topic'> & { platforms: string[]; depth: number }
  usage: Usage
}

export interface SearchAnswer {
  data: { results: RequestRecord[]; hasMore: boolean; limitReached: boolean }
  meta: { window?: number; didYouMean?: string }
  usage: Usage
}

export interface SearchRequest {
  query: string
  limit?: number
  offset?: number
  filters?: Record<string, unknown>
  sortBy?: string
  prefix?: boolean
}

/** The answer of a search with `expand`. */
export interface ExpandedAnswer extends SearchAnswer {
  meta: SearchAnswer['meta'] & {
    expandedTopics: string[]
    topicsScraped: number
    topicsSkipped: number
    newResultsFound: number
    scrapingTimeMs: number
    errors: CollectionError[]
  }
}

export interface TopicAnswer {
  data: { topics: TopicSummary[]; hasMore: boolean; cursor: string | null }
}

export interface JobPage {
  data: { jobs: ListedJob[]; hasMore: boolean; cursor: string | null }
}

/** The calls that the commands make. All of them throw ApiError, or the reason of the signal once it is aborted. */
export interface Api {
  /** With the same key it has one effect, however often it is called. */
  startJob(
    body: { topic: string; platforms?: string[]; depth?: number },
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<StartedJob>
  readJob(jobId: string, signal?: AbortSignal): Promise<Job>
  /** The job's events after `lastEventId`, until the service ends the stream. */
  followJob(jobId: string, lastEventId: string | null, signal: AbortSignal): AsyncGenerator<ServerSentEvent>
  listJobs(query: { status?: JobStatus; limit?: number; cursor?: string }): Promise<JobPage>
  cancelJob(jobId: string): Promise<{ data: Job }>
  /** The credits as they are now. */
  readUsage(signal?: AbortSignal, days?: number): Promise<{ data: AccountUsage }>
  readPlatforms(): Promise<{ data: { platforms: PlatformStatus[] } }>
  search(body: SearchRequest): Promise<SearchAnswer>
  /** The events of a search with `expand`; `result` and `error` end it. */
  expandSearch(body: SearchRequest & { platforms?: string[] }, signal: AbortSignal): AsyncGenerator<ServerSentEvent>
  listTopics(query: { query?: string; sortBy?: string; limit?: number; cursor?: string }): Promise<TopicAnswer>
  readTopic(topic: string): Promise<{ data: TopicPage }>
  /** The bytes of an export; a connection that breaks is an ApiError that may pass. */
  openExport(query: URLSearchParams): Promise<AsyncIterable<Uint8Array>>
}

const defaultTimeoutMs = 15_000
const jsonHeader = { 'content-type': 'application/json' }
/** A hundred results with the longest descriptions are smaller. */
const maxResultLength = 32 * 1024 * 1024
/** A stream in which nothing comes for so long, not even a heartbeat, is broken. */
const silenceMs = 45_000

interface Call {
  method?: 'POST' | 'DELETE'
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal | undefined
}

const jobPath = (jobId: string) => `/api/v1/scrape/${encodeURIComponent(jobId)}`

/** A client of the service that `config` points at. */
export function createApi({ url, apiKey }: ClientConfig, { timeoutMs = defaultTimeoutMs } = {}): Api {
  const authorization = `Bearer ${apiKey}`

  /** Runs a call, with what went wrong in it in the words of the commands. */
  async function explained<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
    try {
      return await run()
    } catch (error) {
      if (signal?.aborted) throw signal.reason
      if (error instanceof CommandError) throw error
      throw connectionError(url, error, timeoutMs)
    }
  }
  const read = async (response: Response) => {
    const { status, headers } = response
    return readAnswer({ url, status, headers, text: await response.text(), keyFrom: 'WISHWELL_API_KEY' })
  }
  const call = <Body>(path: string, { method, body, headers = {}, signal }: Call = {}): Promise<Body> =>
    explained(signal, async () => {
      const timeout = AbortSignal.timeout(timeoutMs)
      const response = await fetch(`${url}${path}`, {
        method: method ?? 'GET',
        headers: { authorization, ...headers, ...(body === undefined ? {} : jsonHeader) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
        // A followed redirect turns a POST into a GET.
        redirect: 'manual',
      })
      return (await read(response)) as Body
    })

  async function* follow(jobId: string, lastEventId: string | null, signal: AbortSignal) {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(), silenceMs)
    try {
      const response = await fetch(`${url}${jobPath(jobId)}/events`, {
        headers: { authorization, ...(lastEventId === null ? {} : { 'last-event-id': lastEventId }) },
        signal: AbortSignal.any([signal, silence.signal]),
        redirect: 'manual',
      })
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (isStream && response.body) yield* readServerSentEvents(response.body, () => timer.refresh())
      else await explained(signal, () => read(response))
    } finally {
      clearTimeout(timer)
    }
  }

  async function* expandSearch(body: object, signal: AbortSignal): AsyncGenerator<ServerSentEvent> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(new DOMException('silent', 'TimeoutError')), silenceMs)
    try {
      const response = await explained(signal, () =>
        fetch(`${url}/api/v1/requests/search`, {
          method: 'POST',
          headers: { authorization, ...jsonHeader, accept: 'text/event-stream, application/json' },
          body: JSON.stringify({ ...body, expand: true }),
          signal: AbortSignal.any([signal, silence.signal]),
          redirect: 'manual',
        }),
      )
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream')
      if (!isStream || !response.body) {
        const answer = await explained(signal, () => read(response))
        yield { id: '', event: 'result', data: JSON.stringify(answer) }
        return
      }
      const events = readServerSentEvents(response.body, () => timer.refresh(), maxResultLength)
      for (;;) {
        const { value, done } = await explained(signal, () => events.next())
        if (done) return
        yield value
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** The chunks of a body, with what goes wrong in the words of the commands. */
  async function* chunksOf(body: ReadableStream<Uint8Array>, onChunk: () => void) {
    try {
      for await (const chunk of body) {
        onChunk()
        yield chunk
      }
    } catch (error) {
      throw connectionError(url, error, silenceMs)
    }
  }
  async function openExport(query: URLSearchParams): Promise<AsyncIterable<Uint8Array>> {
    const silence = new AbortController()
    const timer = setTimeout(() => silence.abort(new DOMException('silence', 'TimeoutError')), silenceMs).unref()
    const response = await explained(undefined, () =>
      fetch(`${url}/api/v1/requests/export?${query}`, {
        headers: { authorization },
        signal: silence.signal,
        redirect: 'manual',
      }),
    )
    if (!response.ok || response.body === null) await explained(undefined, () => read(response))
    return chunksOf(response.body as ReadableStream<Uint8Array>, () => timer.refresh())
  }
  return {
    expandSearch,
    startJob: (body, idempotencyKey, signal) => {
      const headers = { 'idempotency-key': idempotencyKey }
      return call('/api/v1/scrape', { method: 'POST', body, headers, signal })
    },
    readJob: async (jobId, signal) => (await call<{ data: Job }>(jobPath(jobId), { signal })).data,
    followJob: follow,
    listJobs: (query) => call(`/api/v1/scrape?${new URLSearchParams(query as Record<string, string>)}`),
    cancelJob: (jobId) => call(jobPath(jobId), { method: 'DELETE' }),
    readUsage: (signal, days) => call(`/api/v1/usage${days === undefined ? '' : `?days=${days}`}`, { signal }),
    readPlatforms: () => call('/api/v1/platforms'),
    listTopics: (query) => call(`/api/v1/topics?${new URLSearchParams(query as Record<string, string>)}`),
    readTopic: (topic) => call(`/api/v1/topics/${encodeURIComponent(topic)}`),
    openExport,
    search: (body) => call('/api/v1/requests/search', { method: 'POST', body }),
  }
}
