import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { bootstrapFirstAccount } from './accounts/accounts.ts'
import { type AdminKey, loadAdminKey, requireAdminKey } from './accounts/admin-key.ts'
import { type App, createApp } from './app.ts'
import { createBackups } from './backup/backup.ts'
import { createChores } from './chores.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database, DatabaseOptions, OpenDatabase } from './database/open.ts'
import { createExpansion, type Expansion } from './expansion/expansion.ts'
import { startHousekeeping } from './housekeeping.ts'
import type { Health } from './http/health.ts'
import { createKeptReads } from './kept-reads.ts'
import { sweepCalls } from './live/calls.ts'
import { type ClientTimeouts, createPlatformClient, userAgentFor } from './platforms/client.ts'
import { createFindStore } from './platforms/finds.ts'
import { rememberHosts } from './platforms/host-memory.ts'
import type { Platform, PlatformName } from './platforms/platform.ts'
import { createQuotaStore } from './platforms/quota-store.ts'
import { createPlatforms } from './platforms/registry.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare-database.ts'
import { createDatabaseLimiter } from './rate-limits/database-limiter.ts'
import { createRateLimits, type RequestLimits, requestLimits } from './rate-limits/rate-limits.ts'
import { createSlidingLog } from './rate-limits/sliding-log.ts'
import { countRequestChanges } from './requests/changes.ts'
import type { SearchIndex } from './requests/search/search-index.ts'
import { listenToTasks } from './scraping/task-changes.ts'
import { recoverTasks } from './scraping/tasks.ts'
import { createWorker } from './scraping/worker.ts'
import { offerSignIn } from './sessions/sign-in-offer.ts'
import { createUpkeep } from './upkeep/upkeep.ts'
import { version } from './version.ts'
import { builtPage } from './web/page.ts'

export interface Service {
  /** Where it listens, `http://…`; null when it does not, like a worker. */
  address: string | null
  app: App
  database: OpenDatabase
  /** A first API key that was made now and is shown only this once; null when there is none to show. */
  firstApiKey: string | null
  /** Where the first account is signed in to, once, within minutes; null when somebody is signed in already. Shown only this once. */
  signInUrl: string | null
  /** Where the operator finds the admin key. */
  adminKeyLocation: string
  search: SearchIndex['kind']
  /** Does all that is done every few minutes now. */
  housekeep(): Promise<void>
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
  expansion?: Expansion
  onStatement?: DatabaseOptions['onStatement']
  /** Whether answers about the cache are kept while it does not change; benches measure what it takes to work one out. */
  keepsAnswers?: boolean
  /** Where the built page is, instead of where the build puts it. */
  pageDirectory?: string
}

/** Of answers to searches and lists: some hundred of the largest, thousands of the usual ones. */
const mostKeptCharacters = 32_000_000

/**
 * Builds the whole service and starts it: database, worker, HTTP.
 * @param onCrash called when the service cannot go on, and the process should end.
 * @throws DataDirectoryInUseError, or what the database says when it cannot be opened.
 */
export async function startService(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  requireAdminKey(config)
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

interface Parts {
  config: Config
  log: Logger
  overrides: ServiceOverrides
  adminKey: AdminKey
  prepared: PreparedDatabase
}

const isReachable = (database: Database): Promise<boolean> =>
  database
    .selectFrom('accounts')
    .select('id')
    .limit(1)
    .execute()
    .then(
      () => true,
      () => false,
    )

function assembleRateLimits({ database, home }: OpenDatabase, overrides: ServiceOverrides) {
  const { clock = systemClock, requestLimits: limits = requestLimits } = overrides
  // One process counts in its memory; several on one Postgres count there, by its clock.
  const limiter = home === 'embedded' ? createSlidingLog({ clock }) : createDatabaseLimiter(database, overrides.clock)
  return createRateLimits({ clock, limiter, limits })
}

async function assemble({ config, log, overrides, adminKey, prepared }: Parts): Promise<Service> {
  const { opened, queue, searchIndex } = prepared
  const { database, home } = opened
  const { clock = systemClock, offline = false } = overrides
  const { platformTimeouts: timeouts = {}, keepsAnswers = true } = overrides
  const client = createPlatformClient({ clock, log, timeouts, userAgent: userAgentFor(version) })
  const quotas = createQuotaStore(database)
  const finds = createFindStore(database)
  const { platformTimeScale: timeScale } = overrides
  const platforms = createPlatforms({ config: config.platforms, clock, client, quotas, finds, timeScale })
  const adapters = overrides.platforms ?? platforms.adapters
  const changes = await listenToTasks(offline ? async () => async () => {} : opened.listen)
  const requestChanges = await countRequestChanges(opened)
  const { retention } = config.platforms
  const worker = createWorker({ database, queue, changes, clock, log, platforms: adapters, retention })
  let stopped: Promise<void> | null = null

  const health = async (): Promise<Health> => {
    const ready = stopped === null && (await isReachable(database))
    return { ready, version, database: home, search: searchIndex.kind, queue: 'pg-boss' }
  }
  const hostMemory = await rememberHosts({ database, clock, log, hosts: platforms.hosts })
  const { app, drain } = await createApp({
    ...{ database, clock, log, queue, changes, searchIndex, health, hostMemory },
    readRequests: createKeptReads({
      version: keepsAnswers ? requestChanges.version : () => null,
      mostCharacters: mostKeptCharacters,
    }),
    platformsConfig: config.platforms,
    hosts: platforms.hosts,
    jobTimeLimitMs: config.jobTimeLimitMs,
    expansion: overrides.expansion ?? createExpansion({ database, searchIndex, clock, log, config: config.expansion }),
    live: { topicTtlMs: config.topicTtlMs, deadlineMs: config.liveDeadlineMs },
    adminKey: adminKey.key,
    trustProxy: config.trustProxy,
    rateLimits: assembleRateLimits(opened, overrides),
    pageDirectory: overrides.pageDirectory ?? builtPage,
    backups: createBackups({ embedded: opened.embedded, dataDir: config.dataDir, clock, log }),
  })
  if (config.role !== 'api' && home === 'embedded' && !offline) {
    const recovered = await recoverTasks(database, queue)
    if (recovered > 0) log.info({ tasks: recovered }, 'unfinished tasks go on')
    for (let more = true; more; ) more = await sweepCalls(database, log, clock.now(), null)
  }
  // Postgres has its autovacuum; a command that opens the database for a moment has no idle time.
  const upkeep = opened.embedded === null || offline ? null : await createUpkeep({ client: opened.embedded, log })
  await upkeep?.catchUp()
  // Before the worker, so that a port in use does not leave one behind.
  const listens = config.role !== 'worker' && !offline
  if (listens) await app.listen({ host: config.host, port: config.port })
  if (config.role !== 'api' && !offline) await worker.start()
  // Last: a key that is made now is shown once, so nothing may fail any more before it is shown.
  const { bootstrapApiKey: apiKey, bootstrapTier: tier } = config
  const firstApiKey = offline ? null : await bootstrapFirstAccount(database, { apiKey, tier, now: clock.now() })
  const address = listens ? urlOf(app.server.address() as AddressInfo) : null
  const signInUrl = await offerSignIn({ config, log, database, adminKey: adminKey.key, address, now: clock.now() })
  const housekeeping = startHousekeeping(createChores(opened, log, queue, overrides, config.platforms.retention), log)
  upkeep?.start()
  const stop = async () => {
    await Promise.all([drain(), worker.stop(), housekeeping.stop(), upkeep?.stop()])
    await hostMemory.stop()
    await Promise.all([changes.stop(), requestChanges.stop()])
    await client.close()
    await opened.close()
  }
  return {
    ...{ app, database: opened, firstApiKey, signInUrl, address, search: searchIndex.kind },
    adminKeyLocation: adminKey.location,
    housekeep: housekeeping.run,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

const urlOf = ({ address, port, family }: AddressInfo) =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
