import cookie from '@fastify/cookie'
import swagger from '@fastify/swagger'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { Logger } from 'pino'
import type { DeleteOfAccount } from '../accounts/accounts.ts'
import { createAuthentication } from '../accounts/authentication.ts'
import { registerKeyRoutes } from '../accounts/key-routes.ts'
import { createAccessTokens } from '../accounts/oidc/access-tokens.ts'
import type { OidcConfig } from '../accounts/oidc/settings.ts'
import type { Pricing } from '../accounts/plans.ts'
import { registerAccountRoutes } from '../accounts/routes.ts'
import { registerAdminSessionRoutes } from '../accounts/sessions/admin-routes.ts'
import { registerLinkRoutes } from '../accounts/sessions/link-routes.ts'
import { registerSessionRoutes } from '../accounts/sessions/routes.ts'
import type { Expansion } from '../collecting/expansion/expansion.ts'
import { createExpandedSearch } from '../collecting/live/expanded-search.ts'
import { createLive } from '../collecting/live/live.ts'
import type { LiveSettings } from '../collecting/live/live-call.ts'
import { createRealtimeList } from '../collecting/live/realtime-list.ts'
import { createFollowers } from '../collecting/scraping/followers.ts'
import { registerJobRoutes } from '../collecting/scraping/job-routes.ts'
import type { JobSources } from '../collecting/scraping/job-sources.ts'
import { ownsJob as isOwnJob } from '../collecting/scraping/jobs.ts'
import type { TaskQueue } from '../collecting/scraping/queue.ts'
import { registerScrapeRoutes } from '../collecting/scraping/routes.ts'
import type { TaskChanges } from '../collecting/scraping/task-changes.ts'
import { createYields } from '../collecting/scraping/yields.ts'
import { registerCreditRoutes } from '../credits/routes.ts'
import { forgetPersons } from '../credits/spenders.ts'
import { registerUsageRoutes } from '../credits/usage/routes.ts'
import { registerFeedbackRoutes } from '../feedback/routes.ts'
import type { Proxies } from '../http/addresses.ts'
import type { App } from '../http/app-type.ts'
import { prepareAnswer } from '../http/compression.ts'
import { registerPage } from '../http/dashboard/page.ts'
import { registerDraining } from '../http/draining.ts'
import { type HealthRoutes, registerHealthRoutes } from '../http/health.ts'
import { createIdempotent } from '../http/idempotency/idempotency.ts'
import { openApiDocument } from '../http/openapi.ts'
import { type ApiDocument, shareComponents } from '../http/openapi-components.ts'
import { createFileGuard, type RateLimits } from '../http/rate-limits/rate-limits.ts'
import { registerReference } from '../http/reference/routes.ts'
import { createServer, setCommonRules } from '../http/server.ts'
import { registerMcp } from '../mcp/routes.ts'
import { emailStates } from '../notifications/channels/adapters/email.ts'
import { type ChannelsDependencies, channelsMadeByKeys } from '../notifications/channels/channels.ts'
import { registerChannelRoutes } from '../notifications/channels/routes/routes.ts'
import { deleteChannelsOf, findUnknownChannels } from '../notifications/channels/store/channels.ts'
import { feedsMadeByKeys } from '../notifications/feeds/feeds.ts'
import { registerFeedReading } from '../notifications/feeds/read-routes.ts'
import { registerFeedRoutes } from '../notifications/feeds/routes.ts'
import { deleteMailOf } from '../notifications/mail/consents.ts'
import { registerMailPages } from '../notifications/mail/pages/routes.ts'
import { registerPushRoutes } from '../notifications/trackers/routes/pushes.ts'
import { registerTrackerRoutes } from '../notifications/trackers/routes/trackers.ts'
import { trackersMadeByKeys } from '../notifications/trackers/store/trackers.ts'
import type { TrackerAdapters } from '../notifications/trackers/tracker.ts'
import { registerBackupRoutes } from '../operations/backup/routes.ts'
import { registerIntegrityRoutes } from '../operations/integrity/routes.ts'
import type { Monitoring } from '../operations/metrics/monitoring.ts'
import { registerMetricsRoute } from '../operations/metrics/routes.ts'
import { type OverviewDependencies, registerOverviewRoute } from '../operations/overview/routes.ts'
import type { PlatformClient } from '../platforms/client/client.ts'
import { registerPlatformRoutes } from '../platforms/routes.ts'
import { registerAccuracyRoutes } from '../requests/accuracy/routes.ts'
import { deleteCorrectionsOf } from '../requests/corrections/corrections.ts'
import { registerCorrectionRoutes } from '../requests/corrections/routes.ts'
import { registerPurgeRoutes } from '../requests/purge/routes.ts'
import { registerSuppressionRoutes } from '../requests/purge/suppression-routes.ts'
import type { TextWriting } from '../requests/store/unwritten-texts.ts'
import { forgetOwnWishes } from '../requests/wish-numbers/recount.ts'
import type { RemovalContact } from '../runtime/removal-contact.ts'
import type { CoalescedReads } from '../runtime/request-coalescing.ts'
import type { Version } from '../runtime/response-cache.ts'
import { registerCorrectionExport } from '../search/export/corrections-export.ts'
import { registerExportRoutes } from '../search/export/routes.ts'
import { registerFacetRoutes, registerListRoutes } from '../search/list/routes.ts'
import { registerSearchIndexRoutes } from '../search/opensearch/routes.ts'
import { registerSearchRoutes } from '../search/routes.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { deleteBriefsOf } from '../sharing/briefs/briefs.ts'
import { registerBriefRoutes } from '../sharing/briefs/routes.ts'
import { registerSavedViewRoutes } from '../sharing/saved-views/routes.ts'
import { registerSharedPages } from '../sharing/shares/read-routes.ts'
import { registerShareRoutes } from '../sharing/shares/routes.ts'
import { deleteSharesOf, sharesMadeByKeys } from '../sharing/shares/shares.ts'
import { registerNewsRoutes } from '../watches/news/routes.ts'
import { registerWatchRoutes } from '../watches/routes.ts'
import { createVisits, recordVisit } from '../watches/watch.ts'
import { readWatch, watchesMadeByKeys } from '../watches/watches.ts'
import { registerChangesRoutes } from '../wishes/changes/routes.ts'
import { registerWishCorrectionRoutes } from '../wishes/corrections/routes.ts'
import { deleteWishCorrectionsOf } from '../wishes/corrections/undo.ts'
import { registerMarkRoutes } from '../wishes/marks/routes.ts'
import { createPossiblySame } from '../wishes/placing/targets.ts'
import { registerWishRoutes } from '../wishes/routes.ts'
import { registerSimilarRoutes } from '../wishes/similar/routes.ts'
import { registerSuggestionRoutes } from '../wishes/suggestions/routes.ts'
import { registerTopicRoutes } from '../wishes/topics/routes.ts'
import { registerTrendRoutes } from '../wishes/trends/routes.ts'
import { registerRequestHunt, rewriteRequestHunt } from './compat/requesthunt.ts'

/** What the rooms need, and what only the app does. */
export interface AppDependencies extends ChannelsDependencies, Omit<OverviewDependencies, 'authentication'> {
  log: Logger
  usualCallLevel: 'info' | 'debug'
  queue: TaskQueue
  changes: TaskChanges
  /** A job's time limit from its start. */
  jobTimeLimitMs: number
  pricing: Pricing
  searchIndex: SearchIndex
  /** Caches answers that depend only on the stored requests and are the same for every account. */
  cachedRead: CoalescedReads
  /** The stored requests' version; null on Postgres. */
  cacheVersion: Version
  expansion: Expansion
  live: Omit<LiveSettings, 'jobTimeLimitMs'>
  adminKey: string
  /** Null without an OpenID Connect provider. */
  oidc: OidcConfig | null
  rateLimits: RateLimits
  /** Proxies whose forwarded addresses count; none by default. */
  trustProxy: Proxies | undefined
  comparesGoals: boolean
  jobSources: JobSources
  texts: TextWriting
  platformClient: PlatformClient
  /** The server in the API document: the configured address, else where the document was read. */
  serverUrl: string
  removalContact: RemovalContact | undefined
  pageDirectory: string
  trackers: TrackerAdapters
  monitoring: Monitoring
  /** For `/healthz` and `/readyz`; may change at runtime. */
  isAlive: HealthRoutes['isAlive']
  health: HealthRoutes['health']
}

/** Deletes the data that higher rooms store of an account. */
const deleteOwned: DeleteOfAccount = async (transaction, accountId) => {
  const deleteFrom = (table: 'trackers' | 'wish_marks' | 'saved_views' | 'watches' | 'feeds') =>
    transaction.deleteFrom(table).where('account_id', '=', accountId).execute()
  await deleteChannelsOf(transaction, accountId)
  await deleteMailOf(transaction, accountId)
  await deleteFrom('trackers')
  await deleteWishCorrectionsOf(transaction, accountId)
  await deleteFrom('wish_marks')
  await deleteFrom('saved_views')
  await deleteCorrectionsOf(transaction, accountId)
  await deleteFrom('watches')
  await deleteFrom('feeds')
  await deleteSharesOf(transaction, accountId)
  await deleteBriefsOf(transaction, accountId)
  await forgetOwnWishes(transaction, accountId)
  await forgetPersons(transaction, accountId)
}

/** Serves `/openapi.json`, `/docs` and the page without a key. Routes do not change at runtime. */
async function registerFiles(routes: App, { serverUrl, rateLimits, ...page }: AppDependencies): Promise<void> {
  const guardFiles = createFileGuard(rateLimits)
  const sendDocument = prepareAnswer(() =>
    JSON.stringify(shareComponents({ ...(routes.swagger() as object as ApiDocument), servers: [{ url: serverUrl }] })),
  )
  routes.get('/openapi.json', { schema: { hide: true }, onRequest: guardFiles }, (request, reply) =>
    sendDocument(request, reply.type('application/json; charset=utf-8')),
  )
  registerReference(routes, { pageDirectory: page.pageDirectory, onRequest: guardFiles })
  await registerPage(routes, { ...page, guardFiles })
}

/** What several rooms need. */
type Shared = AppDependencies & {
  enabledPlatforms: AppDependencies['platformsConfig']['enabled']
  defaultPlatforms: AppDependencies['platformsConfig']['defaults']
  authentication: ReturnType<typeof createAuthentication>
  idempotent: ReturnType<typeof createIdempotent>
  visits: ReturnType<typeof createVisits>
}

/** What a key makes, and ends with it. */
const madeKindsOf = ({ adapters }: AppDependencies) => ({
  channels: channelsMadeByKeys(adapters),
  watches: watchesMadeByKeys,
  feeds: feedsMadeByKeys,
  shares: sharesMadeByKeys,
  trackers: trackersMadeByKeys,
})

/** Searches and lists, which may collect live, and exports. */
function registerReading(routes: App, shared: Shared): void {
  const settings = { ...shared.live, jobTimeLimitMs: shared.jobTimeLimitMs }
  const live = createLive({ ...shared, settings })
  routes.addHook('preClose', () => live.stop())
  const expandedSearch = createExpandedSearch({ ...shared, live, expansionMs: settings.deadlineMs / 2 })
  registerSearchRoutes(routes, { ...shared, expandedSearch })
  const ownsJob = (accountId: string, jobId: string) => isOwnJob(shared.database, accountId, jobId)
  const lists = { ...shared, realtimeList: createRealtimeList({ ...shared, live }), ownsJob }
  registerListRoutes(routes, lists)
  registerFacetRoutes(routes, lists)
  registerExportRoutes(routes, lists)
}

async function registerRoutes(routes: App, dependencies: AppDependencies): Promise<void> {
  const { enabled: enabledPlatforms, defaults: defaultPlatforms } = dependencies.platformsConfig
  const { oidc } = dependencies
  const readAccessToken = oidc === null ? null : createAccessTokens(oidc)
  const authentication = createAuthentication({ ...dependencies, readAccessToken })
  const idempotent = createIdempotent({ ...dependencies, callerOf: authentication.callerOf })
  const visits = createVisits(dependencies)
  routes.addHook('onClose', () => visits.settled())
  const shared: Shared = { ...dependencies, enabledPlatforms, defaultPlatforms, authentication, idempotent, visits }
  registerHealthRoutes(routes, dependencies)
  registerSessionRoutes(routes, shared)
  registerAdminSessionRoutes(routes, shared)
  registerLinkRoutes(routes, shared)
  registerAccountRoutes(routes, { ...shared, deleteOwned })
  registerKeyRoutes(routes, { ...shared, madeKinds: madeKindsOf(dependencies) })
  registerCreditRoutes(routes, shared)
  registerScrapeRoutes(routes, shared)
  registerWatchRoutes(routes, { ...shared, findUnknownChannels })
  await registerFeedbackRoutes(routes, shared)
  registerJobRoutes(routes, { ...shared, followers: createFollowers(dependencies) })
  registerReading(routes, shared)
  const possiblySame = createPossiblySame(dependencies.searchIndex)
  registerSimilarRoutes(routes, { ...shared, possiblySame })
  registerCorrectionRoutes(routes, shared)
  registerAccuracyRoutes(routes, shared)
  registerCorrectionExport(routes, shared)
  registerWishCorrectionRoutes(routes, shared)
  registerMarkRoutes(routes, shared)
  registerTrendRoutes(routes, shared)
  registerChangesRoutes(routes, shared)
  registerSuggestionRoutes(routes, shared)
  registerSavedViewRoutes(routes, shared)
  registerShareRoutes(routes, shared)
  await registerSharedPages(routes, shared)
  const findWatch = (accountId: string, watchId: string) => readWatch(dependencies.database, accountId, watchId)
  registerBriefRoutes(routes, { ...shared, findWatch })
  registerWishRoutes(routes, { ...shared, possiblySame })
  registerTopicRoutes(routes, shared)
  registerNewsRoutes(routes, { ...shared, recordVisit })
  registerFeedRoutes(routes, shared)
  registerFeedReading(routes, shared)
  registerChannelRoutes(routes, shared)
  registerTrackerRoutes(routes, shared)
  registerPushRoutes(routes, shared)
  await registerMailPages(routes, { ...shared, ...emailStates() })
  registerPurgeRoutes(routes, shared)
  registerSearchIndexRoutes(routes, shared)
  registerSuppressionRoutes(routes, shared)
  registerPlatformRoutes(routes, { ...shared, readYields: createYields(dependencies.database) })
  registerUsageRoutes(routes, shared)
  registerIntegrityRoutes(routes, shared)
  registerBackupRoutes(routes, shared)
  registerOverviewRoute(routes, shared)
  const { expose } = dependencies.monitoring
  if (expose !== null) registerMetricsRoute(routes, { authentication, expose })
  registerMcp(routes, { ...shared, guardFiles: createFileGuard(dependencies.rateLimits) })
  registerRequestHunt(routes)
  await registerFiles(routes, dependencies)
}

/** Composes the HTTP side without listening (`inject` works), and the function that drains and closes it. */
export async function createApp(dependencies: AppDependencies): Promise<{ app: App; drain: () => Promise<void> }> {
  const app = createServer({ ...dependencies, rewriteUrl: rewriteRequestHunt })
  const drain = registerDraining(app)
  setCommonRules(app, dependencies.cacheVersion)
  dependencies.monitoring.calls(app)
  await app.register(swagger, openApiDocument)
  await app.register(cookie)
  await app.register(async (scope) => registerRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), dependencies))
  return { app, drain }
}
