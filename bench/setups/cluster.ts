import {
  type OpenSearchCluster,
  prepareOpenSearch,
  startOpenSearch as startNodes,
} from '../../test/opensearch/cluster.ts'

/** The OpenSearch of two nodes that the tests use, and the CPU time of its nodes. */
export interface BenchCluster extends Pick<OpenSearchCluster, 'url' | 'stop'> {
  /** Of both nodes so far, in milliseconds. */
  cpuMs(): Promise<number>
}

/** @returns why there is none, where Java or Maven are missing. */
export async function startCluster(): Promise<BenchCluster | string> {
  const missing = prepareOpenSearch()
  if (missing !== null) return missing
  const cluster = await startNodes()
  await cluster.waitForNodes(2)
  const [node] = cluster.url.split(',')
  return {
    url: cluster.url,
    stop: cluster.stop,
    cpuMs: async () => {
      const response = await fetch(`${node}/_nodes/stats/process`)
      const { nodes } = (await response.json()) as {
        nodes: Record<string, { process: { cpu: { total_in_millis: number } } }>
      }
      return Object.values(nodes).reduce((sum, { process }) => sum + process.cpu.total_in_millis, 0)
    },
  }
}
