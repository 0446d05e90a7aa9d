import { type FastifyReply, type FastifyRequest, LogController } from 'fastify'

/** Longer calls are logged as slow, unless they may take long. */
export const slowCallMs = 5_000

/** Calls that wait for platforms, and downloads and streams: their duration does not depend on the service. */
function mayTakeLong({ body, query }: FastifyRequest, reply: FastifyReply): boolean {
  const waitsForPlatforms =
    (body as { expand?: unknown } | undefined)?.expand === true ||
    (query as { source?: unknown } | undefined)?.source === 'realtime'
  const isStream = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
  return waitsForPlatforms || isStream || reply.hasHeader('content-disposition')
}

/**
 * One line in the log for each call: a warning for a status of 500 or more and for a slow call, the given level for every other,
 * also for errors of the caller.
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

  /** A caller that closes its connection early is no fault of the service. */
  #levelOf(error: Error): 'info' | 'debug' | 'warn' {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' ? this.#usualLevel : 'warn'
  }
}
