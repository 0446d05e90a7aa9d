import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { AdminKey } from '../accounts/admin-key.ts'
import { createExpansion, type Expansion } from '../collecting/expansion/expansion.ts'
import { createJobSources } from '../collecting/scraping/job-sources.ts'
import { listenToTasks } from '../collecting/scraping/task-changes.ts'
import { createWorker } from '../collecting/scraping/worker.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { OpenDatabase } from '../database/open.ts'
import { watchReadiness } from '../database/readiness.ts'
import { publicUrlOf } from '../http/addresses.ts'
import { createDatabaseLimiter } from '../http/rate-limits/database-limiter.ts'
import { createSlidingLog } from '../http/rate-limits/limiter.ts'
import { createRateLimits, type RequestLimits } from '../http/rate-limits/rate-limits.ts'
import type { Secrets } from '../http/secrets/secrets.ts'
import { createBackups } from '../operations/backup/backup.ts'
import type { MonitoredService, Monitoring } from '../operations/metrics/monitoring.ts'
import { createAdapterCache } from '../platforms/adapters/adapter-cache.ts'
import { rememberHosts } from '../platforms/budget/host-memory.ts'
import { createQuotaStore } from '../platforms/budget/quota.ts'
import { createPlatformClient, userAgentFor } from '../platforms/client/client.ts'
import type { ClientTimeouts } from '../platforms/client/messages.ts'
import { createPlatforms } from '../platforms/create-platforms.ts'
import type { Platform } from '../platforms/platform.ts'
import { platformDefinitions } from '../platforms/registry.ts'
import { attributeSources } from '../platforms/sources/attribution.ts'
import { listedSources, type SourceKinds, sourceKindsOf } from '../platforms/sources/source-kinds.ts'
import { createVerification } from '../platforms/sources/verification.ts'
import { followRequestChanges } from '../requests/store/changes.ts'
import { createTextWriting } from '../requests/store/unwritten-texts.ts'
import { type Clock, systemClock } from '../runtime/clock.ts'
import { createResponseCache } from '../runtime/response-cache.ts'
import { version } from '../runtime/version.ts'
import { readServingBacklog } from '../search/opensearch/status.ts'
import { watchSearchSize } from '../search/size-watch.ts'
import { readBacklog } from '../wishes/placing/placing.ts'
import { createApp } from './app.ts'
import { composeChannels } from './compose-channels.ts'
import type { Config } from './config.ts'
import type { PreparedDatabase, PrepareOptions } from './prepare-database.ts'

/** Replacements for tests and commands. */
export interface ServiceOverrides {
  /** Only `app.inject` works: nothing listens, no job runs, no first account is created. */
  offline?: boolean
  clock?: Clock
  platforms?: PlatformOverrides
  expansion?: Expansion
  /** What does not run in the background. */
  onDemand?: ReadonlySet<OnDemand>
  /** Opens the database differently: tests reuse a running embedded one, or watch its statements. */
  open?: PrepareOptions['open']
}

export interface PlatformOverrides {
  adapters?: ReadonlyMap<PlatformName, Platform>
  /** Overrides how adapters name sources. */
  sourceKinds?: SourceKinds
  /** Multiplies platforms' calls per minute; only for a simulator that runs faster by the same factor. */
  timeScale?: number
  timeouts?: Partial<ClientTimeouts>
  resolver?: LookupFunction
  /** How long a job retries while no platform is reachable. */
  unreachableMs?: number
}

/** Background work that runs only by methods of `Service`; with `search index`, each search updates it first. */
export type OnDemand = 'placing' | 'news' | 'events' | 'search index'

/** A statement of the embedded database that takes longer blocks all others: `/healthz` fails. */
const silentMs = 30_000

/** The size of the response cache: some hundred large answers, or thousands of usual ones. */
const maxCachedCharacters = 6_000_000

export interface ServiceParts {
  config: Config
  log: Logger
  overrides: ServiceOverrides
  adminKey: AdminKey
  /** Seals secrets that are never shown again. */
  secrets: Secrets
  prepared: PreparedDatabase
  monitoring: Monitoring
  /** Whether the start is complete and no stop has begun; else it is not ready. */
  isOpen: () => boolean
}

function composeRateLimits({ database, backend }: OpenDatabase, limits: RequestLimits, overrides: ServiceOverrides) {
  const { clock = systemClock } = overrides
  // One process counts in memory; several share counts in Postgres, by its clock.
  const limiter =
    backend === 'embedded' ? createSlidingLog({ clock }) : createDatabaseLimiter(database, overrides.clock)
  return createRateLimits({ clock, limiter, limits })
}

async function composePlatforms({ config, log, overrides, prepared, monitoring }: ServiceParts) {
  const { database } = prepared.opened
  const { clock = systemClock, platforms: { timeouts = {}, timeScale, resolver, ...others } = {} } = overrides
  const userAgent = userAgentFor(version, config.removalContact?.text)
  const { allowPrivateTargets } = config.sources
  const client = monitoring.client(
    createPlatformClient({ clock, log, timeouts, userAgent, allowPrivateTargets, proxies: config.proxies, resolver }),
  )
  const quotas = createQuotaStore(database)
  const cache = createAdapterCache(database)
  const platforms = await createPlatforms({ config: config.platforms, clock, client, quotas, cache, timeScale })
  const kinds = others.sourceKinds ?? sourceKindsOf(platformDefinitions)
  const listed = listedSources(platformDefinitions, kinds, config.platforms.environment)
  const adapters = others.adapters ?? platforms.adapters
  const attributed = monitoring.platforms(attributeSources(adapters, listed))
  const verify = createVerification({ platforms: attributed, clock })
  const jobSources = createJobSources({ database, kinds, listed, policy: config.sources.policy, verify })
  return { client, adapters, attributed, hosts: platforms.hosts, jobSources }
}

/** The settings that the HTTP side reads as they are. */
const settingsOf = (config: Config) => ({
  // On a terminal, a line for each call would hide the lines that matter.
  usualCallLevel: config.logFormat === 'text' ? ('debug' as const) : ('info' as const),
  platformsConfig: config.platforms,
  jobTimeLimitMs: config.jobTimeLimitMs,
  pricing: config.pricing,
  live: { topicTtlMs: config.topicTtlMs, deadlineMs: config.liveDeadlineMs },
  oidc: config.oidc,
  trustProxy: config.trustProxy,
  serverUrl: config.publicUrl ?? '/',
  comparesGoals: config.news !== null,
  removalContact: config.removalContact,
  dataDir: config.dataDir,
  judgedPerDay: config.judging?.perDay ?? 0,
  pageDirectory: config.pageDirectory,
})

/** What the index in the search cluster has not read; undefined where there is none. */
function outboxBacklogOf({ opened, searchCluster }: PreparedDatabase): MonitoredService['outboxBacklog'] {
  if (searchCluster === null) return undefined
  return async () => {
    const backlog = await readServingBacklog(opened.database)
    return backlog === null
      ? []
      : [{ index: 'opensearch', changes: backlog.changes, ageSeconds: backlog.ageMs / 1_000 }]
  }
}

/** Connects the parts of the service. Nothing listens or works until they are started. */
export async function composeService(parts: ServiceParts) {
  const { config, log, overrides, adminKey, prepared, monitoring, isOpen } = parts
  const { opened, queue, searchIndex, searchCluster } = prepared
  const { database, backend } = opened
  const { clock = systemClock, offline = false, platforms: { unreachableMs } = {} } = overrides
  const { client, adapters, attributed, hosts, jobSources } = await composePlatforms(parts)
  const changes = await listenToTasks(offline ? async () => async () => {} : opened.listen)
  const requestChanges = await followRequestChanges(opened)
  // Last, since its timer writes until stopped: an earlier failure of the start has nothing to stop.
  const hostMemory = await rememberHosts({ database, clock, log, hosts })
  const cacheVersion = config.cachesResponses ? requestChanges.version : () => null
  const { retention } = config.platforms
  const worker = createWorker({ database, queue, changes, clock, log, platforms: attributed, retention, unreachableMs })
  const isReady = watchReadiness(opened)
  const searchSize = watchSearchSize({ database, searchIndex, log, clock })
  const texts = createTextWriting(database, log)
  const channels = composeChannels({ config, database, clock })
  const publicUrl = (): string => publicUrlOf(config, app.server)
  const { app, drain } = await createApp({
    ...settingsOf(config),
    adminKey: adminKey.key,
    database,
    backend,
    clock,
    log,
    queue,
    changes,
    searchIndex,
    searchCluster,
    isAlive: () => (opened.embedded?.runningMs() ?? 0) < silentMs,
    health: async () => {
      const ready = isOpen() && (await isReady())
      const unplacedRequests = ready ? await readBacklog(database) : 0
      const warnings = ready ? await searchSize.warnings() : []
      const parts = { database: backend, search: searchIndex.kind, queue: 'pg-boss' as const }
      return { ready, version, ...parts, unplacedRequests, warnings }
    },
    hostMemory,
    texts,
    platformClient: client,
    cachedRead: monitoring.cachedReads(createResponseCache({ version: cacheVersion, maxSize: maxCachedCharacters })),
    cacheVersion,
    hosts,
    jobSources,
    expansion: overrides.expansion ?? createExpansion({ database, searchIndex, clock, log, config: config.expansion }),
    rateLimits: composeRateLimits(opened, config.requestLimits, overrides),
    publicUrl,
    adapters: channels.channelAdapters,
    trackers: channels.trackers,
    renderEvent: channels.renderEvent,
    secrets: parts.secrets,
    monitoring,
    backups: createBackups({ embedded: opened.embedded, dataDir: config.dataDir, clock, log }),
  })
  const platformStatus = () => ({ database, config: config.platforms, hosts, now: clock.now() })
  const outboxBacklog = outboxBacklogOf(prepared)
  monitoring.observe({ database, backend, role: config.role, platformStatus, outboxBacklog })
  const reached = { client, adapters, hosts, hostMemory }
  return { app, drain, worker, publicUrl, ...reached, changes, requestChanges, texts, searchSize, ...channels }
}
