import { pino } from 'pino'
import { inject } from 'vitest'
import type { Database } from '../src/database/open.ts'
import { type ClusterSearch, openClusterSearch } from '../src/search/opensearch/cluster-search.ts'
import { openSearchIndex, type SearchIndex } from '../src/search/search-index.ts'
import { hasBm25 } from './database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The addresses of a search cluster as in `SEARCH_URL`; absent where the database searches. */
    searchCluster?: string
  }
}

/** Whether the search under test is a cluster (the nightly part `opensearch`). */
export const isCluster = process.env.TEST_SEARCH === 'opensearch'

/** What a service that has all it needs says of its search. */
export const searchKind = isCluster ? 'opensearch' : hasBm25 ? 'bm25' : 'tsvector'

/** What makes the search of a service the one under test. */
export const searchEnvironment = (): Record<string, string> => {
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

/** Opens the search index under test: that of the database, or one outside of it that has all changes before each search. */
export async function openTestSearchIndex(database: Database): Promise<SearchIndex> {
  return isCluster ? (await openTestCluster(database)).searchIndex : openSearchIndex(database)
}
