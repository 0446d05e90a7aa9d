import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { OnDemand } from '../src/app/compose-service.ts'
import { readConfig } from '../src/app/config.ts'
import { type Service, startService } from '../src/app/service.ts'
import type { Database } from '../src/database/open.ts'
import { countTexts } from '../src/requests/words/uncounted-texts.ts'
import type { Corpus } from './engines/corpus.ts'
import { createLoader } from './engines/load.ts'
import { batchSize, fill, type Line, mb, measure, measureBare, ms, resultLimit } from './search-measure.ts'
import type { Row } from './search-rows.ts'

const apiKey = `ww_live_${'b'.repeat(32)}`

const path = '/api/v1/requests/search'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
const bodyOf = (query: string, more = {}) => JSON.stringify({ query, limit: resultLimit, ...more })

/** Runs the service with its own account and without limits while `use` measures it. */
async function withService<T>(
  dataDir: string,
  cachesResponses: boolean,
  use: (service: Service, startSeconds: number) => Promise<T>,
): Promise<T> {
  const read = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-bench',
  })
  const onCrash = (error: Error) => {
    throw error
  }
  const requestLimits = { ofTier: () => 1e9, polls: 1e9, page: 1e9, feedback: 1e9, withoutKey: 1e9, files: 1_000_000 }
  const startedAt = performance.now()
  // Only searches are measured; bench/wishes.ts measures how requests are placed in wishes, and searches meanwhile.
  const config = { ...read, requestLimits, cachesResponses }
  const onDemand = new Set<OnDemand>(['placing'])
  const service = await startService(config, pino({ level: 'silent' }), onCrash, { onDemand })
  try {
    return await use(service, (performance.now() - startedAt) / 1_000)
  } finally {
    await service.stop()
  }
}

type Loaded = Awaited<ReturnType<typeof fill>>

async function load(corpus: Corpus, size: number, firstQuery: string, { address, database }: Service): Promise<Loaded> {
  const search = async () => (await fetch(address + path, { method: 'POST', headers, body: bodyOf(firstQuery) })).text()
  // A load that was interrupted goes on.
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from requests`.execute(database.database)
  const from = rows[0]!.count - (rows[0]!.count % batchSize)
  const loaded = await fill(corpus, size, await createLoader(database.database), search, from)
  // Else it would go on while searches are measured.
  await countTexts(database.database)
  await sql`analyze`.execute(database.database)
  return loaded
}

const measureList = (url: string, seconds: number) =>
  measure({ url, seconds, method: 'GET', path: `/api/v1/requests?limit=${resultLimit}`, headers, bodies: [] })

type Measurement = Awaited<ReturnType<typeof measure>>

const lineOf = (what: string, { times, perSecond }: Measurement): Line => [what, ...times, perSecond.toFixed(0)]

/** Searches and lists without the response cache. */
async function measureUncached({ address, database }: Service, size: number, rows: readonly Row[], seconds: number) {
  const url = address!
  const lines: Line[] = []
  let commonWord: Measurement | null = null
  for (const { what, more, queries } of rows) {
    const bodies = queries.map((query) => bodyOf(query, more))
    const result = await measure({ url, seconds, method: 'POST', path, headers, bodies })
    if (what === 'one common word') commonWord = result
    lines.push(lineOf(what, result))
    console.log(`${size} Wishwell: ${lines.at(-1)!.join(' | ')}`)
  }
  lines.push(lineOf('list of 20, newest', await measureList(url, seconds)))
  return { lines, commonWord: commonWord!, sizes: await readSizes(database.database) }
}

/** The same answers from the response cache. */
async function measureCached({ address }: Service, queries: readonly string[], seconds: number) {
  const url = address!
  const bodies = queries.map((query) => bodyOf(query))
  const search = await measure({ url, seconds, method: 'POST', path, headers, bodies })
  return { search, list: await measureList(url, seconds) }
}

function shareLines(
  bare: Measurement,
  commonWord: Measurement,
  { search, list }: Record<'search' | 'list', Measurement>,
) {
  const ofBare = ({ perSecond }: Measurement) => `${((100 * perSecond) / bare.perSecond).toFixed(1)} %`
  return [
    ['of the bare route: searches, one common word', '', '', '', ofBare(commonWord)],
    ['of the bare route: asked before, search and list', '', '', '', `${ofBare(search)}, ${ofBare(list)}`],
  ]
}

/** Measures the service itself. @param keptIn where a loaded database is stored and reused; it is temporary without it. */
export async function measureWishwell(
  corpus: Corpus,
  size: number,
  rows: readonly Row[],
  { keptIn, seconds }: { keptIn: string | undefined; seconds: number },
): Promise<{ lines: Line[]; facts: Line }> {
  const kept = keptIn === undefined ? null : join(keptIn, `search-${size}`)
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'wishwell-bench-search-'))
  mkdirSync(dataDir, { recursive: true })
  const marker = join(dataDir, 'loaded.json')
  const { queries } = rows[1]!
  try {
    await withService(dataDir, false, async (service) => {
      if (existsSync(marker)) return
      writeFileSync(marker, JSON.stringify(await load(corpus, size, queries[0]!, service)))
    })
    const { loadSeconds, loadedBefore, betweenMs } = JSON.parse(readFileSync(marker, 'utf8')) as Loaded
    // A start of its own, because the merges that the load left over are done at the next start.
    const { lines, commonWord, sizes, startSeconds } = await withService(dataDir, false, async (service, took) => ({
      ...(await measureUncached(service, size, rows, seconds)),
      startSeconds: took,
    }))
    const cached = await withService(dataDir, true, async (service) => ({
      ...(await measureCached(service, queries, seconds)),
      // While the service runs: its database is a part of this process.
      memory: mb(process.memoryUsage().rss),
    }))
    const bare = await measureBare(commonWord.bytes, seconds)
    lines.push(lineOf('two common words, asked before', cached.search))
    lines.push(lineOf('list of 20, newest, asked before', cached.list))
    lines.push(lineOf(`bare Fastify route, ${(commonWord.bytes / 1_000).toFixed(0)} kB`, bare))
    lines.push(...shareLines(bare, commonWord, cached))
    const index = `${mb(sizes.search)} in ${sizes.segments} segments, vocabulary ${mb(sizes.words)}`
    const resumed = loadedBefore > 0 ? ` from ${loadedBefore} documents on` : ''
    const loaded = `${loadSeconds.toFixed(0)} s${resumed} (next start ${startSeconds.toFixed(1)} s)`
    return { lines, facts: ['Wishwell', loaded, ms(betweenMs), index, cached.memory] }
  } finally {
    if (kept === null) rmSync(dataDir, { recursive: true, force: true })
  }
}

async function readSizes(database: Database) {
  const { rows } = await sql<{ search: number; words: number; segments: number }>`
    select pg_relation_size('request_texts_bm25') as search, pg_total_relation_size('search_words') as words,
      (select sum(count) from unnest(bm25_level_counts('request_texts_bm25')) as count)::integer as segments`.execute(
    database,
  )
  return rows[0]!
}
