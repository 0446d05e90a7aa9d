import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** A call of which nobody expects that it takes long is worth a look from here on. */
export const slowCallMs = 5_000

/** Calls that wait for platforms, or go on until their reader has everything: how long they take says nothing of the service. */
function mayTakeLong({ body, query }: FastifyRequest, reply: FastifyReply): boolean {
  const waitsForPlatforms =
    (body as { expand?: unknown } | undefined)?.expand === true ||
    (query as { source?: unknown } | undefined)?.source === 'realtime'
  const isStream = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
  return waitsForPlatforms || isStream || reply.hasHeader('content-disposition')
}

/**
 * One line in the log for each call: a warning for an answer of 500 or more and for a slow one; every other one, also what a
 * caller did wrong, at the given level.
 */
export class CallLog extends LogController {
  readonly #usualLevel: 'info' | 'debug'

  constructor(usualLevel: 'info' | 'debug') {
    super()
    this.#usualLevel = usualLevel
  }

  override incomingRequest(request: FastifyRequest): void {
    request.log.debug({ req: request }, 'call')
  }

  override requestCompleted(error: Error | null | undefined, request: FastifyRequest, reply: FastifyReply): void {
    const responseTime = reply.elapsedTime
    const entry = { req: request, res: reply, responseTime }
    if (error) request.log[this.#levelOf(error)]({ ...entry, err: error }, 'the answer did not reach its caller')
    else if (reply.statusCode >= 500) request.log.warn(entry, 'call failed')
    else if (responseTime >= slowCallMs && !mayTakeLong(request, reply)) request.log.warn(entry, 'slow call')
    else request.log[this.#usualLevel](entry, 'call answered')
  }

  override streamError(error: Error, request: FastifyRequest): void {
    request.log[this.#levelOf(error)]({ req: request, err: error }, 'an answer was cut off')
  }

  /** Whoever leaves before the end is no fault of the service. */
  #levelOf(error: Error): 'info' | 'debug' | 'warn' {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' ? this.#usualLevel : 'warn'
  }
}
