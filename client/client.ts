import createFetchClient, { type Client, createQuerySerializer } from 'openapi-fetch'
import type { paths } from './api.d.ts'
import { WishwellError } from './error.ts'
import { pathsWithIds } from './path.ts'
import { createRetryingFetch, pause, type RetryOptions } from './retry.ts'
import type { Body, Data, DataOf } from './types.ts'

export type { components, operations, paths } from './api.d.ts'
export { type ErrorCode, WishwellError } from './error.ts'
export type { Answer, Body, Data, Query } from './types.ts'

/** Which service is called, as whom, and how. */
export interface ClientOptions extends RetryOptions {
  /** The address of the service, such as `https://wishes.example.org`. */
  url: string
  /** Without it, a browser sends the cookie of its session. */
  apiKey?: string
}

type GetOf<Path extends keyof paths> = paths[Path] extends { get: infer Operation } ? Operation : never

/** The paths of lists that are read page by page. */
export type ListPath = {
  [Path in keyof paths]: DataOf<GetOf<Path>> extends { cursor: string | null } ? Path : never
}[keyof paths]

/** The query and the path parameters of a list. */
export type ListParameters<Path extends ListPath> = Omit<
  Extract<GetOf<Path>, { parameters: unknown }>['parameters'],
  'header' | 'cookie'
>

export type Job = Data<'readScrapeJob'>
export type JobRequest = Body<'startScrapeJob'>

/** How a job is waited for. */
export interface WaitOptions {
  signal?: AbortSignal
  /** Called with the job at each poll, the last one included. */
  onProgress?: (job: Job) => void
  /** Milliseconds between polls; by default 1,000. */
  pollMs?: number
}

/** The calls of a service. All throw WishwellError, or the reason of their signal. */
export interface WishwellClient extends Client<paths, 'application/json'> {
  /** The `data` of each page of a list, as long as there are more. */
  pages<Path extends ListPath>(
    path: Path,
    parameters?: ListParameters<Path>,
    options?: { signal?: AbortSignal },
  ): AsyncGenerator<DataOf<GetOf<Path>>>
  /**
   * Starts a job and waits for its end. An aborted wait does not cancel the job.
   * @throws WishwellError `JOB_FAILED`, with the job as its `cause`
   */
  scrapeAndWait(body: JobRequest, options?: WaitOptions): Promise<Job>
}

/** The envelope of a call: `data`, and `meta` and `usage` where the answer has them. */
export async function answerOf<Envelope>(call: Promise<{ data?: Envelope }>): Promise<Envelope> {
  // The client throws every answer that has none.
  return (await call).data as Envelope
}

/** An address takes no lone surrogate. The service refuses one in a body so, too. */
const wellFormed =
  <Given extends unknown[]>(serialize: (...given: Given) => string) =>
  (...given: Given): string => {
    try {
      return serialize(...given)
    } catch (cause) {
      if (!(cause instanceof URIError)) throw cause
      throw new WishwellError('A text has half a character, a lone surrogate.', { code: 'INVALID_REQUEST', cause })
    }
  }

/** A client for every call of the API. */
export function createClient({ url, apiKey, ...retrying }: ClientOptions): WishwellClient {
  const client = createFetchClient<paths, 'application/json'>({
    baseUrl: url,
    pathSerializer: wellFormed(pathsWithIds((message) => new WishwellError(message, { code: 'NOT_FOUND' }))),
    querySerializer: wellFormed(createQuerySerializer()),
    fetch: createRetryingFetch(retrying),
    ...(apiKey === undefined ? {} : { headers: { authorization: `Bearer ${apiKey}` } }),
  })

  /** The path is known only to the caller's types. */
  const readPage = client.GET as (
    path: string,
    options: object,
  ) => Promise<{ data?: { data: { cursor: string | null } } }>

  async function* pages(path: string, parameters: { query?: object } = {}, { signal }: { signal?: AbortSignal } = {}) {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = cursor === undefined ? parameters.query : { ...parameters.query, cursor }
      const { data } = await answerOf(readPage(path, { params: { ...parameters, query }, signal }))
      yield data
      cursor = data.cursor
    }
  }

  async function scrapeAndWait(body: JobRequest, options: WaitOptions = {}): Promise<Job> {
    const { signal, onProgress, pollMs = 1_000 } = options
    const stop = signal ? { signal } : {}
    const { jobId } = (await answerOf(client.POST('/api/v1/scrape', { body, ...stop }))).data
    for (;;) {
      await pause(pollMs, signal)
      const { data: job } = await answerOf(
        client.GET('/api/v1/scrape/{jobId}', { params: { path: { jobId } }, ...stop }),
      )
      onProgress?.(job)
      if (job.status === 'completed') return job
      if (job.status === 'failed')
        throw new WishwellError(`The job ${jobId} failed.`, { code: 'JOB_FAILED', cause: job })
    }
  }

  return { ...client, pages: pages as WishwellClient['pages'], scrapeAndWait }
}
