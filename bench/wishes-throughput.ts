import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { type CorpusDatabase, openCorpusDatabase } from '../scripts/wishes/corpus-database.ts'
import { createWordCounter } from '../src/wishes/pairs/rarity.ts'
import { pauseFactor, placeSlice } from '../src/wishes/placing/placing.ts'
import { type Corpus, corpusFile, readCorpus } from './engines/corpus.ts'

const batch = 5_000
const measuredPlaced = 1_000
const idleSearches = 300

/** Searches of two common words, one after the other, until `isOver`. @returns how long each took, in ms. */
async function search(
  { database, searchIndex }: CorpusDatabase,
  { frequentWords }: Corpus,
  isOver: (n: number) => boolean,
) {
  const times: number[] = []
  while (!isOver(times.length)) {
    const word = (index: number) => frequentWords[(times.length * 7 + index * 13) % 200]!
    const startedAt = performance.now()
    await searchIndex.search(database, { query: `${word(0)} ${word(1)}`, offset: 0, limit: 20 })
    times.push(performance.now() - startedAt)
    // A page of a person, not a flood: else there is no idle time to place in.
    await sleep(5)
  }
  return times
}

const quantiles = (times: readonly number[]) => {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)]?.toFixed(1)
  return `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`
}

async function place(
  { database, searchIndex }: CorpusDatabase,
  pause: (tookMs: number) => Promise<unknown>,
): Promise<{ placed: number; seconds: number; cpuMs: number }> {
  const words = createWordCounter()
  const onError = (error: unknown) => console.error(error)
  const [startedAt, cpuBefore] = [performance.now(), process.cpuUsage()]
  for (let placed = 0; ; ) {
    const slice = await placeSlice({ database, searchIndex, words, pause, onError })
    placed += slice?.placed ?? 0
    if (slice !== null && placed < measuredPlaced) continue
    const { user, system } = process.cpuUsage(cpuBefore)
    return { placed, seconds: (performance.now() - startedAt) / 1_000, cpuMs: (user + system) / 1_000 / placed }
  }
}

/** How many requests are placed in a second with so many in the cache, and how long searches take meanwhile. */
export async function measureThroughput(requests: number): Promise<void> {
  if (!existsSync(corpusFile)) return console.error(`skipped: there is no corpus at ${corpusFile}`)
  const texts = readCorpus()
  const corpus = await openCorpusDatabase()
  try {
    for (let from = 0; from < requests; from += batch) {
      const numbers = Array.from({ length: Math.min(batch, requests - from) }, (_, index) => from + index)
      await corpus.store(numbers.map((number) => texts.document(number)))
    }
    await sql`analyze`.execute(corpus.database)
    const idle = await search(corpus, texts, (done) => done >= idleSearches)
    const alone = await place(corpus, async () => {})
    console.log(
      `${requests} requests; nothing else: ${(alone.placed / alone.seconds).toFixed(0)} placed in a second, ${alone.cpuMs.toFixed(1)} ms of CPU each`,
    )
    let isOver = false
    const [{ placed, seconds }, busy] = await Promise.all([
      place(corpus, (tookMs) => sleep(tookMs * pauseFactor)).finally(() => {
        isOver = true
      }),
      search(corpus, texts, () => isOver),
    ])
    console.log(`beside searches: ${(placed / seconds).toFixed(0)} placed in a second`)
    console.log(`searches: idle ${quantiles(idle)}; while requests are placed ${quantiles(busy)}`)
  } finally {
    await corpus.close()
  }
}
