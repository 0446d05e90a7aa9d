import type { TestProject } from 'vitest/node'
import '../search.ts'
import { startOpenSearch } from './cluster.ts'

/** Starts the cluster that the files of a run share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await startOpenSearch()
  await cluster.waitForNodes(2)
  project.provide('searchCluster', cluster.url)
  return cluster.stop
}
