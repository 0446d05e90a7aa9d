import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, type FastifyRequest, fastify } from 'fastify'
import type { Logger } from 'pino'
import { createAuthentication } from './accounts/authentication.ts'
import { registerKeyRoutes } from './accounts/key-routes.ts'
import { registerAccountRoutes } from './accounts/routes.ts'
import { registerAdminSessionRoutes } from './accounts/sessions/admin-routes.ts'
import { registerSessionRoutes } from './accounts/sessions/routes.ts'
import type { Backups } from './backup/backup.ts'
import { registerBackupRoutes } from './backup/routes.ts'
import { registerCreditRoutes } from './credits/routes.ts'
import { registerPage } from './dashboard/page.ts'
import type { Database } from './database/open.ts'
import type { Expansion } from './expansion/expansion.ts'
import type { App } from './http/app-type.ts'
import { acceptOnlyJson } from './http/body.ts'
import { CallLog } from './http/call-log.ts'
import { compressAnswers } from './http/compression.ts'
import { registerDraining } from './http/draining.ts'
import { handleErrors, renderClientError, renderFrameworkError } from './http/error-handler.ts'
import { commonHeaders } from './http/headers.ts'
import { type Health, registerHealthRoutes } from './http/health.ts'
import { openApiDocument } from './http/openapi.ts'
import { type Proxies, trustProxyOption } from './http/proxies.ts'
import { closed, errorResponses } from './http/schemas.ts'
import { createValidatorCompiler, refuseUnstorableText } from './http/validation.ts'
import { createIdempotent } from './idempotency/idempotency.ts'
import { createExpandedSearch } from './live/expanded-search.ts'
import { createLive } from './live/live.ts'
import type { LiveSettings } from './live/live-call.ts'
import { createRealtimeList } from './live/realtime-list.ts'
import type { HostMemoryStore } from './platforms/budget/host-memory.ts'
import type { Platforms } from './platforms/platforms.ts'
import { registerPlatformRoutes } from './platforms/routes.ts'
import type { PlatformsConfig } from './platforms/settings.ts'
import type { RateLimits } from './rate-limits/rate-limits.ts'
import type { ApiDocument } from './reference/page.ts'
import { registerReference } from './reference/routes.ts'
import { registerExportRoutes } from './requests/export/routes.ts'
import { registerListRoutes } from './requests/list/routes.ts'
import { registerPurgeRoutes } from './requests/purge/routes.ts'
import { registerSuppressionRoutes } from './requests/purge/suppression-routes.ts'
import { registerSearchRoutes } from './requests/search/routes.ts'
import type { SearchIndex } from './requests/search/search-index.ts'
import { registerSimilarRoutes } from './requests/similar/routes.ts'
import type { Clock } from './runtime/clock.ts'
import type { RemovalContact } from './runtime/removal-contact.ts'
import type { CoalescedReads } from './runtime/request-coalescing.ts'
import type { Version } from './runtime/response-cache.ts'
import { createFollowers } from './scraping/followers.ts'
import { registerJobRoutes } from './scraping/job-routes.ts'
import { ownsJob as isOwnJob } from './scraping/jobs.ts'
import type { TaskQueue } from './scraping/queue.ts'
import { registerScrapeRoutes } from './scraping/routes.ts'
import type { TaskChanges } from './scraping/task-changes.ts'
import { registerTopicRoutes } from './topics/routes.ts'
import { registerUsageRoutes } from './usage/routes.ts'

export interface AppDependencies {
  database: Database
  clock: Clock
  log: Logger
  /** At which level the log has the calls that went well. */
  usualCallLevel: 'info' | 'debug'
  queue: TaskQueue
  changes: TaskChanges
  /** How long a job may take from its start. */
  jobTimeLimitMs: number
  searchIndex: SearchIndex
  /** For what is read of the cached requests alone, whoever asks. */
  cachedRead: CoalescedReads
  /** How often the cached requests have changed; null where nobody can say so in time. */
  cacheVersion: Version
  expansion: Expansion
  live: Omit<LiveSettings, 'jobTimeLimitMs'>
  adminKey: string
  rateLimits: RateLimits
  /** Whose forwarded addresses count; by default nobody's. */
  trustProxy: Proxies | undefined
  backups: Backups
  platformsConfig: PlatformsConfig
  hosts: Platforms['hosts']
  hostMemory: HostMemoryStore
  /** What links begin with. */
  publicUrl: () => string
  removalContact: RemovalContact | undefined
  /** Where the built page is. */
  pageDirectory: string
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
    logController: new CallLog(dependencies.usualCallLevel),
    genReqId: requestId,
    bodyLimit: bodyLimitBytes,
    trustProxy: trustProxyOption(dependencies.trustProxy),
    // A caller that never finishes its request must not hold a connection for ever.
    requestTimeout: 30_000,
    // Longer than any address that Node lets through: what is too long to be an id is an ordinary 404.
    routerOptions: { maxParamLength: 20_000 },
    frameworkErrors: renderFrameworkError,
    clientErrorHandler: renderClientError,
    forceCloseConnections: 'idle',
    // Draining answers what is still on its way (draining.ts).
    return503OnClosing: false,
  }).withTypeProvider<TypeBoxTypeProvider>()

  app.setValidatorCompiler(createValidatorCompiler())
  acceptOnlyJson(app)
  handleErrors(app)
  const drain = registerDraining(app)
  // A route that says nothing of a query string takes none: a parameter in the wrong place is never ignored.
  app.addHook('onRoute', (route) => {
    if (!route.url.startsWith('/api/')) return
    route.schema = { querystring: closed({}), ...route.schema }
    // A body is read there too, though none has a meaning (body.ts).
    const { response } = route.schema as { response?: object }
    if (route.method === 'DELETE') {
      route.schema.response = { ...errorResponses('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'), ...response }
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(commonHeaders(request.id))
  })
  app.addHook('preHandler', refuseUnstorableText)
  compressAnswers(app, dependencies.cacheVersion)

  await app.register(swagger, openApiDocument)
  await app.register(cookie)
  const authentication = createAuthentication(dependencies)
  const idempotent = createIdempotent({ ...dependencies, callerOf: authentication.callerOf })
  const { enabled: enabledPlatforms, defaults: defaultPlatforms } = dependencies.platformsConfig
  const platforms = { enabledPlatforms, defaultPlatforms }
  await app.register(async (scope) => {
    const routes = scope.withTypeProvider<TypeBoxTypeProvider>()
    registerHealthRoutes(routes, dependencies.health)
    registerSessionRoutes(routes, { ...dependencies, authentication })
    registerAdminSessionRoutes(routes, { ...dependencies, authentication })
    registerAccountRoutes(routes, { ...dependencies, authentication, idempotent })
    registerKeyRoutes(routes, { ...dependencies, authentication, idempotent })
    registerCreditRoutes(routes, { ...dependencies, authentication, idempotent })
    registerScrapeRoutes(routes, { ...dependencies, ...platforms, authentication, idempotent })
    registerJobRoutes(routes, { ...dependencies, authentication, followers: createFollowers(dependencies) })
    const settings = { ...dependencies.live, jobTimeLimitMs: dependencies.jobTimeLimitMs }
    const live = createLive({ ...dependencies, ...platforms, authentication, settings })
    routes.addHook('preClose', () => live.stop())
    const expandedSearch = createExpandedSearch({ ...dependencies, live, expansionMs: settings.deadlineMs / 2 })
    registerSearchRoutes(routes, { ...dependencies, ...platforms, authentication, expandedSearch })
    const ownsJob = (accountId: string, jobId: string) => isOwnJob(dependencies.database, accountId, jobId)
    const realtimeList = createRealtimeList({ ...dependencies, live })
    registerListRoutes(routes, { ...dependencies, ...platforms, authentication, realtimeList, ownsJob })
    registerExportRoutes(routes, { ...dependencies, authentication, ownsJob })
    registerSimilarRoutes(routes, { ...dependencies, authentication })
    registerTopicRoutes(routes, { ...dependencies, authentication })
    registerPurgeRoutes(routes, { ...dependencies, authentication })
    registerSuppressionRoutes(routes, { ...dependencies, authentication })
    registerPlatformRoutes(routes, { ...dependencies, authentication })
    registerUsageRoutes(routes, { ...dependencies, authentication })
    registerBackupRoutes(routes, { ...dependencies, authentication })
    registerReference(routes, () => app.swagger() as unknown as ApiDocument)
    await registerPage(routes, dependencies)
    routes.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  })
  return { app, drain }
}
