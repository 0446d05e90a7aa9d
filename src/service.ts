import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { bootstrapFirstAccount } from './accounts/accounts.ts'
import { type AdminKey, loadAdminKey, requireAdminKey } from './accounts/admin-key.ts'
import { requestLimits } from './accounts/request-limits.ts'
import { offerSignIn } from './accounts/sessions/sign-in-offer.ts'
import { createApp } from './app.ts'
import { createBackups } from './backup/backup.ts'
import type { Config } from './config.ts'
import { builtPage } from './dashboard/page.ts'
import type { PlatformName } from './database/column-types.ts'
import type { DatabaseOptions, OpenDatabase } from './database/open.ts'
import { watchReadiness } from './database/readiness.ts'
import { createExpansion, type Expansion } from './expansion/expansion.ts'
import type { App } from './http/app-type.ts'
import type { Health } from './http/health.ts'
import { requireProtectedTransport } from './http/plain-http.ts'
import { publicUrlOf, urlOf } from './http/public-url.ts'
import { sweepCalls } from './live/calls.ts'
import { createMaintenanceJobs } from './maintenance-jobs.ts'
import { createAdapterCache } from './platforms/adapters/adapter-cache.ts'
import { rememberHosts } from './platforms/budget/host-memory.ts'
import { createQuotaStore } from './platforms/budget/quota-store.ts'
import { createPlatformClient, userAgentFor } from './platforms/client/client.ts'
import type { ClientTimeouts } from './platforms/client/messages.ts'
import type { Platform } from './platforms/platform.ts'
import { createPlatforms } from './platforms/platforms.ts'
import { type PreparedDatabase, type PrepareOptions, prepareDatabase } from './prepare-database.ts'
import { createDatabaseLimiter } from './rate-limits/database-limiter.ts'
import { createRateLimits, type RequestLimits } from './rate-limits/rate-limits.ts'
import { createSlidingLog } from './rate-limits/sliding-log.ts'
import type { SearchIndex } from './requests/search/search-index.ts'
import { countRequestChanges } from './requests/store/changes.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { startMaintenance } from './runtime/maintenance.ts'
import { createResponseCache } from './runtime/response-cache.ts'
import { version } from './runtime/version.ts'
import { listenToTasks } from './scraping/task-changes.ts'
import { recoverTasks } from './scraping/tasks.ts'
import { createWorker } from './scraping/worker.ts'
import { createUpkeep } from './upkeep/upkeep.ts'

export interface Service {
  /** Where it listens, `http://…`; null when it does not, like a worker. */
  address: string | null
  app: App
  database: OpenDatabase
  /** A first API key that was made now and is shown only this once; null when there is none to show. */
  firstApiKey: string | null
  /** Where the first account is signed in to, once, within minutes; null when somebody is signed in already. Shown only this once. */
  signInUrl: string | null
  /** Where the operator cache the admin key. */
  adminKeyLocation: string
  search: SearchIndex['kind']
  /** Does all that is done every few minutes now. */
  runMaintenance(): Promise<void>
  /** Finishes the requests and pages under way, then closes everything. Safe to call twice. */
  stop(): Promise<void>
}

/** What tests and commands replace. */
export interface ServiceOverrides {
  /** Only `app.inject` is answered: nothing listens, no job runs, no first account is made. */
  offline?: boolean
  clock?: Clock
  requestLimits?: RequestLimits
  platforms?: ReadonlyMap<PlatformName, Platform>
  /** Makes what platforms allow in a minute be allowed so many times as often; only for a simulator that does so too. */
  platformTimeScale?: number
  platformTimeouts?: Partial<ClientTimeouts>
  /** How long jobs try to reach platforms of which none can be reached. */
  unreachableMs?: number
  expansion?: Expansion
  onStatement?: DatabaseOptions['onStatement']
  /** Opens the database in another way: tests keep an embedded one running between services. */
  open?: PrepareOptions['open']
  /** Whether answers about the cache are kept while it does not change; benches measure what it takes to work one out. */
  keepsAnswers?: boolean
  /** Where the built page is, instead of where the build puts it. */
  pageDirectory?: string
}

/** Of answers to searches and lists: some hundred of the largest, thousands of the usual ones. */
const maxCachedCharacters = 32_000_000

/**
 * Builds the whole service and starts it: database, worker, HTTP.
 * @param onCrash called when the service cannot go on, and the process should end.
 * @throws ConfigError when it must not run like this, DataDirectoryInUseError, or what the database says when it cannot be opened.
 */
export async function startService(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  requireAdminKey(config)
  if (listensBy(config, overrides)) requireProtectedTransport(config)
  const prepared = await prepareDatabase(config, log, onCrash, overrides)
  if (prepared.migrations.length > 0) log.info({ migrations: prepared.migrations }, 'database migrated')
  try {
    // Not before the data directory is ours: it may make a file there.
    const adminKey = loadAdminKey(config)
    return await assemble({ config, log, overrides, adminKey, prepared })
  } catch (error) {
    await prepared.queue.stop()
    await prepared.opened.close()
    throw error
  }
}

const listensBy = ({ role }: Config, { offline = false }: ServiceOverrides) => role !== 'worker' && !offline

interface Parts {
  config: Config
  log: Logger
  overrides: ServiceOverrides
  adminKey: AdminKey
  prepared: PreparedDatabase
}

function assembleRateLimits({ database, backend }: OpenDatabase, overrides: ServiceOverrides) {
  const { clock = systemClock, requestLimits: limits = requestLimits } = overrides
  // One process counts in its memory; several on one Postgres count there, by its clock.
  const limiter =
    backend === 'embedded' ? createSlidingLog({ clock }) : createDatabaseLimiter(database, overrides.clock)
  return createRateLimits({ clock, limiter, limits })
}

async function assemble({ config, log, overrides, adminKey, prepared }: Parts): Promise<Service> {
  const { opened, queue, searchIndex } = prepared
  const { database, backend } = opened
  const { clock = systemClock, offline = false } = overrides
  const { platformTimeouts: timeouts = {}, keepsAnswers = true } = overrides
  const client = createPlatformClient({
    clock,
    log,
    timeouts,
    userAgent: userAgentFor(version, config.removalContact?.text),
  })
  const quotas = createQuotaStore(database)
  const cache = createAdapterCache(database)
  const { platformTimeScale: timeScale } = overrides
  const platforms = await createPlatforms({ config: config.platforms, clock, client, quotas, cache, timeScale })
  const adapters = overrides.platforms ?? platforms.adapters
  const changes = await listenToTasks(offline ? async () => async () => {} : opened.listen)
  const requestChanges = await countRequestChanges(opened)
  const cacheVersion = keepsAnswers ? requestChanges.version : () => null
  const { retention } = config.platforms
  const { unreachableMs } = overrides
  const worker = createWorker({ database, queue, changes, clock, log, platforms: adapters, retention, unreachableMs })
  let stopped: Promise<void> | null = null

  const isReady = watchReadiness(opened)
  const health = async (): Promise<Health> => {
    const ready = stopped === null && (await isReady())
    return { ready, version, database: backend, search: searchIndex.kind, queue: 'pg-boss' }
  }
  const hostMemory = await rememberHosts({ database, clock, log, hosts: platforms.hosts })
  const publicUrl = (): string => publicUrlOf(config, app.server)
  const { app, drain } = await createApp({
    ...{ database, clock, log, queue, changes, searchIndex, health, hostMemory },
    // On a terminal, a line for each call would push away what somebody has to read.
    usualCallLevel: config.logFormat === 'text' ? 'debug' : 'info',
    cachedRead: createResponseCache({ version: cacheVersion, maxSize: maxCachedCharacters }),
    cacheVersion,
    platformsConfig: config.platforms,
    hosts: platforms.hosts,
    jobTimeLimitMs: config.jobTimeLimitMs,
    expansion: overrides.expansion ?? createExpansion({ database, searchIndex, clock, log, config: config.expansion }),
    live: { topicTtlMs: config.topicTtlMs, deadlineMs: config.liveDeadlineMs },
    adminKey: adminKey.key,
    trustProxy: config.trustProxy,
    rateLimits: assembleRateLimits(opened, overrides),
    publicUrl,
    removalContact: config.removalContact,
    pageDirectory: overrides.pageDirectory ?? builtPage,
    backups: createBackups({ embedded: opened.embedded, dataDir: config.dataDir, clock, log }),
  })
  if (config.role !== 'api' && backend === 'embedded' && !offline) {
    const recovered = await recoverTasks(database, queue)
    if (recovered > 0) log.info({ tasks: recovered }, 'unfinished tasks go on')
    for (let more = true; more; ) more = await sweepCalls(database, log, clock.now(), null)
  }
  // Postgres has its autovacuum; a command that opens the database for a moment has no idle time.
  const upkeep = opened.embedded === null || offline ? null : await createUpkeep({ client: opened.embedded, log })
  await upkeep?.catchUp()
  // Before the worker, so that a port in use does not leave one behind.
  const listens = listensBy(config, overrides)
  if (listens) await app.listen({ host: config.host, port: config.port })
  if (config.role !== 'api' && !offline) await worker.start()
  // Last: a key that is made now is shown once, so nothing may fail any more before it is shown.
  const { bootstrapApiKey: apiKey, bootstrapTier: tier } = config
  const firstApiKey = offline ? null : await bootstrapFirstAccount(database, { apiKey, tier, now: clock.now() })
  const address = listens ? urlOf(app.server.address() as AddressInfo) : null
  const offer = { config, log, database, adminKey: adminKey.key, publicUrl, now: clock.now() }
  const signInUrl = listens ? await offerSignIn(offer) : null
  const maintenance = startMaintenance(
    createMaintenanceJobs({ opened, log, queue, clock, limiterClock: overrides.clock, retention }),
    log,
  )
  upkeep?.start()
  const stop = async () => {
    await Promise.all([drain(), worker.stop(), maintenance.stop(), upkeep?.stop()])
    await hostMemory.stop()
    await Promise.all([changes.stop(), requestChanges.stop()])
    await client.close()
    await opened.close()
  }
  return {
    ...{ app, database: opened, firstApiKey, signInUrl, address, search: searchIndex.kind },
    adminKeyLocation: adminKey.location,
    runMaintenance: maintenance.run,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}
