import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { createSearchIndex, type SearchIndex } from '../search-index.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { requireIndex } from './indexes.ts'
import { createClusterEngine } from './opensearch-engine.ts'

export interface ClusterSearchOptions {
  database: Database
  nodes: readonly string[]
  shards: number
  log: Pick<Logger, 'info' | 'warn'>
  /** For tests: updates the index before each search, so that they find what they just stored. */
  waitsForChanges?: boolean
}

/** Search with an index in a cluster. */
export interface ClusterSearch {
  searchIndex: SearchIndex
  cluster: Cluster
  alias: () => Promise<string>
  indexer: Indexer
  shards: number
  close(): Promise<void>
}

/** For tests: updates the index before each search. */
function createWaiting({ database, shards }: ClusterSearchOptions, cluster: Cluster, indexer: Indexer) {
  let present = Promise.resolve('')
  const bringUpToDate = async () => {
    const alias = await requireIndex(database, shards)
    await indexer.catchUp()
    await cluster.refresh(alias)
    return alias
  }
  return () => {
    present = present.catch(() => {}).then(bringUpToDate)
    return present
  }
}

/** Sets up cluster search. Searches throw SEARCH_UNAVAILABLE until the cluster runs and has its index. */
export async function openClusterSearch(options: ClusterSearchOptions): Promise<ClusterSearch> {
  const { database, nodes, shards, log, waitsForChanges = false } = options
  const cluster = await createCluster(nodes)
  const indexer = createIndexer({ database, cluster, log })
  const name = await requireIndex(database, shards)
  const alias = waitsForChanges ? createWaiting(options, cluster, indexer) : async () => name
  return {
    searchIndex: createSearchIndex(createClusterEngine({ cluster, alias })),
    cluster,
    alias,
    indexer,
    shards,
    close: async () => {
      await indexer.stop()
      await cluster.close()
    },
  }
}
