import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Authentication } from '../../accounts/authentication.ts'
import { urlOf } from '../../http/addresses.ts'
import type { App } from '../../http/app-type.ts'
import { closed } from '../../http/schemas.ts'

const expositionType = 'text/plain; version=0.0.4; charset=utf-8'

interface MetricsRouteDependencies {
  authentication: Authentication
  expose: () => Promise<string>
}

/** Registers `GET /metrics` at the service's address, for the operator only. */
export function registerMetricsRoute(app: App, { authentication, expose }: MetricsRouteDependencies): void {
  app.get('/metrics', {
    onRequest: authentication.requireAdmin,
    // For Prometheus; the API document describes JSON.
    schema: { hide: true, operationId: 'readMetrics', querystring: closed({}) },
    handler: async (_request, reply) =>
      reply
        .type(expositionType)
        .header('cache-control', 'no-store')
        .send(await expose()),
  })
}

export interface OwnAddress {
  url: string
  stop(): Promise<void>
}

/** Prometheus needs one. */
const maxConnections = 50

/** Serves only metrics at a separate address. No key: nothing in them is secret, and the operator controls access. */
export async function listenForMetrics(
  address: { host: string; port: number },
  expose: () => Promise<string>,
): Promise<OwnAddress> {
  const answer = async ({ method, url }: IncomingMessage, response: ServerResponse) => {
    if (url?.split('?', 1)[0] !== '/metrics') return response.writeHead(404).end()
    if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { allow: 'GET, HEAD' }).end()
    try {
      const text = await expose()
      return response.writeHead(200, { 'content-type': expositionType, 'cache-control': 'no-store' }).end(text)
    } catch {
      return response.writeHead(500).end()
    }
  }
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 30_000 }, answer)
  server.maxConnections = maxConnections
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(Object.assign(error, { setting: 'METRICS_PORT' })))
    server.listen(address, resolve)
  })
  return {
    url: urlOf(server.address() as AddressInfo),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
