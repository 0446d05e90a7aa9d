import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { RequestRecord } from '../requests/record.ts'
import type { Job } from './api-types.ts'

export const testKey = `ww_live_${'k3y0'.repeat(8)}`

/** The answer of a fake service: a status and a body (a string is sent as HTML), a closed connection, or none at all. */
export type FakeAnswer = { status?: number; headers?: Record<string, string>; body: unknown } | 'hang up' | 'never'

export interface Received {
  /** `POST /api/v1/scrape`, with the query string. */
  call: string
  authorization: string | undefined
  idempotencyKey?: string | undefined
  body: string
}

export interface FakeService {
  url: string
  received: Received[]
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  return body
}

/** Starts a server with the answers of the test; it ends with the test. */
export async function startFakeService(answer: (received: Received) => FakeAnswer): Promise<FakeService> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request
    const idempotencyKey = headers['idempotency-key'] as string | undefined
    const call: Received = {
      call: `${method} ${url}`,
      authorization: headers.authorization,
      idempotencyKey,
      body: await readBody(request),
    }
    received.push(call)
    const given = answer(call)
    if (given === 'never') return
    if (given === 'hang up') return request.socket.destroy()
    const isText = typeof given.body === 'string'
    const type = isText ? 'text/html' : 'application/json; charset=utf-8'
    response.writeHead(given.status ?? 200, { 'content-type': type, ...given.headers })
    response.end(isText ? given.body : JSON.stringify(given.body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

export const usage = { credits: { used: 9, limit: 15_000, remaining: 14_991 } }

export const failure = (status: number, code: string, message: string, extras = {}): FakeAnswer => ({
  status,
  body: { error: { code, message, ...extras } },
})

/** A completed job of github and hackernews. */
export const endedJob = (fields: Partial<Job> = {}): Job => ({
  jobId: '5f0c1f9e-0000-4000-8000-000000000001',
  status: 'completed',
  error: null,
  topic: 'dark mode',
  platforms: ['github', 'hackernews'],
  depth: 1,
  progress: { github: 'done', hackernews: 'done' },
  requestsCreated: 42,
  maybeCreated: 0,
  tasks: [],
  startedAt: '2026-01-01T00:00:00.000Z',
  completedAt: '2026-01-01T00:00:04.200Z',
  ...fields,
})

/** A service with one job: each poll returns the next of `polls`, and the last one from then on. */
export function startJobService(polls: readonly (Job | FakeAnswer)[]): Promise<FakeService> {
  let next = 0
  return startFakeService(({ call, body }) => {
    if (call === 'POST /api/v1/scrape') {
      const { topic, platforms = ['github', 'hackernews'], depth = 1 } = JSON.parse(body)
      return {
        body: {
          data: { jobId: '5f0c1f9e-0000-4000-8000-000000000001', status: 'pending', topic, platforms, depth },
          usage,
        },
      }
    }
    if (call === 'GET /api/v1/usage') return { body: { data: usage } }
    // A service of a version before the event streams answers so.
    if (call.endsWith('/events')) return failure(404, 'NOT_FOUND', 'There is no such path.')
    const poll = polls[Math.min(next++, polls.length - 1)]!
    return typeof poll === 'object' && 'jobId' in poll ? { body: { data: poll } } : poll
  })
}

/** A request as the service returns it. */
export const requestRecord = (fields: Partial<RequestRecord> = {}): RequestRecord => ({
  _id: 'request-1',
  title: 'Dark mode',
  description: 'Please.\nIt hurts my eyes.',
  descriptionTruncated: false,
  votes: 12,
  tags: [],
  commentCount: 3,
  stars: null,
  sourcePlatform: 'github',
  sourceUrl: 'https://github.com/acme/app/issues/1',
  topic: 'dark mode',
  topics: ['dark mode'],
  authorName: null,
  authorHandle: 'ada',
  authorProfileUrl: null,
  license: null,
  originalCreatedAt: '2026-01-01T00:00:00.000Z',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  confidence: 0.9,
  likelihood: 'likely',
  corrected: false,
  status: null,
  statusChangedAt: null,
  statusObserved: false,
  excerpt: false,
  sourceName: null,
  product: null,
  wish: { wishId: 'request-1', requestCount: 1, votes: 12, own: null },
  ...fields,
})
