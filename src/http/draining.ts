import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** How long connections already underway are still accepted. */
const drainWindowMs = 250
const sweepIntervalMs = 50

/** Node counts connections without a request as busy for 60 s. @returns a function that closes idle connections */
function trackConnections({ server }: FastifyInstance): () => void {
  /** Unanswered requests of each open connection. */
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
 * Answers requests that have arrived and closes all connections; Node's `close` waits for keep-alive.
 * @returns a function that drains and closes; register before the routes
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
