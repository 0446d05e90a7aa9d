import { setTimeout as sleep } from 'node:timers/promises'
import type { RouteDependencies } from '../../accounts/authentication.ts'
import { freeBytes } from '../../database/embedded/free-space.ts'
import type { Database, DatabaseBackend } from '../../database/open.ts'
import type { App } from '../../http/app-type.ts'
import type { Health } from '../../http/health.ts'
import { reading } from '../../http/schemas.ts'
import type { HostMemoryStore } from '../../platforms/budget/host-memory.ts'
import type { StatusOptions } from '../../platforms/status.ts'
import { createCoalescedReads } from '../../runtime/request-coalescing.ts'
import type { ClusterSearch } from '../../search/opensearch/cluster-search.ts'
import { readStatus } from '../../search/opensearch/status.ts'
import type { Backups } from '../backup/backup.ts'
import { sizeCollector } from '../metrics/gauges.ts'
import { readBacklogs } from './backlogs.ts'
import { readCorrections } from './corrections.ts'
import { readFailingChannels, readFailingPlatforms } from './failures.ts'
import { type Overview, overview } from './schemas.ts'

export interface OverviewDependencies extends Omit<RouteDependencies, 'idempotent'> {
  backend: DatabaseBackend
  health: () => Promise<Health>
  /** The embedded database's directory, and the keys'. */
  dataDir: string
  /** Texts that the model may judge per UTC day; 0 for none. */
  judgedPerDay: number
  /** Null if the database searches. */
  searchCluster: ClusterSearch | null
  platformsConfig: StatusOptions['config']
  hosts: StatusOptions['hosts']
  hostMemory: HostMemoryStore
  backups: Backups
}

const clusterWaitMs = 2_000

/** Registers the operator's overview. */
export function registerOverviewRoute(app: App, dependencies: OverviewDependencies): void {
  const { clock, authentication } = dependencies
  const startedAt = clock.now().toISOString()
  // Reloading a slow page must not make it slower.
  const share = createCoalescedReads()
  app.get('/api/admin/overview', {
    onRequest: authentication.requireAdmin,
    schema: {
      operationId: 'readOverview',
      summary: 'Read how the service is: what runs, waits and fails, the last backup, corrections and purges',
      description: 'Its work is bounded, however much is stored: counts end at the maximum that they say.',
      tags: ['Admin'],
      security: [{ adminKey: [] }],
      response: reading(overview),
    },
    handler: async () => ({ data: await share('overview', () => readOverview(dependencies, startedAt)) }),
  })
}

/** Reads one part after the other: embedded, they would wait for each other anyway. */
async function readOverview(dependencies: OverviewDependencies, startedAt: string): Promise<Overview> {
  const { database, backend, clock, backups, judgedPerDay, platformsConfig: config, hosts } = dependencies
  const now = clock.now()
  const { ready, version, warnings, search: engine } = await dependencies.health()
  await dependencies.hostMemory.save()
  const backup = await backups.last()
  return {
    version,
    startedAt,
    isReady: ready,
    warnings,
    database: { backend, bytes: await readSize(database), freeBytes: await readFree(dependencies) },
    search: { engine, ...(await readSearch(dependencies)) },
    backlogs: await readBacklogs(database, { now, judgedPerDay }),
    platforms: await readFailingPlatforms({ database, config, hosts, now }),
    channels: await readFailingChannels(database),
    backup: backup && { lastAt: backup.at, missingKeys: backup.missingKeys },
    ...(await readCorrections(database)),
  }
}

const readSize = async (database: Database) => (await sizeCollector(database).read())[0]!.value

async function readFree({ backend, dataDir }: OverviewDependencies): Promise<number | null> {
  const free = backend === 'embedded' ? await freeBytes(dataDir) : Number.POSITIVE_INFINITY
  return Number.isFinite(free) ? free : null
}

/** The database is its own index, always complete. */
async function readSearch({ database, searchCluster }: OverviewDependencies) {
  if (searchCluster === null) return { isReady: true, unreadChanges: 0, lagMs: 0 }
  const late = new AbortController()
  const status = await Promise.race([
    readStatus(database, searchCluster.cluster),
    sleep(clusterWaitMs, null, { signal: late.signal }),
  ])
  late.abort()
  const serving = status?.indexes.find(({ state }) => state === 'serving')
  return {
    isReady: serving !== undefined && status?.isReachable === true,
    unreadChanges: serving?.unreadChanges ?? 0,
    lagMs: serving?.lagMs ?? 0,
  }
}
