import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long connections that were under way are still accepted. */
const drainWindowMs = 250
const sweepIntervalMs = 50

/**
 * The connections of a server on which no request is being answered. Node counts a connection that has not sent a request yet, such as
 * one that a browser opens in reserve, as busy until its time limit for headers (60 s) ends.
 * @returns a function that closes them.
 */
function trackConnections({ server }: FastifyInstance): () => void {
  /** For each open connection how many of its requests have no complete response. */
  const unanswered = new Map<Socket, number>()
  const add = (socket: Socket, amount: number) => {
    const count = unanswered.get(socket)
    if (count !== undefined) unanswered.set(socket, count + amount)
  }
  server.on('connection', (socket: Socket) => {
    unanswered.set(socket, 0)
    socket.once('close', () => unanswered.delete(socket))
  })
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    add(socket, 1)
    response.once('close', () => add(socket, -1))
  })
  return () => {
    for (const [socket, requests] of unanswered) if (requests === 0) socket.destroy()
  }
}

/**
 * Ends an HTTP server gracefully: requests that have arrived are answered, every answer closes its connection, and all other
 * connections are closed. (Node's own `close` waits for a connection that was busy at that moment until its keep-alive time
 * is over.)
 * @returns the function that drains and closes; register it before the routes.
 */
export function registerDraining(app: FastifyInstance): () => Promise<void> {
  let draining = false
  const closeIdleConnections = trackConnections(app)
  app.addHook('onSend', async (_request, reply) => {
    if (draining) reply.header('connection', 'close')
  })
  return async () => {
    draining = true
    if (app.server.listening) await sleep(drainWindowMs)
    const sweep = setInterval(closeIdleConnections, sweepIntervalMs)
    await app.close().finally(() => clearInterval(sweep))
  }
}
