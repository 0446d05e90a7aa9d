import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Clock } from '../clock.ts'
import { type ClientOptions, createPlatformClient, type PlatformClient } from './client.ts'
import { type Json, type Page, type Platform, PlatformError, type PlatformErrorCode } from './platform.ts'

/** What a test server received. */
export interface Received {
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
}

export interface TestServer {
  baseUrl: string
  received: Received[]
}

export type Handler = (response: ServerResponse, received: Received, request: IncomingMessage) => void

/** A real HTTP server that ends with the test. */
export async function startServer(handler: Handler): Promise<TestServer> {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const entry = { path: url.pathname, query: Object.fromEntries(url.searchParams), headers: request.headers }
    received.push(entry)
    handler(response, entry, request)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
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

/** A client whose retries do not wait. */
export function testClient(clock: Clock, options: Partial<ClientOptions> = {}): PlatformClient {
  const client = createPlatformClient({ clock, userAgent: 'Wishwell/test', random: () => 0, ...options })
  onTestFinished(() => client.close())
  return client
}

export function fetchPage(platform: Platform, topic = 'dark mode', cursor: Json = null): Promise<Page> {
  return platform.fetchPage({ topic, cursor, signal: new AbortController().signal })
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
