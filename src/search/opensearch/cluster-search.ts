import type { Logger } from 'pino'
import type { Database } from '../../database/open.ts'
import { createSearchIndex, type SearchIndex } from '../search-index.ts'
import { type Cluster, createCluster } from './cluster.ts'
import { createIndexer, type Indexer } from './indexer.ts'
import { requireIndex } from './indexes.ts'
import { createClusterEngine } from './opensearch-engine.ts'

export interface ClusterSearchOptions {
  database: Database
  /** The addresses of the nodes. */
  nodes: readonly string[]
  shards: number
  log: Pick<Logger, 'info' | 'warn'>
  /** For tests: updates the index before each search, so that they find what they just stored. */
  waitsForChanges?: boolean
}

/** The search of a service whose index is in a cluster. */
export interface ClusterSearch {
  searchIndex: SearchIndex
  cluster: Cluster
  /** The name in the cluster that stands for the index that serves. */
  alias: () => Promise<string>
  indexer: Indexer
  shards: number
  /** Ends the indexer and the connections. */
  close(): Promise<void>
}

/** Before each search, brings the index up to date; for tests. */
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
