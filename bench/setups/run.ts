import { join } from 'node:path'
import type { Corpus } from '../engines/corpus.ts'
import { type Setup, setups } from '../growth/estimate.ts'
import type { BenchCluster } from './cluster.ts'
import {
  type BenchServer,
  bytesIn,
  databaseBytes,
  load,
  openEmbedded,
  openPostgres,
  relationBytes,
  startServer,
} from './databases.ts'
import { deleteOwnRequests } from './own-requests.ts'
import type { Progress } from './progress.ts'
import { measureQuality, missingCollections } from './quality.ts'
import type { Results, SetupResult, Visibility } from './results.ts'
import { type BestOf, measuredRows, measureSearches, overlapOf, readBest } from './searches.ts'
import { type RunningSetup, type Stored, startSetup } from './setups.ts'
import { measureVisibility } from './visibility.ts'

export interface RunOptions {
  chosen: readonly Setup[]
  cluster: BenchCluster | null
  corpus: Corpus
  size: number
  /** Of each measurement of a query. */
  seconds: number
  /** Of each measurement of visibility; 0 for none. */
  rounds: number
  /** Requests a second that a writer stores meanwhile. */
  written: number
  /** Where the databases stay; without it they are temporary. */
  kept: string | undefined
  hasQuality: boolean
  progress: Progress
}

type Measured = Pick<Results, 'size' | 'loaded' | 'sizes' | 'setups' | 'skipped'>

/** The setups whose index follows the database: in the others a search sees what is committed. */
const followers: readonly Setup[] = ['local', 'openSearch']

async function storeEmbedded(directory: string, { corpus, size, progress }: RunOptions) {
  const { database, close } = await openEmbedded(directory)
  try {
    const how = { marker: `${directory}.json`, progress, name: `${setups.embedded}: storing` }
    const loaded = await load(database, { size, document: corpus.document }, how)
    return { loaded, index: await relationBytes(database, 'request_texts_bm25') }
  } finally {
    await close()
  }
}

async function storeInPostgres(stored: Stored, { corpus, size, progress }: RunOptions) {
  const { database, directory } = stored
  const how = { marker: `${directory}.postgres.json`, progress, name: 'Postgres: storing' }
  const loaded = await load(database, { size, document: corpus.document }, how)
  await deleteOwnRequests(database)
  const indexes = await relationBytes(database, 'searchable_requests_weights')
  return {
    loaded,
    bytes: (await databaseBytes(database)) - indexes,
    copies: await relationBytes(database, 'searchable_requests'),
  }
}

async function measureFollowing(
  { service }: RunningSetup,
  { database, databaseUrl }: Stored,
  { rounds, written, progress }: RunOptions,
): Promise<Visibility[]> {
  if (rounds === 0) return []
  const options = { service, database, databaseUrl, rounds, progress }
  return [await measureVisibility({ ...options, written: 0 }), await measureVisibility({ ...options, written })]
}

/** Measures a setup. @param ofEmbedded the best requests of the embedded service, where it is in the run. */
async function measureSetup(setup: Setup, stored: Stored, options: RunOptions, ofEmbedded: BestOf | null) {
  const { corpus, progress, seconds, rounds } = options
  const cluster = setup === 'openSearch' ? options.cluster : null
  const rows = measuredRows(corpus)
  progress.step(`${setups[setup]}: building its index`, 1)
  const running = await startSetup(setup, stored, cluster)
  try {
    progress.advance()
    const databaseUrl = setup === 'embedded' ? null : stored.databaseUrl
    progress.step(`${setups[setup]}: searching`, rows.length)
    const machines = { service: running.service, databaseUrl, cluster }
    const searches = await measureSearches(rows, machines, { seconds, progress })
    const best = await readBest(rows, running.service)
    const build = await running.build()
    const follows = followers.includes(setup)
    if (follows) progress.step(`${setups[setup]}: visibility`, 2 * rounds)
    const visibility = follows ? await measureFollowing(running, stored, options) : []
    const overlap = ofEmbedded === null ? null : overlapOf(ofEmbedded, best)
    const result: SetupResult = { setup, searches, overlap, build, visibility, quality: {} }
    return { result, best }
  } finally {
    await running.stop()
  }
}

/** What failed loses nothing of what was measured before. @returns the line of the report */
function failed(what: string, error: unknown, progress: Progress): string {
  const { message, stack } = error as Error
  progress.note(`${what}: ${stack}`)
  process.exitCode = 1
  return `${what}: it failed: ${message}`
}

/** Adds the quality of all setups, or says why it is missing. */
async function addQuality(results: SetupResult[], server: BenchServer, options: RunOptions): Promise<string[]> {
  if (!options.hasQuality) return ['quality: --no-quality']
  const missing = missingCollections()
  if (missing !== null) return [`quality: ${missing}`]
  const { cluster, progress } = options
  try {
    const qualities = await measureQuality({ setups: results.map(({ setup }) => setup), server, cluster, progress })
    for (const result of results) result.quality = qualities.get(result.setup) ?? {}
    return []
  } catch (error) {
    return [failed('quality', error, progress)]
  }
}

/** Stores the requests in both databases, and measures one setup after the other. One that fails is reported as skipped. */
export async function runSetups(options: RunOptions): Promise<Measured> {
  const { chosen, size, progress } = options
  const server = await startServer(options.kept)
  try {
    const directory = join(server.directory, `embedded-${size}`)
    const name = `requests_${size}`
    const embedded = await storeEmbedded(directory, options)
    const { database, close } = await openPostgres(server, name)
    const stored = { directory, databaseUrl: server.postgres.url(name), database }
    const postgres = await storeInPostgres(stored, options)
    const results: SetupResult[] = []
    const skipped: string[] = []
    let ofEmbedded: BestOf | null = null
    for (const setup of chosen) {
      try {
        const { result, best } = await measureSetup(setup, stored, options, ofEmbedded)
        results.push(result)
        if (setup === 'embedded') ofEmbedded = best
      } catch (error) {
        skipped.push(failed(setups[setup], error, progress))
      }
    }
    await close()
    skipped.push(...(await addQuality(results, server, options)))
    return {
      size,
      loaded: { embedded: embedded.loaded, postgres: postgres.loaded },
      sizes: {
        embedded: bytesIn(directory),
        embeddedIndex: embedded.index,
        postgres: postgres.bytes,
        copies: postgres.copies,
      },
      setups: results,
      skipped,
    }
  } finally {
    await server.stop()
  }
}
