import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import { type Logger, pino } from 'pino'
import { bootstrapFirstAccount } from '../src/accounts/accounts.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import type { OnDemand, ServiceOverrides } from '../src/app/compose-service.ts'
import { type Config, readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import type { Expansion } from '../src/collecting/expansion/expansion.ts'
import type { PlatformName } from '../src/database/column-types.ts'
import type { Database, OpenDatabase } from '../src/database/open.ts'
import type { RequestLimits } from '../src/http/rate-limits/rate-limits.ts'
import type { ClientTimeouts } from '../src/platforms/client/messages.ts'
import type { Platform } from '../src/platforms/platform.ts'
import type { SourceKinds } from '../src/platforms/sources/source-kinds.ts'
import type { Clock } from '../src/runtime/clock.ts'
import { createTestClient, type TestClient } from './client.ts'
import { emptyDatabase, type LendOptions, lendDatabase } from './database.ts'
import { isCluster, searchEnvironment } from './search.ts'
import { unlimited } from './unlimited.ts'
import { watched } from './watched-database.ts'

export const threePlatforms: readonly PlatformName[] = ['github', 'hackernews', 'stackexchange']

export const testAdminKey = 'admin-key-of-the-tests'

export interface TestServiceOptions extends LendOptions {
  /** Environment variables of this service, besides those that the test backend needs. */
  environment?: Record<string, string>
  clock?: Clock
  platforms?: ReadonlyMap<PlatformName, Platform>
  /** How sources are named, instead of as the adapters say. */
  sourceKinds?: SourceKinds
  platformTimeScale?: number
  platformTimeouts?: Partial<ClientTimeouts>
  platformResolver?: LookupFunction
  unreachableMs?: number
  expansion?: Expansion
  /** Whether requests are placed in wishes in the background; by default only by `placeRequests`, so that every answer is expected. */
  placesRequests?: boolean
  /** Whether accounts are told of events by itself; by default only by `deliverEvents`. */
  deliversEvents?: boolean
  /** Called after every statement with its SQL; an error that it throws reaches the caller of the statement. */
  onStatement?: (statement: string) => void
  /** Whether each search brings an index outside of the database up to date first; by default it does. */
  searchWaitsForChanges?: boolean
  /** By default a log that writes nothing. */
  log?: Logger
  /** The limits of the product, for tests of them; by default none. */
  requestLimits?: RequestLimits
  /** The directory of a built page; by default the service has none. */
  pageDirectory?: string
}

export interface TestService {
  url: string
  apiKey: string
  adminKey: string
  database: Database
  /** The database with its backend. */
  opened: OpenDatabase
  config: Config
  /** Where metrics are served without a key; null where they are not. */
  metricsAddress: string | null
  /** Calls as the first account. */
  client: TestClient
  /** Calls with another key, or with none. */
  clientFor(apiKey: string | null): TestClient
  /** A new account of the given plan. */
  createAccount(tier?: 'free' | 'pro' | 'max'): Promise<{ accountId: string; apiKey: string; client: TestClient }>
  /** Ends the service and starts it again on the same database, as a deployment does; `environment` is added until the next restart. */
  restart(environment?: Record<string, string>): Promise<void>
  /** Runs every maintenance job now. */
  runMaintenance(): Promise<void>
  /** Places all requests that are queued in wishes. */
  placeRequests(): Promise<void>
  /** Runs the watches that are due now. */
  runDueWatches(): Promise<void>
  /** Reports the news of ended runs of watches. */
  reportNews(): Promise<void>
  /** Tells accounts of all events that are due now. */
  deliverEvents(): Promise<void>
  /** Empties every table and makes the first account anew, with the same key. */
  reset(): Promise<void>
  stop(): Promise<void>
}

/** No test calls a real platform: what it neither simulates nor scripts refuses the connection. */
export const unreachablePlatforms = {
  GITHUB_API_URL: 'http://127.0.0.1:1',
  HACKERNEWS_API_URL: 'http://127.0.0.1:1',
  STACKEXCHANGE_API_URL: 'http://127.0.0.1:1',
}

const failTest = (error: Error) => {
  throw error
}

type Lent = Awaited<ReturnType<typeof lendDatabase>>

const configOf = (options: TestServiceOptions, lent: Lent, apiKey: string): Config => ({
  ...readConfig({
    PORT: '0',
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: testAdminKey,
    DATA_DIR: lent.options.dataDir,
    DATABASE_URL: lent.options.databaseUrl,
    // Three are enough for most tests; every adapter has its own.
    PLATFORMS: [...new Set([...threePlatforms, ...(options.platforms?.keys() ?? [])])].join(','),
    ...unreachablePlatforms,
    ...searchEnvironment(),
    ...options.environment,
  }),
  requestLimits: options.requestLimits ?? unlimited,
  pageDirectory: options.pageDirectory ?? join(lent.options.dataDir, 'no-page'),
})

/** The background runs only when a test calls it, so that every answer is expected. */
function onDemandOf({ placesRequests, deliversEvents, searchWaitsForChanges = isCluster }: TestServiceOptions) {
  const onDemand = new Set<OnDemand>(['news'])
  if (!placesRequests) onDemand.add('placing')
  if (!deliversEvents) onDemand.add('events')
  if (searchWaitsForChanges) onDemand.add('search index')
  return onDemand
}

const overridesOf = (options: TestServiceOptions, lent: Lent): ServiceOverrides => ({
  ...(options.clock ? { clock: options.clock } : {}),
  platforms: {
    ...(options.platforms ? { adapters: options.platforms } : {}),
    ...(options.sourceKinds ? { sourceKinds: options.sourceKinds } : {}),
    ...(options.platformTimeScale ? { timeScale: options.platformTimeScale } : {}),
    ...(options.platformTimeouts ? { timeouts: options.platformTimeouts } : {}),
    ...(options.platformResolver ? { resolver: options.platformResolver } : {}),
    ...(options.unreachableMs ? { unreachableMs: options.unreachableMs } : {}),
  },
  ...(options.expansion ? { expansion: options.expansion } : {}),
  onDemand: onDemandOf(options),
  open: watched(options.onStatement, lent.open),
})

/** Starts the real service on a database of the backend under test, listening on a free port. */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const lent = await lendDatabase(options)
  const apiKey = generateApiKey()
  const config = configOf(options, lent, apiKey)
  const log = options.log ?? pino({ level: config.logLevel })
  const start = (used = config) => startService(used, log, failTest, overridesOf(options, lent))
  let service = await start()
  const clientFor = (key: string | null) => createTestClient(() => service.address ?? '', key)
  const admin = clientFor(testAdminKey)

  return {
    get url() {
      return service.address ?? ''
    },
    get database() {
      return service.database.database
    },
    get opened() {
      return service.database
    },
    get metricsAddress() {
      return service.metricsAddress
    },
    apiKey,
    adminKey: testAdminKey,
    config,
    client: clientFor(apiKey),
    clientFor,
    createAccount: async (tier = 'max') => {
      const { body } = await admin.post('/api/admin/accounts', { name: `a ${tier} account`, tier })
      const made = body.data as { accountId: string; apiKey: string }
      return { ...made, client: clientFor(made.apiKey) }
    },
    restart: async (environment = {}) => {
      await service.stop()
      await lent.reopen()
      const changed = { ...options, environment: { ...options.environment, ...environment } }
      service = await start(configOf(changed, lent, apiKey))
    },
    runMaintenance: () => service.runMaintenance(),
    placeRequests: () => service.placeRequests(),
    runDueWatches: () => service.runDueWatches(),
    reportNews: () => service.reportNews(),
    deliverEvents: () => service.deliverEvents(),
    reset: async () => {
      const { database } = service.database
      await emptyDatabase(database)
      await bootstrapFirstAccount(database, { apiKey, tier: config.bootstrapTier, now: new Date() })
    },
    stop: async () => {
      await service.stop()
      await lent.remove()
    },
  }
}
