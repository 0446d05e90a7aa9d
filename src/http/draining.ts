import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long connections that were under way are still accepted. */
const drainWindowMs = 250
const sweepIntervalMs = 50

/**
 * Ends an HTTP server gracefully: requests that have arrived are answered, every answer closes its connection, and idle
 * connections are closed. (Node's own `close` waits for a connection that was busy at that moment until its keep-alive time
 * is over.)
 * @returns the function that drains and closes; register it before the routes.
 */
export function registerDraining(app: FastifyInstance): () => Promise<void> {
  let draining = false
  app.addHook('onSend', async (_request, reply) => {
    if (draining) reply.header('connection', 'close')
  })
  return async () => {
    draining = true
    if (app.server.listening) await sleep(drainWindowMs)
    const sweep = setInterval(() => app.server.closeIdleConnections(), sweepIntervalMs)
    await app.close().finally(() => clearInterval(sweep))
  }
}
