import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../src/runtime/clock.ts'
import type { Corpus } from './corpus.ts'
import { deliver, type FaultName } from './faults.ts'
import { isForum, namedPage, siteOf, withNames } from './named-pages.ts'
import type { SimulatedPlatform } from './platform-shape.ts'
import { type SimulatedPlatformName, simulatedPlatforms } from './platforms/index.ts'
import type { SimulatedService } from './simulated-service.ts'

export interface LoggedRequest {
  platform: SimulatedPlatformName
  /** Below the platform's prefix. `/private` when the client followed a redirect that it should not have. */
  path: string
  query: Record<string, string>
  /** Counted from 1; 0 for what is no page of results, such as a request for an access token. */
  page: number
  headers: IncomingHttpHeaders
  at: Date
  /** Null until a status is sent, and for ever where none is. */
  status: number | null
  fault: FaultName | null
}

export interface ServerOptions {
  port: number
  clock: Clock
  latencyMs: number
  services: ReadonlyMap<string, SimulatedService>
  requests: LoggedRequest[]
  /** What people read under the names of the sites; null where they have none. */
  named: Corpus | null
}

export interface RunningServer {
  port: number
  stop(): Promise<void>
}

/** A benchmark may send requests without end. */
const maximumLoggedRequests = 100_000

/** Listens on the loopback interface and hands each request to the platform that its path begins with. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const stopping = new AbortController()
  const server = createServer((request, response) => {
    answer(options, request, response, stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted || response.headersSent) return response.destroy()
      response.writeHead(500, { 'content-type': 'text/plain' }).end(`The simulator failed: ${String(error)}`)
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port, '127.0.0.1', resolve)
  })
  const stop = async (): Promise<void> => {
    stopping.abort()
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeAllConnections()
    await closed
  }
  return { port: (server.address() as AddressInfo).port, stop }
}

async function answer(
  options: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const site = options.named === null ? null : siteOf(request.headers.host)
  if (options.named !== null && site !== null) {
    if (!isForum(site) || /\btext\/html\b/.test(request.headers.accept ?? '')) {
      const page = namedPage(options.named, site, url)
      response.writeHead(page.status, { 'content-type': 'text/html; charset=utf-8' }).end(page.body)
      return
    }
    url.pathname = `/discourse/${site}${url.pathname}`
  }
  const [, name = '', path = ''] = /^\/([a-z]+)(\/.*)?$/.exec(url.pathname) ?? []
  const service = options.services.get(name)
  const { method } = request
  if (!service || (method !== 'GET' && method !== 'POST')) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('No such platform or path')
    return
  }
  const platform = name as SimulatedPlatformName
  const logged: LoggedRequest = {
    platform,
    path,
    query: Object.fromEntries(url.searchParams),
    page: 0,
    headers: request.headers,
    at: options.clock.now(),
    status: null,
    fault: null,
  }
  options.requests.push(logged)
  if (options.requests.length > maximumLoggedRequests) options.requests.shift()
  if (options.latencyMs > 0) await delay(options.latencyMs, undefined, { signal })
  const body = method === 'POST' ? await text(request) : ''
  const reply = service.reply({ path, method, parameters: url.searchParams, headers: request.headers, body })
  logged.fault = reply.fault?.name ?? null
  logged.page = reply.page
  response.once('finish', reply.onSent)
  const onStatus = (status: number): void => {
    logged.status = status
  }
  const { alwaysCompressed = false }: SimulatedPlatform = simulatedPlatforms[platform]
  const { localPort = 0 } = request.socket
  const sent =
    options.named === null ? reply.answer : { ...reply.answer, body: withNames(reply.answer.body, localPort) }
  await deliver({ request, response, alwaysCompressed, onStatus, signal }, reply.fault, sent)
}
