import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../../src/database/open.ts'
import { chooseEngine } from '../../src/requests/search/engine-choice.ts'
import { indexIn } from '../../src/requests/search/local/local-index.ts'
import type { Setup } from '../growth/estimate.ts'
import { postgresMs, processMs } from '../processor-time.ts'
import type { BenchCluster } from './cluster.ts'
import { bytesIn, relationBytes } from './databases.ts'
import type { Build } from './results.ts'
import { type RunningService, startService } from './service.ts'

/** Where the same requests are: in an embedded database, which is closed, and in a Postgres. */
export interface Stored {
  directory: string
  databaseUrl: string
  database: Database
}

/** A service with its search index of all requests. */
export interface RunningSetup {
  service: RunningService
  /** Null for the embedded database, which has no such build. The bytes are of now: merges go on after a build. */
  build(): Promise<Build> | null
  stop(): Promise<void>
}

/** How often the progress of a build is read. */
const pollMs = 100
const maxBuildMs = 3_600_000
const seconds = (ms: number) => ms / 1_000

/** Runs a service on the Postgres, whose directory is temporary. */
async function startOnPostgres({ databaseUrl }: Stored, environment: Record<string, string>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-setups-'))
  const remove = () => rmSync(dataDir, { recursive: true, force: true })
  try {
    const service = await startService({ DATABASE_URL: databaseUrl, DATA_DIR: dataDir, ...environment })
    const stop = () => service.stop().finally(remove)
    return { dataDir, service: { ...service, stop } }
  } catch (error) {
    remove()
    throw error
  }
}

/** Ends what follows the log of changes: indexes of earlier setups, which nothing feeds any more. */
async function forgetIndexes(database: Database): Promise<void> {
  await sql`delete from search_consumers`.execute(database)
  await sql`delete from search_indexes`.execute(database)
  await sql`truncate search_changes`.execute(database)
}

/** Waits until a service has built its index. @throws when it fails or takes too long; the service is stopped then */
async function untilBuilt(service: RunningService, isBuilt: () => Promise<boolean>): Promise<void> {
  const since = performance.now()
  try {
    while (!(await isBuilt())) {
      if (performance.now() - since > maxBuildMs) throw new Error('the index was not built within an hour')
      await sleep(pollMs)
    }
  } catch (error) {
    await service.stop()
    throw error
  }
}

async function startEmbedded({ directory }: Stored): Promise<RunningSetup> {
  const service = await startService({ DATA_DIR: directory })
  return { service, build: () => null, stop: service.stop }
}

/** Postgres with an index of its own, which is built anew. */
async function startInDatabase(stored: Stored, engine: 'bm25' | 'tsvector'): Promise<RunningSetup> {
  const { database, databaseUrl } = stored
  const index = engine === 'bm25' ? 'request_texts_bm25' : 'searchable_requests_weights'
  const dropBm25 = () => sql`drop index if exists request_texts_bm25`.execute(database)
  await forgetIndexes(database)
  await dropBm25()
  await sql`drop index if exists ${sql.id(index)}`.execute(database)
  const [since, used] = [performance.now(), await postgresMs(databaseUrl)]
  await chooseEngine(database, { choice: engine, isShared: true, buildsFullIndex: true })
  const took = {
    seconds: seconds(performance.now() - since),
    cpuSeconds: seconds((await postgresMs(databaseUrl)) - used),
  }
  // The weights of words are an expression of the index, with statistics of its own.
  await sql`vacuum analyze searchable_requests, request_texts`.execute(database)
  const { service } = await startOnPostgres(stored, { SEARCH_ENGINE: engine })
  return {
    service,
    build: async () => ({ ...took, bytes: await relationBytes(database, index) }),
    stop: async () => {
      await service.stop()
      if (engine !== 'bm25') return
      // Every write of the other setups would have to maintain it.
      await dropBm25()
      await sql`delete from search_engine`.execute(database)
    },
  }
}

async function startLocal(stored: Stored): Promise<RunningSetup> {
  await forgetIndexes(stored.database)
  const { service, dataDir } = await startOnPostgres(stored, { SEARCH_ENGINE: 'local' })
  const [since, used] = [performance.now(), processMs(service.pid)]
  await untilBuilt(service, async () => (await service.readiness()).searchIndex?.state === 'ready')
  const took = { seconds: seconds(performance.now() - since), cpuSeconds: seconds(processMs(service.pid) - used) }
  return {
    service,
    build: async () => ({ ...took, bytes: bytesIn(indexIn(dataDir)) }),
    stop: async () => {
      await service.stop()
      await forgetIndexes(stored.database)
    },
  }
}

async function startOpenSearch(stored: Stored, cluster: BenchCluster): Promise<RunningSetup> {
  await forgetIndexes(stored.database)
  const [since, used] = [performance.now(), await cluster.cpuMs()]
  const { service } = await startOnPostgres(stored, { SEARCH_URL: cluster.url })
  await untilBuilt(service, async () => {
    const indexes = await service.clusterIndexes()
    return indexes.some(({ state, unreadChanges }) => state === 'serving' && unreadChanges === 0)
  })
  const took = {
    seconds: seconds(performance.now() - since),
    cpuSeconds: seconds((await cluster.cpuMs()) - used),
  }
  return {
    service,
    build: async () => ({ ...took, bytes: (await service.clusterIndexes())[0]?.bytes ?? 0 }),
    stop: async () => {
      await service.stop()
      await forgetIndexes(stored.database)
    },
  }
}

/** Starts a setup, and waits until its search index has all requests. @param cluster for OpenSearch only */
export function startSetup(setup: Setup, stored: Stored, cluster: BenchCluster | null): Promise<RunningSetup> {
  if (setup === 'embedded') return startEmbedded(stored)
  if (setup === 'local') return startLocal(stored)
  if (setup !== 'openSearch') return startInDatabase(stored, setup)
  if (cluster === null) throw new Error('OpenSearch needs a cluster')
  return startOpenSearch(stored, cluster)
}
