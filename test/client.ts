import { setTimeout as sleep } from 'node:timers/promises'

export interface Answer {
  status: number
  headers: Headers
  /** Of an error without `requestId` and `documentation`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers, to check it.
  body: any
  /** The body as it was sent. */
  text: string
}

/** What an error says, without what every error has: the id of its request, which is checked here, and the page of its code. */
function withoutReference(body: Answer['body'], headers: Headers): Answer['body'] {
  if (body?.error?.requestId === undefined) return body
  const { requestId, documentation, ...error } = body.error
  const isReplayed = headers.get('idempotent-replayed') !== null
  if (!isReplayed && requestId !== headers.get('x-request-id'))
    throw new Error(`an error of another request: ${requestId}`)
  if (documentation !== `/docs/errors/${error.code}`) throw new Error(`an error names ${documentation}`)
  return { ...body, error }
}

/** A caller of the service with one API key. */
export interface TestClient {
  get(path: string): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
  /** Any method, headers and raw body, to send what no well-behaved client would. */
  send(
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: string | ReadableStream },
  ): Promise<Answer>
  /** Starts a job and gives its answer. */
  scrape(body: Record<string, unknown>): Promise<Answer>
  /** Polls a job until it has ended. @throws after `timeoutMs`, with the job as it was. */
  waitForJob(jobId: string, timeoutMs?: number): Promise<Answer['body']>
  search(query: string, more?: Record<string, unknown>): Promise<Answer>
}

/**
 * @param url read at each call: a restarted service listens elsewhere.
 * @param jobTimeoutMs how long `waitForJob` waits by default
 */
export function createTestClient(url: () => string, apiKey: string | null, jobTimeoutMs = 45_000): TestClient {
  const send: TestClient['send'] = async (method, path, { headers = {}, body } = {}) => {
    const response = await fetch(url() + path, {
      method,
      headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...headers },
      ...(body === undefined ? {} : { body, duplex: 'half' }),
    })
    const text = await response.text()
    const isJson = text !== '' && (response.headers.get('content-type')?.includes('json') ?? false)
    const { status, headers: answered } = response
    return { status, headers: answered, body: isJson ? withoutReference(JSON.parse(text), answered) : text, text }
  }
  const get = (path: string) => send('GET', path)
  const post = (path: string, body: unknown) =>
    send('POST', path, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return {
    send,
    get,
    post,
    scrape: (body) => post('/api/v1/scrape', body),
    search: (query, more = {}) => post('/api/v1/requests/search', { query, ...more }),
    waitForJob: async (jobId, timeoutMs = jobTimeoutMs) => {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const { body } = await get(`/api/v1/scrape/${jobId}`)
        if (['completed', 'failed'].includes(body.data?.status)) return body.data
        if (performance.now() > deadline) throw new Error(`job did not end: ${JSON.stringify(body)}`)
        await sleep(20)
      }
    },
  }
}
