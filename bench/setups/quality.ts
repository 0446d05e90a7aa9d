import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Setup } from '../growth/estimate.ts'
import { type JudgedCollection, judgedDirectory, ndcg, queryLimit, readCollection } from '../judged.ts'
import type { BenchCluster } from './cluster.ts'
import { type BenchServer, load, openEmbedded, openPostgres } from './databases.ts'
import type { Progress } from './progress.ts'
import type { Quality } from './results.ts'
import type { RunningService } from './service.ts'
import { startSetup } from './setups.ts'

// How well each setup ranks: nDCG@10 of the judged collections of bench/search-quality.ts, through HTTP.

export const collections = ['titanium-jira-dups-features', 'cranfield']
const rankCutoff = 10

/** Why there is none; null where it can be measured. */
export const missingCollections = (): string | null =>
  existsSync(judgedDirectory) ? null : `the judged collections are not at ${judgedDirectory}`

async function meanOf(service: RunningService, { queries, grades }: JudgedCollection): Promise<number> {
  const scores: number[] = []
  for (const { _id, text } of queries) {
    const query = [...text].slice(0, queryLimit).join('')
    const { results } = await service.search({ query, limit: rankCutoff })
    const ranking = results.map(({ sourceUrl }) => sourceUrl.replace('https://example.org/', ''))
    const score = ndcg(ranking, grades.get(_id) ?? new Map(), rankCutoff)
    if (score !== null) scores.push(score)
  }
  return scores.reduce((sum, score) => sum + score, 0) / scores.length
}

export interface QualityOptions {
  setups: readonly Setup[]
  server: BenchServer
  cluster: BenchCluster | null
  progress: Progress
}

/** Stores a collection in databases of its own and searches it in each setup. */
async function measureCollection(name: string, { setups, server, cluster, progress }: QualityOptions) {
  const collection = readCollection(name)
  const { documents } = collection
  const source = { size: documents.length, document: (number: number) => documents[number]! }
  const directory = join(server.directory, `judged-${name}`)
  const databaseName = `judged_${name}`
  const markerOf = (backend: string) => `${directory}.${backend}.json`
  const scores = new Map<Setup, number>()
  if (setups.includes('embedded')) {
    const embedded = await openEmbedded(directory)
    const how = { marker: markerOf('embedded'), progress, name: `${name}, embedded: storing` }
    await load(embedded.database, source, how).finally(embedded.close)
  }
  const opened = await openPostgres(server, databaseName)
  try {
    await load(opened.database, source, { marker: markerOf('postgres'), progress, name: `${name}, Postgres: storing` })
    const stored = { directory, databaseUrl: server.postgres.url(databaseName), database: opened.database }
    for (const setup of setups) {
      progress.step(`${name}, ${setup}: quality`, 1)
      const { service, stop } = await startSetup(setup, stored, cluster)
      scores.set(setup, await meanOf(service, collection).finally(stop))
      progress.advance()
    }
  } finally {
    await opened.close()
    await server.postgres.dropDatabase(databaseName)
    for (const path of [directory, markerOf('embedded'), markerOf('postgres')])
      rmSync(path, { recursive: true, force: true })
  }
  return scores
}

/** The mean nDCG@10 of each collection in each setup. */
export async function measureQuality(options: QualityOptions): Promise<Map<Setup, Quality>> {
  const qualities = new Map<Setup, Quality>(options.setups.map((setup) => [setup, {}]))
  for (const name of collections) {
    const scores = await measureCollection(name, options)
    for (const [setup, score] of scores) qualities.get(setup)![name] = score
  }
  return qualities
}
