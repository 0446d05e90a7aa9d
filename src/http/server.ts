import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import type { Version } from '../runtime/response-cache.ts'
import type { App } from './app-type.ts'
import { acceptOnlyJson } from './body.ts'
import { CallLog } from './call-log.ts'
import { compressAnswers } from './compression.ts'
import { handleErrors, renderClientError, renderFrameworkError } from './error-handler.ts'
import { commonHeaders } from './headers.ts'
import { type Proxies, trustProxyOption } from './proxies.ts'
import { closed, errorResponses } from './schemas.ts'
import { createSerializerCompiler } from './serialization.ts'
import { createValidatorCompiler, refuseUnstorableText } from './validation.ts'

const bodyLimitBytes = 64 * 1024
const callersRequestId = /^[\w.:-]{1,100}$/

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && callersRequestId.test(given) ? given : randomUUID()
}

/** The path of a call, without the secrets of links in mails and of feeds. */
export const loggedPath = (url: string): string =>
  (url.split('?', 1)[0] ?? '').slice(0, 200).replace(/^(\/+(?:mail\/+(?:confirm|unsubscribe)|feeds)\/+).*/i, '$1…')

/** An address may be spelt in many ways, so the route that it leads to counts, too. */
const pathOf = ({ url, routeOptions }: FastifyRequest): string =>
  loggedPath(/^\/(feeds|mail)\//.test(routeOptions?.url ?? '') ? (routeOptions.url as string) : url)

/** A request in the log: never its headers, body or query string, which may hold secrets. */
const serializers = {
  req: (request: FastifyRequest) => ({
    method: request.method,
    path: pathOf(request),
    remoteAddress: request.ip,
  }),
}

export interface ServerOptions {
  log: Logger
  /** The log level of calls that succeed. */
  usualCallLevel: 'info' | 'debug'
  /** The proxies whose forwarded addresses count. */
  trustProxy: Proxies | undefined
  /** The address by which a call is routed, instead of the one that it names. */
  rewriteUrl?: (request: IncomingMessage) => string
  /** How long a caller may take to send a request, in milliseconds. */
  requestMs?: number
}

/** A caller that never finishes its request must not hold a connection for ever. */
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
    // For Node as well: Fastify sets it only afterwards, and then the limit of headers, 60 s, is longer and no body is ever ended.
    http: { requestTimeout: requestMs, connectionsCheckingInterval: Math.min(2_000, requestMs) },
    // Longer than any address that Node accepts: a parameter that is too long for an id becomes an ordinary 404.
    routerOptions: { maxParamLength: 20_000 },
    frameworkErrors: renderFrameworkError,
    clientErrorHandler: renderClientError,
    forceCloseConnections: 'idle',
    // Draining answers calls that have arrived (draining.ts).
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()
}

/** Sets the rules of every route. To be called before the routes are registered. */
export function setCommonRules(app: App, cacheVersion: Version): void {
  app.setValidatorCompiler(createValidatorCompiler())
  app.setSerializerCompiler(createSerializerCompiler())
  acceptOnlyJson(app)
  handleErrors(app)
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/')) return
    // A route without a schema of its query string refuses every parameter: a misplaced one is never ignored.
    route.schema = { querystring: closed({}), ...route.schema }
    // The body of a DELETE, and of a POST that needs none, is read too, though it has no meaning (body.ts).
    const { response } = route.schema as { response?: object }
    const takesBody = route.method === 'DELETE' || route.method === 'POST'
    route.schema.response = {
      // Every route refuses an unknown parameter.
      ...errorResponses('INVALID_REQUEST'),
      ...(takesBody ? errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE') : {}),
      ...response,
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id))
  })
  app.addHook('preHandler', refuseUnstorableText)
  compressAnswers(app, cacheVersion)
}
