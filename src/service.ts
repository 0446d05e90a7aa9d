import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import { bootstrapFirstAccount } from './accounts/accounts.ts'
import { type AdminKey, loadAdminKey, requireAdminKey } from './accounts/admin-key.ts'
import { type App, createApp } from './app.ts'
import { createBackups } from './backup/backup.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { migrate } from './database/migrate.ts'
import { type Database, type DatabaseOptions, type OpenDatabase, openDatabase } from './database/open.ts'
import { type Chore, startHousekeeping } from './housekeeping.ts'
import type { Health } from './http/health.ts'
import { purgeExpiredAnswers } from './idempotency/store.ts'
import { type ClientTimeouts, createPlatformClient, userAgentFor } from './platforms/client.ts'
import { createFindStore, purgeExpiredFinds } from './platforms/finds.ts'
import { rememberHosts } from './platforms/host-memory.ts'
import type { Platform, PlatformName } from './platforms/platform.ts'
import { createQuotaStore } from './platforms/quota-store.ts'
import { createPlatforms } from './platforms/registry.ts'
import { createDatabaseLimiter, purgeIdleWindows } from './rate-limits/database-limiter.ts'
import { createRateLimits, type RequestLimits, requestLimits } from './rate-limits/rate-limits.ts'
import { createSlidingLog } from './rate-limits/sliding-log.ts'
import { deleteExpiredRequests, type Retention } from './requests/retention.ts'
import { openSearchIndex, type SearchIndex } from './requests/search-index.ts'
import { endOverdueJobs } from './scraping/job-end.ts'
import { createTaskQueue } from './scraping/queue.ts'
import { listenToTasks } from './scraping/task-changes.ts'
import { recoverTasks } from './scraping/tasks.ts'
import { createWorker } from './scraping/worker.ts'
import { createUpkeep } from './upkeep/upkeep.ts'
import { version } from './version.ts'

export interface Service {
  /** Where it listens, `http://…`; null when it does not, like a worker. */
  address: string | null
  app: App
  database: OpenDatabase
  /** A first API key that was made now and is shown only this once; null when there is none to show. */
  firstApiKey: string | null
  /** Where the operator finds the admin key. */
  adminKeyLocation: string
  search: SearchIndex['kind']
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
  onStatement?: DatabaseOptions['onStatement']
}

/** Migrates on connections of its own without a time limit: a migration, or waiting for another process' one, may take long. */
async function migrateUnhurried({ databaseUrl, dataDir }: Config, opened: OpenDatabase): Promise<string[]> {
  if (databaseUrl === undefined) return migrate(opened.database)
  const unhurried = await openDatabase({ databaseUrl, dataDir, poolSize: 2, statementTimeoutMs: 0, onCrash: () => {} })
  return migrate(unhurried.database).finally(unhurried.close)
}

/** Opens the database and brings its tables, search index and queue up to date. The service and `migrate` begin so. */
export async function prepareDatabase(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  { offline = false, onStatement }: Pick<ServiceOverrides, 'offline' | 'onStatement'> = {},
) {
  const { databaseUrl, dataDir } = config
  const opened = await openDatabase({ databaseUrl, dataDir, onCrash, onStatement })
  try {
    const migrations = await migrateUnhurried(config, opened)
    const searchIndex = await openSearchIndex(opened.database)
    log.info(
      { database: opened.home, search: searchIndex.kind, reason: searchIndex.fallbackReason },
      'database is ready',
    )
    const queue = createTaskQueue(opened, log)
    if (!offline) await queue.start()
    return { opened, migrations, searchIndex, queue }
  } catch (error) {
    await opened.close()
    throw error
  }
}

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
  prepared: Awaited<ReturnType<typeof prepareDatabase>>
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

/** What is kept for a while only. */
const chores = (
  { database }: OpenDatabase,
  { clock }: ServiceOverrides,
  retention: Retention,
): Record<string, Chore> => ({
  rateLimits: () => purgeIdleWindows(database, clock),
  idempotency: () => purgeExpiredAnswers(database, (clock ?? systemClock).now()),
  overdueJobs: () => endOverdueJobs(database, (clock ?? systemClock).now()),
  platformFinds: () => purgeExpiredFinds(database, (clock ?? systemClock).now()),
  expiredRequests: () => deleteExpiredRequests(database, retention, (clock ?? systemClock).now()),
})

async function assemble({ config, log, overrides, adminKey, prepared }: Parts): Promise<Service> {
  const { opened, queue, searchIndex } = prepared
  const { database, home } = opened
  const { clock = systemClock, offline = false } = overrides
  const { platformTimeouts: timeouts = {} } = overrides
  const client = createPlatformClient({ clock, log, timeouts, userAgent: userAgentFor(version) })
  const quotas = createQuotaStore(database)
  const finds = createFindStore(database)
  const { platformTimeScale: timeScale } = overrides
  const platforms = createPlatforms({ config: config.platforms, clock, client, quotas, finds, timeScale })
  const adapters = overrides.platforms ?? platforms.adapters
  const changes = await listenToTasks(offline ? async () => async () => {} : opened.listen)
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
    platformsConfig: config.platforms,
    hosts: platforms.hosts,
    jobTimeLimitMs: config.jobTimeLimitMs,
    adminKey: adminKey.key,
    trustProxy: config.trustProxy,
    rateLimits: assembleRateLimits(opened, overrides),
    backups: createBackups({ embedded: opened.embedded, dataDir: config.dataDir, clock, log }),
  })
  if (config.role !== 'api' && home === 'embedded' && !offline) {
    const recovered = await recoverTasks(database, queue)
    if (recovered > 0) log.info({ tasks: recovered }, 'unfinished tasks go on')
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
  const housekeeping = startHousekeeping(chores(opened, overrides, config.platforms.retention), log)
  upkeep?.start()
  const stop = async () => {
    await Promise.all([drain(), worker.stop(), housekeeping.stop(), upkeep?.stop()])
    await hostMemory.stop()
    await changes.stop()
    await client.close()
    await opened.close()
  }
  return {
    ...{ app, database: opened, firstApiKey, search: searchIndex.kind },
    address: listens ? urlOf(app.server.address() as AddressInfo) : null,
    adminKeyLocation: adminKey.location,
    stop: () => {
      stopped ??= stop()
      return stopped
    },
  }
}

const urlOf = ({ address, port, family }: AddressInfo) =>
  `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
