import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { inject } from 'vitest'
import { databaseIn } from '../src/database/embedded/data-directory.ts'
import type { Database } from '../src/database/open.ts'
import { completeIndex } from '../src/requests/search/local/build.ts'
import { createFollower } from '../src/requests/search/local/follower.ts'
import { newIdentity, writeIdentity } from '../src/requests/search/local/identity.ts'
import { createLocalIndex, indexIn } from '../src/requests/search/local/local-index.ts'
import { createLocalSearch } from '../src/requests/search/local/local-search.ts'
import { type IndexStore, openStore } from '../src/requests/search/local/store.ts'
import { type ClusterSearch, openClusterSearch } from '../src/requests/search/opensearch/cluster-search.ts'
import { openSearchIndex, type SearchIndex } from '../src/requests/search/search-index.ts'
import { endBeforeClosing, hasBm25 } from './database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The addresses of a search cluster as in `SEARCH_URL`; absent where the database searches. */
    searchCluster?: string
    /** A directory with an index of a process that has no requests, made once a run; absent where no process has an index. */
    searchIndexTemplate?: string
  }
}

/** Whether the search under test is a cluster (the project `opensearch`). */
export const isCluster = process.env.TEST_SEARCH === 'opensearch'

/** Whether it is an index in each process (the project `local`). */
export const isLocal = process.env.TEST_SEARCH === 'local'

/** Whether an index outside of the database is under test: it follows the log of changes. */
export const isOutsideDatabase = isCluster || isLocal

/** What a service that has all it needs says of its search. */
export const searchKind = isCluster ? 'opensearch' : isLocal ? 'local' : hasBm25 ? 'bm25' : 'tsvector'

/** What makes the search of a service the one under test. */
export const searchEnvironment = (): Record<string, string> => {
  if (isLocal) return { SEARCH_ENGINE: 'local' }
  const url = inject('searchCluster')
  return url === undefined ? {} : { SEARCH_URL: url, SEARCH_SHARDS: '2' }
}

/** A search in the cluster of the tests, which has all changes before each search. Its idle connections do not keep the process. */
export const openTestCluster = (database: Database, waitsForChanges = true): Promise<ClusterSearch> =>
  openClusterSearch({
    database,
    nodes: inject('searchCluster')!.split(','),
    shards: 2,
    log: pino({ level: 'silent' }),
    waitsForChanges,
  })

/** Puts an index without requests into a data directory, where processes have one: to make its database takes seconds. */
export function installTestIndex(dataDir: string): void {
  const template = inject('searchIndexTemplate')
  if (template === undefined) return
  const directory = indexIn(dataDir)
  mkdirSync(directory, { mode: 0o700 })
  cpSync(databaseIn(template), databaseIn(directory), { recursive: true })
  writeIdentity(directory, newIdentity())
}

/** An index beside a database, until the database is closed. Every search waits for it, and no other index answers. */
async function openTestLocalIndex(database: Database): Promise<SearchIndex> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-index-'))
  installTestIndex(dataDir)
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' })
  const index = createLocalIndex({ database, dataDir, log })
  endBeforeClosing(database, async () => {
    await index.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
  index.start()
  const search = createLocalSearch(await openSearchIndex(database), index, { waitsForIndex: true })
  await search.totals(database, { query: 'ready' })
  return search
}

/** The database of an index with all requests, which follows no changes; until the database of the requests is closed. */
export async function openTestStore(database: Database): Promise<IndexStore> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-index-'))
  installTestIndex(dataDir)
  const store = await openStore(indexIn(dataDir), () => {})
  endBeforeClosing(database, async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { consumer } = newIdentity()
  const follower = createFollower({ database, store, consumer })
  const { signal } = new AbortController()
  await completeIndex({ database, store, follower, consumer, signal, onCopied: () => {} })
  // As upkeep does when the index is idle.
  await store.client.exec('analyze')
  return store
}

/** Opens the search index under test: that of the database, or one outside of it that has all changes before each search. */
export async function openTestSearchIndex(database: Database): Promise<SearchIndex> {
  if (isLocal) return openTestLocalIndex(database)
  return isCluster ? (await openTestCluster(database)).searchIndex : openSearchIndex(database)
}
