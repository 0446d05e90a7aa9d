import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import makeSerializers from '@fastify/fast-json-stringify-compiler'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySerializerCompiler,
  fastify,
  LogController,
} from 'fastify'
import type { Logger } from 'pino'
import type { Version } from '../runtime/response-cache.ts'
import { runPart } from '../runtime/work-owner.ts'
import { type Proxies, trustProxyOption } from './addresses.ts'
import type { App } from './app-type.ts'
import { compressAnswers } from './compression.ts'
import { commonHeaders, handleErrors, renderClientError, renderFrameworkError } from './error-handler.ts'
import { ServiceError } from './errors.ts'
import { closed, errorResponses } from './schemas.ts'
import { createValidatorCompiler, refuseUnstorableText, whenCalled } from './validation.ts'

type Compile = FastifySerializerCompiler<object>

/** By schema, on which alone the result depends; most error answers share one. */
const compiled = new WeakMap<object, ReturnType<Compile>>()

/** Compiles a response schema at its first answer: compiling all takes half of a start. */
function createSerializerCompiler(): Compile {
  const compile = makeSerializers()({}, {}) as Compile
  return (route) => {
    const serialize = compiled.get(route.schema) ?? whenCalled(() => compile(route))
    compiled.set(route.schema, serialize)
    return serialize
  }
}

const slowCallMs = 5_000

/** Calls that wait for platforms, downloads and streams: their duration is not the service's. */
function mayTakeLong({ body, query }: FastifyRequest, reply: FastifyReply): boolean {
  const waitsForPlatforms =
    (body as { expand?: unknown } | undefined)?.expand === true ||
    (query as { source?: unknown } | undefined)?.source === 'realtime'
  const isStream = String(reply.getHeader('content-type') ?? '').startsWith('text/event-stream')
  return waitsForPlatforms || isStream || reply.hasHeader('content-disposition')
}

/** One line per call: warns of status 500 or more and slow calls, else uses the given level. */
class CallLog extends LogController {
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

  /** A caller that hangs up early is no fault of the service. */
  #levelOf(error: Error): 'info' | 'debug' | 'warn' {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ECONNRESET' ? this.#usualLevel : 'warn'
  }
}

/**
 * Accepts only JSON. An empty body is an error except for DELETE, whose content type many clients send anyway; so is
 * invalid UTF-8, which decoding would hide.
 */
function acceptOnlyJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const text = body.toString()
    if (!isUtf8(body)) done(new ServiceError('INVALID_REQUEST', 'body: is not valid UTF-8.'))
    else if (text === '' && request.method === 'DELETE') done(null, undefined)
    else parseJson(request, text, done)
  })
}

const bodyLimitBytes = 64 * 1024
const callersRequestId = /^[\w.:-]{1,100}$/

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && callersRequestId.test(given) ? given : randomUUID()
}

/** A call's path, without the secrets of mail links, feeds and shares. */
const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').slice(0, 200).replace(/^(\/+(?:mail\/+(?:confirm|unsubscribe)|feeds|s)\/+).*/i, '$1…')

/** An address has many spellings, so its route counts too. */
const pathOf = ({ url, routeOptions }: FastifyRequest): string =>
  loggedPath(/^\/(feeds|mail|s)\//.test(routeOptions?.url ?? '') ? (routeOptions.url as string) : url)

/** A request in the log, without headers, body or query string, which may hold secrets. */
const serializers = {
  req: (request: FastifyRequest) => ({
    method: request.method,
    path: pathOf(request),
    remoteAddress: request.ip,
  }),
}

export interface ServerOptions {
  log: Logger
  usualCallLevel: 'info' | 'debug'
  /** Proxies whose forwarded addresses count. */
  trustProxy: Proxies | undefined
  /** The address to route a call by, instead of its own. */
  rewriteUrl?: (request: IncomingMessage) => string
  /** How long a caller may take to send a request, in milliseconds. */
  requestMs?: number
}

/** Callers that never finish a request must not hold connections forever. */
const defaultRequestMs = 30_000

/** A server without routes and rules. */
export function createServer(options: ServerOptions): App {
  const { log, usualCallLevel, trustProxy, rewriteUrl, requestMs = defaultRequestMs } = options
  return fastify({
    loggerInstance: log.child({}, { serializers }) as FastifyBaseLogger,
    logController: new CallLog(usualCallLevel),
    genReqId: requestId,
    bodyLimit: bodyLimitBytes,
    trustProxy: trustProxyOption(trustProxy),
    ...(rewriteUrl ? { rewriteUrl } : {}),
    requestTimeout: requestMs,
    // Node needs it at creation: set later, the 60 s header limit exceeds it, and no body times out.
    http: { requestTimeout: requestMs, connectionsCheckingInterval: Math.min(2_000, requestMs) },
    // Exceeds any address Node accepts, so that overlong ids become an ordinary 404.
    routerOptions: { maxParamLength: 20_000 },
    frameworkErrors: renderFrameworkError,
    clientErrorHandler: renderClientError,
    forceCloseConnections: 'idle',
    // Draining answers calls that have arrived (draining.ts).
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()
}

/** Sets every route's rules. Call before registering routes. */
export function setCommonRules(app: App, cacheVersion: Version): void {
  app.setValidatorCompiler(createValidatorCompiler())
  app.setSerializerCompiler(createSerializerCompiler())
  acceptOnlyJson(app)
  handleErrors(app)
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/')) return
    // Without a query schema, a route refuses every parameter: misplaced ones are never ignored.
    route.schema = { querystring: closed({}), ...route.schema }
    // Bodies of DELETE, and of POST without one, are read but have no meaning.
    const { response } = route.schema as { response?: object }
    const takesBody = route.method === 'DELETE' || route.method === 'POST'
    route.schema.response = {
      // Every route refuses unknown parameters.
      ...errorResponses('INVALID_REQUEST'),
      ...(takesBody ? errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE') : {}),
      ...response,
    }
  })
  app.addHook('onRequest', (request, _reply, done) => runPart(request, done))
  app.addHook('preValidation', (request, _reply, done) => runPart(request, done))
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id))
  })
  app.addHook('preHandler', refuseUnstorableText)
  compressAnswers(app, cacheVersion)
}
