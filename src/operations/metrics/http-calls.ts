import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../http/app-type.ts'
import { type Recorder, secondsSince } from './recording.ts'

/** The name of a route: a closed set, unlike paths, which callers choose. */
function operationOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): string {
  const schema = routeOptions.schema as { operationId?: string } | undefined
  return schema?.operationId ?? 'other'
}

/** The status of a call whose caller closed the connection before its answer began. */
const closedByCaller = 499

/** The status that a caller got; to be called when the connection of the call is done. */
const statusOf = ({ raw, statusCode }: Pick<FastifyReply, 'raw' | 'statusCode'>): number =>
  raw.headersSent ? statusCode : closedByCaller

/**
 * Records each call when its answer has been sent or its connection closed. To be registered before the routes.
 * @returns how many calls are being answered.
 */
export function recordCalls(app: App, recorder: Recorder): () => number {
  let inProgress = 0
  app.addHook('onRequest', (request, reply, done) => {
    const startedAt = performance.now()
    inProgress++
    // Not `onResponse`: it is not called when a caller leaves a stream.
    reply.raw.once('close', () => {
      inProgress--
      const labels = { operation: operationOf(request), status: String(statusOf(reply)) }
      recorder.record('wishwell_http_request_duration_seconds', secondsSince(startedAt), labels)
    })
    done()
  })
  return () => inProgress
}
