import type { Corpus } from '../engines/corpus.ts'
import { postgresMs, processMs } from '../processor-time.ts'
import { percentile } from '../report.ts'
import type { Load } from '../search-client.ts'
import { call, resultLimit } from '../search-measure.ts'
import { type Row, rowsOf } from '../search-rows.ts'
import type { BenchCluster } from './cluster.ts'
import type { Progress } from './progress.ts'
import type { Processors, SearchFigures } from './results.ts'
import { type RunningService, searchHeaders, searchPath } from './service.ts'

// How fast a service searches, through HTTP, and which requests are its ten best.

/** Those of the queries of bench/search.ts that are measured, with the same words. */
const measured = [
  'one common word',
  'two common words',
  'four common words',
  'one rare word',
  'two common words, platform and votes',
  'two common words by votes',
  'four common words by date',
  'two common words, four facets',
  'two common words, grouped by wish',
]
/** In the other orders most requests are equal, and follow in the order of ids that differ. */
const ranked = measured.slice(0, 5)
const bestCount = 10

export const measuredRows = (corpus: Corpus): Row[] => rowsOf(corpus).filter(({ what }) => measured.includes(what))

export interface Machines {
  service: RunningService
  /** Null for the embedded service. */
  databaseUrl: string | null
  /** Null without OpenSearch. */
  cluster: BenchCluster | null
}

const usedBy = async ({ service, databaseUrl, cluster }: Machines): Promise<Processors> => ({
  service: processMs(service.pid),
  postgres: databaseUrl === null ? null : await postgresMs(databaseUrl),
  openSearch: cluster === null ? null : await cluster.cpuMs(),
})

function perCall(before: Processors, after: Processors, calls: number): Processors {
  const mean = (from: number | null, to: number | null) => (from === null || to === null ? null : (to - from) / calls)
  return {
    service: (after.service - before.service) / calls,
    postgres: mean(before.postgres, after.postgres),
    openSearch: mean(before.openSearch, after.openSearch),
  }
}

const loadOf = ({ more = {}, queries }: Row, { service }: Machines, seconds: number): Omit<Load, 'clients'> => ({
  url: service.url,
  method: 'POST',
  path: searchPath,
  headers: searchHeaders,
  bodies: queries.map((query) => JSON.stringify({ query, limit: resultLimit, ...more })),
  seconds,
})

/** Calls by one client and by eight, for some seconds each, after a third of that to warm up. */
async function measureRow(row: Row, machines: Machines, seconds: number) {
  const { what } = row
  const load = loadOf(row, machines, seconds)
  await call({ ...load, clients: 1, seconds: seconds / 3 })
  const before = await usedBy(machines)
  const calls = [await call({ ...load, clients: 1 }), await call({ ...load, clients: 8 })]
  const after = await usedBy(machines)
  for (const { failed, failure } of calls) {
    if (failed > 0) throw new Error(`${failed} searches of ${what} failed: ${failure}`)
  }
  const [one, eight] = calls.map(({ times, seconds: took }) => ({
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    perSecond: times.length / took,
  }))
  const total = calls.reduce((sum, { times }) => sum + times.length, 0)
  return { query: what, one: one!, eight: eight!, processors: perCall(before, after, total) }
}

/** Measures all queries, after all of them have run for a while: a Java machine compiles what it runs often, which takes a minute of CPU. */
export async function measureSearches(
  rows: readonly Row[],
  machines: Machines,
  { seconds, progress }: { seconds: number; progress: Progress },
): Promise<SearchFigures[]> {
  for (const row of rows) await call({ ...loadOf(row, machines, 2 * seconds), clients: 8 })
  const figures: SearchFigures[] = []
  for (const row of rows) {
    figures.push(await measureRow(row, machines, seconds))
    progress.advance()
  }
  return figures
}

/** The ten best of each ranked query. */
export type BestOf = Map<string, string[][]>

export async function readBest(rows: readonly Row[], service: RunningService): Promise<BestOf> {
  const best: BestOf = new Map()
  for (const { what, more = {}, queries } of rows) {
    if (!ranked.includes(what)) continue
    const lists: string[][] = []
    for (const query of queries) {
      const { results } = await service.search({ query, limit: bestCount, ...more })
      lists.push(results.map(({ sourceUrl }) => sourceUrl))
    }
    best.set(what, lists)
  }
  return best
}

/** The mean share of the ten best of one setup that another one has as well, by query. */
export function overlapOf(best: BestOf, others: BestOf): Record<string, number> {
  const shareOf = (list: readonly string[], other: readonly string[]) =>
    list.length === 0 ? 1 : list.filter((url) => other.includes(url)).length / list.length
  return Object.fromEntries(
    [...best].map(([what, lists]) => {
      const shares = lists.map((list, index) => shareOf(list, others.get(what)?.[index] ?? []))
      return [what, shares.reduce((sum, share) => sum + share, 0) / shares.length]
    }),
  )
}
