import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { bootstrapFirstAccount } from '../accounts/accounts.ts'
import { loadAdminKey, requireAdminKey } from '../accounts/admin-key.ts'
import { offerSignIn } from '../accounts/sessions/links.ts'
import { sweepCalls } from '../collecting/live/calls.ts'
import { recoverTasks } from '../collecting/scraping/tasks.ts'
import { freeBytes, neededBytes } from '../database/embedded/free-space.ts'
import type { OpenDatabase } from '../database/open.ts'
import { reportConnections } from '../database/postgres/connection-use.ts'
import { reportPooler } from '../database/postgres/notification-check.ts'
import { createUpkeep } from '../database/upkeep/upkeep.ts'
import { hasLinksForOthers, requireFreePort, requireProtectedTransport, urlOf } from '../http/addresses.ts'
import type { App } from '../http/app-type.ts'
import type { Secrets } from '../http/secrets/secrets.ts'
import { loadSecrets } from '../http/secrets/secrets-key.ts'
import { requireSecretsKey, warnOfMissingLinks, warnOfUnknownKeys } from '../notifications/upkeep.ts'
import { createMonitoring, noMonitoring } from '../operations/metrics/monitoring.ts'
import { systemClock } from '../runtime/clock.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { type StartParts, startBackground } from './background.ts'
import { composeService, type ServiceOverrides } from './compose-service.ts'
import type { Config } from './config.ts'
import { type PreparedDatabase, prepareDatabase } from './prepare-database.ts'

export interface Service {
  /** `http://…`; null for a worker, which does not listen. */
  address: string | null
  app: App
  database: OpenDatabase
  /** The first API key, if this start created one; shown only once. */
  firstApiKey: string | null
  /** A one-time sign-in link for the first account, valid for minutes; null if a session exists. */
  signInUrl: string | null
  /** Where metrics are served without a key, `http://…`; null if nowhere. */
  metricsAddress: string | null
  adminKeyLocation: string
  search: SearchIndex['kind']
  runMaintenance(): Promise<void>
  /** Refreshes known requests now, within the budgets. */
  refreshRequests(): Promise<void>
  placeRequests(): Promise<void>
  runDueWatches(): Promise<void>
  reportNews(): Promise<void>
  /** Delivers all events due now, and waits for it. */
  deliverEvents(): Promise<void>
  /** Finishes calls and pages in progress, then closes everything. Idempotent. @throws StopLimitError after 30 s. */
  stop(): Promise<void>
}

/**
 * Builds and starts the whole service.
 * @param onCrash called when the process should end
 * @throws ConfigError for a forbidden configuration, DataDirectoryInUseError, or the database's error.
 */
export async function startService(
  config: Config,
  log: Logger,
  onCrash: (error: Error) => void,
  overrides: ServiceOverrides = {},
): Promise<Service> {
  requireAdminKey(config)
  if (config.unusedProxies.length > 0)
    log.warn({ variables: config.unusedProxies }, 'SOCKS4 proxies are not supported: connections are direct')
  if (listensBy(config, overrides)) {
    requireProtectedTransport(config)
    await requireFreePort(config)
  }
  const { offline = false, open, onDemand } = overrides
  const prepareOptions = { offline, open, searchWaitsForChanges: onDemand?.has('search index') ?? false }
  // Loads while the database opens. Commands that open the database briefly are not measured.
  const loading = overrides.offline ? noMonitoring : createMonitoring(config, log)
  const [prepared, monitoring] = await Promise.all([prepareDatabase(config, log, onCrash, prepareOptions), loading])
  if (prepared.migrations.length > 0) log.info({ migrations: prepared.migrations }, 'database migrated')
  try {
    // Only now: it may write into the data directory, which this process must have locked.
    const adminKey = loadAdminKey(config)
    const secrets = loadSecrets(config)
    if (!overrides.offline) await checkChannels(config, log, prepared, secrets)
    const searchIndex = monitoring.searchIndex(prepared.searchIndex)
    return await start({
      config,
      log,
      overrides,
      adminKey,
      secrets,
      prepared: { ...prepared, searchIndex },
      monitoring,
    })
  } catch (error) {
    await monitoring.stop()
    await prepared.queue.stop()
    await prepared.searchCluster?.close()
    await prepared.opened.close()
    throw error
  }
}

/** @throws ConfigError if there are channels but no key to open them. */
async function checkChannels(
  config: Config,
  log: Logger,
  { opened: { database } }: PreparedDatabase,
  secrets: Secrets,
): Promise<void> {
  await requireSecretsKey(database, secrets)
  await warnOfUnknownKeys(database, secrets, log)
  if (!hasLinksForOthers(config)) await warnOfMissingLinks(database, log)
}

const listensBy = ({ role }: Config, { offline = false }: ServiceOverrides) => role !== 'worker' && !offline

/** Upkeep needs this much free disk: a merge writes at most two 64 MB segments, and the log needs room. */
const upkeepBytes = neededBytes + 2 * 64 * 1024 * 1024

/** Time limit of embedded statements after the start: anything longer would never end. */
const statementLimitMs = 5 * 60_000

/** A stop reached its limit. */
export class StopLimitError extends Error {
  override readonly name = 'StopLimitError'
  override readonly message = 'the shutdown took too long'
}

const withinLimit = (stopping: Promise<void>, limitMs: number): Promise<void> =>
  Promise.race([
    stopping,
    sleep(limitMs, undefined, { ref: false }).then(() => {
      throw new StopLimitError()
    }),
  ])

/** Resumes what the last process on this embedded database left unfinished. */
async function recoverWork({ log, overrides: { clock = systemClock }, prepared }: StartParts): Promise<void> {
  const { database } = prepared.opened
  const recovered = await recoverTasks(database, prepared.queue)
  if (recovered > 0) log.info({ tasks: recovered }, 'unfinished tasks go on')
  for (let more = true; more; ) more = await sweepCalls(database, log, clock.now(), null)
}

/** Of the embedded database: Postgres has its autovacuum, and a command that opens it for a moment has no idle time. */
async function createOwnUpkeep({ config, log, overrides: { offline = false }, prepared }: StartParts) {
  const client = prepared.opened.embedded
  if (client === null || offline) return null
  return createUpkeep({ client, log, hasRoom: async () => (await freeBytes(config.dataDir)) >= upkeepBytes })
}

async function start(parts: StartParts): Promise<Service> {
  const { config, log, overrides, adminKey, prepared, monitoring } = parts
  const { opened, searchIndex } = prepared
  const { database } = opened
  const { clock = systemClock, offline = false } = overrides
  const runsJobs = config.role !== 'api' && !offline
  let isStarted = false
  let stopped: Promise<void> | null = null
  const composed = await composeService({ ...parts, isOpen: () => isStarted && stopped === null })
  const { app, drain, worker, publicUrl, client, hostMemory, changes, requestChanges } = composed
  if (runsJobs && opened.backend === 'embedded') await recoverWork(parts)
  const upkeep = await createOwnUpkeep(parts)
  await upkeep?.catchUp()
  // Before the worker, so that none runs if the port is in use.
  const listens = listensBy(config, overrides)
  if (listens) await app.listen({ host: config.host, port: config.port })
  const metricsAddress = offline ? null : await monitoring.listen()
  if (metricsAddress !== null) log.info({ address: metricsAddress }, 'metrics are served')
  if (runsJobs) await worker.start()
  // Last, since a new key is shown once: nothing may fail between its creation and its display.
  const { bootstrapApiKey: apiKey, bootstrapTier: tier } = config
  const firstApiKey = offline ? null : await bootstrapFirstAccount(database, { apiKey, tier, now: clock.now() })
  const offer = { config, log, database, adminKey: adminKey.key, publicUrl, now: clock.now() }
  const signInUrl = listens ? await offerSignIn(offer) : null
  const background = await startBackground(parts, composed, runsJobs)
  upkeep?.start()
  if (!offline) {
    await reportConnections(opened.readConnectionUse, log)
    await reportPooler(opened, log)
  }
  if (!offline) opened.embedded?.limitStatements(statementLimitMs)
  // Listening began earlier, but only now everything exists, such as the first account and its key.
  isStarted = true
  const stop = async () => {
    await Promise.all([drain(), worker.stop(), background.stop(), upkeep?.stop()])
    await hostMemory.stop()
    await Promise.all([changes.stop(), requestChanges.stop(), monitoring.stop()])
    await client.close()
    await composed.closeOutbound()
    await prepared.searchCluster?.close()
    await opened.close()
  }
  return {
    address: listens ? urlOf(app.server.address() as AddressInfo) : null,
    app,
    database: opened,
    firstApiKey,
    signInUrl,
    metricsAddress,
    adminKeyLocation: adminKey.location,
    search: searchIndex.kind,
    runMaintenance: background.runMaintenance,
    refreshRequests: background.refreshRequests,
    placeRequests: background.placeRequests,
    runDueWatches: background.runDueWatches,
    reportNews: background.reportNews,
    deliverEvents: background.deliverEvents,
    stop: () => {
      stopped ??= withinLimit(stop(), config.stopLimitMs)
      return stopped
    },
  }
}
