import { randomUUID } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import { registerAccountRoutes } from './accounts/routes.ts'
import type { Clock } from './clock.ts'
import { registerCreditRoutes } from './credits/routes.ts'
import type { Database } from './database/open.ts'
import { createAuthentication } from './http/authentication.ts'
import { registerDraining } from './http/draining.ts'
import { handleErrors } from './http/error-handler.ts'
import { type Health, registerHealthRoutes } from './http/health.ts'
import { registerHomePage } from './http/home-page.ts'
import { openApiDocument } from './http/openapi.ts'
import { createValidatorCompiler, refuseUnstorableText } from './http/validation.ts'
import type { PlatformName } from './platforms/platform.ts'
import { registerRequestRoutes } from './requests/routes.ts'
import type { SearchIndex } from './requests/search-index.ts'
import type { TaskQueue } from './scraping/queue.ts'
import { registerScrapeRoutes } from './scraping/routes.ts'
import { registerUsageRoutes } from './usage/routes.ts'

export type App = FastifyInstance<Server, IncomingMessage, ServerResponse, FastifyBaseLogger, TypeBoxTypeProvider>

export interface AppDependencies {
  database: Database
  clock: Clock
  log: Logger
  queue: TaskQueue
  searchIndex: SearchIndex
  adminKey: string
  enabledPlatforms: readonly PlatformName[]
  defaultPlatforms: readonly PlatformName[]
  /** What `/readyz` tells; it may change while the service runs. */
  health: () => Promise<Health>
}

const bodyLimitBytes = 64 * 1024
const callersRequestId = /^[\w.:-]{1,100}$/

function requestId(request: IncomingMessage): string {
  const given = request.headers['x-request-id']
  return typeof given === 'string' && callersRequestId.test(given) ? given : randomUUID()
}

/** What the log says of a request: never its headers, body or query string, which may hold secrets. */
const serializers = {
  req: (request: FastifyRequest) => ({
    method: request.method,
    path: request.url.split('?', 1)[0]?.slice(0, 200),
    remoteAddress: request.ip,
  }),
}

/**
 * Composes the HTTP side of the service: nothing listens yet, `inject` works.
 * @returns the app, and the function that drains and closes it.
 */
export async function createApp(dependencies: AppDependencies): Promise<{ app: App; drain: () => Promise<void> }> {
  const app: App = fastify({
    loggerInstance: dependencies.log.child({}, { serializers }) as FastifyBaseLogger,
    genReqId: requestId,
    bodyLimit: bodyLimitBytes,
    // A caller that never finishes its request must not hold a connection for ever.
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(createValidatorCompiler())
  app.removeContentTypeParser('text/plain')
  handleErrors(app)
  const drain = registerDraining(app)
  app.addHook('onRequest', async (request, reply) => void reply.header('x-request-id', request.id))
  app.addHook('preHandler', refuseUnstorableText)

  await app.register(swagger, openApiDocument)
  const authentication = createAuthentication(dependencies)
  await app.register(async (scope) => {
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>()
    registerHealthRoutes(routes, dependencies.health)
    registerHomePage(routes)
    registerAccountRoutes(routes, { ...dependencies, authentication })
    registerCreditRoutes(routes, { ...dependencies, authentication })
    registerScrapeRoutes(routes, { ...dependencies, authentication })
    registerRequestRoutes(routes, { ...dependencies, authentication })
    registerUsageRoutes(routes, { ...dependencies, authentication })
    routes.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  })
  return { app, drain }
}
