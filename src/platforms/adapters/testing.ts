import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, onTestFinished } from 'vitest'
import type { PlatformErrorCode } from '../../database/column-types.ts'
import type { Clock } from '../../runtime/clock.ts'
import { createBudget, type OpenBudget } from '../budget/budget.ts'
import { createMemoryQuotas } from '../budget/quota.ts'
import { type ClientOptions, createPlatformClient, type PlatformClient } from '../client/client.ts'
import { type Json, type Page, type PageRequest, type Platform, PlatformError } from '../platform.ts'

/** The fields of a request of which a platform without statuses and sources says nothing. */
export const unsaidFields = {
  status: null,
  statusChangedAt: null,
  excerpt: false,
  sourceName: null,
  refreshHandle: null,
  ownSource: null,
} as const

/** What a test server received. */
export interface Received {
  path: string
  query: Record<string, string>
  /** With parameters that are repeated. */
  url: URL
  headers: IncomingHttpHeaders
  /** Of a POST request; empty for a GET. */
  body: string
}

export interface TestServer {
  baseUrl: string
  received: Received[]
}

export type Handler = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** A real HTTP server that ends with the test, or with the file if it is `lasting`. */
export async function startServer(handler: Handler, { lasting = false } = {}): Promise<TestServer> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const body = request.method === 'POST' ? await text(request) : ''
    const query = Object.fromEntries(url.searchParams)
    const entry = { path: url.pathname, query, url, headers: request.headers, body }
    received.push(entry)
    handler(response, entry, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const whenOver = lasting ? afterAll : onTestFinished
  whenOver(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}

export interface TestClock extends Clock {
  advance(ms: number): void
}

export function testClock(start = '2026-05-05T12:00:00Z'): TestClock {
  let nowMs = Date.parse(start)
  return {
    now: () => new Date(nowMs),
    advance(ms) {
      nowMs += ms
    },
  }
}

/** A client that does not wait before it tries again. */
export function testClient(clock: Clock, options: Partial<ClientOptions> = {}): PlatformClient {
  const client = createPlatformClient({ clock, userAgent: 'Wishwell/test', random: () => 0, ...options })
  onTestFinished(() => client.close())
  return client
}

/** For clients whose foreign hosts are servers of the test, which have private addresses. */
export const privateTargets: object = { allowPrivateTargets: true }

/** Budgets as the registry opens them, with quotas in memory. */
export const openTestBudget: OpenBudget = (limits) =>
  createBudget({ ...limits, platform: 'github', quotas: createMemoryQuotas() })

/** The page that a platform fetches; fails the test when there is none. */
export async function fetchPage(platform: Platform, topic = 'dark mode', cursor: Json = null): Promise<Page> {
  const page = await fetchPageOrNull(platform, { topic, cursor })
  if (page === null) throw new Error('the platform has nothing to fetch')
  return page
}

export function fetchPageOrNull(platform: Platform, request: Partial<PageRequest> = {}): Promise<Page | null> {
  const { signal } = new AbortController()
  return platform.fetchPage({ topic: 'dark mode', cursor: null, signal, pagesBefore: 0, ...request })
}

/** The error that a promise rejects with; fails the test when it does not, or with another code. */
export async function platformError(promise: Promise<unknown>, code: PlatformErrorCode): Promise<PlatformError> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (reason: unknown) => reason,
  )
  if (error instanceof PlatformError && error.code === code) return error
  throw error
}
