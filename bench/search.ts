import { fork } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { fastify } from 'fastify'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../src/config.ts'
import type { Database } from '../src/database/open.ts'
import { startService } from '../src/service.ts'
import { type Corpus, corpusFile, createRandom, readCorpus } from './engines/corpus.ts'
import type { BenchEngine } from './engines/engine.ts'
import { createFts5 } from './engines/fts5.ts'
import { createLoader } from './engines/load.ts'
import { createMiniSearch } from './engines/minisearch.ts'
import { createTsRank } from './engines/ts-rank.ts'
import { writeSection } from './report.ts'
import type { Load, Measured } from './search-client.ts'

// How fast the search is, through HTTP, beside other engines with the same texts and queries in the same run.
//   node bench/search.ts [--sizes 10k,100k,1M] [--engines wishwell,fts5,gin,minisearch] [--seconds 3] [--write]
//     [--data-dir DIR]   keeps the loaded database of each size there and takes it when it is there

const apiKey = `ww_live_${'b'.repeat(32)}`
const batchSize = 1_000
const resultLimit = 20

const { values: options } = parseArgs({
  options: {
    sizes: { type: 'string', default: '10k' },
    engines: { type: 'string', default: 'wishwell,fts5,gin,minisearch' },
    seconds: { type: 'string', default: '3' },
    write: { type: 'boolean', default: false },
    'data-dir': { type: 'string' },
  },
})
const seconds = Number(options.seconds)

function parseSize(text: string): number {
  const [, count, unit = ''] = /^(\d+)(k|M)?$/.exec(text) ?? []
  if (count === undefined) throw new Error(`--sizes: ${text} is not a number such as 500, 10k or 1M`)
  return Number(count) * (unit === 'M' ? 1_000_000 : unit === 'k' ? 1_000 : 1)
}

interface Row {
  what: string
  /** What is asked besides the words; only Wishwell can be asked so. */
  more?: Record<string, unknown>
  queries: string[]
}

/** Twenty queries of each kind, the same in every run. */
function rowsOf({ frequentWords, rareWords }: Corpus): Row[] {
  const random = createRandom(7)
  const pick = (from: readonly string[], count: number) =>
    Array.from({ length: count }, () => from[Math.floor(random() * from.length)]!).join(' ')
  const many = (make: () => string) => Array.from({ length: 20 }, make)
  const common = (count: number) => many(() => pick(frequentWords, count))
  return [
    { what: 'one common word', queries: common(1) },
    { what: 'two common words', queries: common(2) },
    { what: 'four common words', queries: common(4) },
    { what: 'eight common words', queries: common(8) },
    { what: 'thirty common words', queries: common(30) },
    { what: 'one rare word', queries: many(() => pick(rareWords, 1)) },
    {
      what: 'two common words, platform and votes',
      more: { filters: { platforms: ['github'], minVotes: 5 } },
      queries: common(2),
    },
    { what: 'two common words, one topic', more: { filters: { topic: 'topic 7' } }, queries: common(2) },
    { what: 'two common words by votes', more: { sortBy: 'votes' }, queries: common(2) },
    {
      what: 'two common words, one left out',
      more: {},
      queries: many(() => `${pick(frequentWords, 2)} -${pick(frequentWords, 1)}`),
    },
    {
      what: 'beginning of three letters',
      more: { prefix: true },
      queries: many(() => pick(frequentWords, 1).slice(0, 3)),
    },
    { what: 'two common words, highlighted', more: { highlight: true }, queries: common(2) },
    { what: 'nothing matches', more: {}, queries: many(() => `${pick(rareWords, 1)}qzx`) },
  ]
}

const client = fork(fileURLToPath(new URL('./search-client.ts', import.meta.url)))
const ask = (load: Load): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const onExit = () => reject(new Error('the client ended'))
    client.once('exit', onExit)
    client.once('message', (measured) => {
      client.off('exit', onExit)
      resolve(measured as Measured)
    })
    client.send(load)
  })

const percentile = (times: readonly number[], share: number) =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0
const ms = (time: number) => (time < 10 ? time.toFixed(1) : time.toFixed(0))
const mb = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

/** A line of a table: p50, p95 and p99 of one client, and calls a second of sixteen. */
async function measure(load: Omit<Load, 'clients' | 'seconds'>) {
  // Warm.
  await ask({ ...load, clients: 1, seconds: seconds / 3 })
  const one = await ask({ ...load, clients: 1, seconds })
  const sixteen = await ask({ ...load, clients: 16, seconds })
  if (one.failed + sixteen.failed > 0) throw new Error(`${one.failed + sixteen.failed} calls failed: ${load.bodies[0]}`)
  const times = [0.5, 0.95, 0.99].map((share) => ms(percentile(one.times, share)))
  return { times, perSecond: sixteen.times.length / sixteen.seconds, bytes: one.bytes }
}

/** Loads an engine in batches and searches between two of them. */
async function fill(corpus: Corpus, size: number, load: BenchEngine['load'], search: () => Promise<unknown>) {
  const between: number[] = []
  const since = performance.now()
  for (let start = 0; start < size; start += batchSize) {
    const count = Math.min(batchSize, size - start)
    await load(Array.from({ length: count }, (_, index) => corpus.document(start + index)))
    const asked = performance.now()
    await search()
    between.push(performance.now() - asked)
  }
  const loadSeconds = (performance.now() - since) / 1_000
  return {
    loadSeconds,
    betweenMs: percentile(
      between.sort((a, b) => a - b),
      0.99,
    ),
  }
}

type Line = string[]

/** The service itself, with its own account, limits lifted. */
async function measureWishwell(
  corpus: Corpus,
  size: number,
  rows: readonly Row[],
): Promise<{ lines: Line[]; facts: Line }> {
  const kept = options['data-dir'] === undefined ? null : join(options['data-dir'], `search-${size}`)
  const dataDir = kept ?? mkdtempSync(join(tmpdir(), 'wishwell-bench-search-'))
  mkdirSync(dataDir, { recursive: true })
  const marker = join(dataDir, 'loaded.json')
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-bench',
  })
  const start = (keepsAnswers: boolean) =>
    startService(
      config,
      pino({ level: 'silent' }),
      (error) => {
        throw error
      },
      { requestLimits: { ofTier: () => 1e9, polls: 1e9, withoutKey: 1e9 }, keepsAnswers },
    )
  let service = await start(false)
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const path = '/api/v1/requests/search'
  const bodyOf = (query: string, more = {}) => JSON.stringify({ query, limit: resultLimit, ...more })
  try {
    if (!existsSync(marker)) {
      const search = () =>
        fetch(service.address + path, { method: 'POST', headers, body: bodyOf(rows[1]!.queries[0]!) }).then((answer) =>
          answer.text(),
        )
      const filled = await fill(corpus, size, await createLoader(service.database.database), search)
      await sql`analyze`.execute(service.database.database)
      writeFileSync(marker, JSON.stringify(filled))
    }
    // As after any start: what took too long beside the loading is done before the service listens.
    await service.stop()
    const startedAt = performance.now()
    service = await start(false)
    const startSeconds = (performance.now() - startedAt) / 1_000
    const { loadSeconds, betweenMs } = JSON.parse(readFileSync(marker, 'utf8')) as Awaited<ReturnType<typeof fill>>
    const lines: Line[] = []
    let [answerBytes, perSecond] = [0, 0]
    for (const { what, more, queries } of rows) {
      const result = await measure({
        url: service.address!,
        method: 'POST',
        path,
        headers,
        bodies: queries.map((query) => bodyOf(query, more)),
      })
      if (what === 'one common word') [answerBytes, perSecond] = [result.bytes, result.perSecond]
      lines.push([what, ...result.times, result.perSecond.toFixed(0)])
      console.log(`${size} Wishwell: ${lines.at(-1)!.join(' | ')}`)
    }
    const list = { method: 'GET', path: `/api/v1/requests?limit=${resultLimit}`, headers, bodies: [] } as const
    const listed = await measure({ ...list, url: service.address! })
    const sizes = await readSizes(service.database.database)
    await service.stop()
    service = await start(true)
    const url = service.address!
    const bodies = rows[1]!.queries.map((query) => bodyOf(query))
    const keptSearch = await measure({ url, method: 'POST', path, headers, bodies })
    const keptList = await measure({ ...list, url })
    const bare = await measureBare(answerBytes)
    lines.push(['list of 20, newest', ...listed.times, listed.perSecond.toFixed(0)])
    lines.push(['two common words, asked before', ...keptSearch.times, keptSearch.perSecond.toFixed(0)])
    lines.push(['list of 20, newest, asked before', ...keptList.times, keptList.perSecond.toFixed(0)])
    lines.push([`bare Fastify route, ${(answerBytes / 1_000).toFixed(0)} kB`, ...bare.times, bare.perSecond.toFixed(0)])
    const ofBare = (calls: number) => `${((100 * calls) / bare.perSecond).toFixed(1)} %`
    lines.push(['of the bare route: searches, one common word', '', '', '', ofBare(perSecond)])
    lines.push([
      'of the bare route: asked before, search and list',
      '',
      '',
      '',
      `${ofBare(keptSearch.perSecond)}, ${ofBare(keptList.perSecond)}`,
    ])
    const index = `${mb(sizes.search)} in ${sizes.segments} segments, vocabulary ${mb(sizes.words)}`
    const loaded = `${loadSeconds.toFixed(0)} s (next start ${startSeconds.toFixed(1)} s)`
    return { lines, facts: ['Wishwell', loaded, ms(betweenMs), index, mb(process.memoryUsage().rss)] }
  } finally {
    await service.stop()
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

/** A route that does nothing but answer with so many bytes, in the same framework and process. */
async function measureBare(bytes: number) {
  const app = fastify()
  const results = Array.from({ length: resultLimit }, () => ({ text: 'x'.repeat(Math.round(bytes / resultLimit)) }))
  app.post('/search', async () => ({ data: { results } }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  try {
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
    return await measure({
      url,
      method: 'POST',
      path: '/search',
      headers: { 'content-type': 'application/json' },
      bodies: ['{}'],
    })
  } finally {
    await app.close()
  }
}

/** Another engine behind a bare route. */
async function measureOther(engine: BenchEngine, corpus: Corpus, size: number, rows: readonly Row[]) {
  const app = fastify()
  app.post<{ Body: { query: string } }>('/search', async ({ body }) => ({
    ids: await engine.search(body.query, resultLimit),
  }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  try {
    const { loadSeconds, betweenMs } = await fill(corpus, size, engine.load, () =>
      engine.search(rows[1]!.queries[0]!, resultLimit),
    )
    await engine.finish()
    const lines: Line[] = []
    for (const { what, more, queries } of rows) {
      if (more) continue
      const bodies = queries.map((query) => JSON.stringify({ query }))
      const result = await measure({
        url,
        method: 'POST',
        path: '/search',
        headers: { 'content-type': 'application/json' },
        bodies,
      })
      lines.push([what, ...result.times, result.perSecond.toFixed(0)])
      console.log(`${size} ${engine.name}: ${lines.at(-1)!.join(' | ')}`)
    }
    const memory = mb(process.memoryUsage().rss)
    return {
      lines,
      facts: [engine.name, `${loadSeconds.toFixed(0)} s`, ms(betweenMs), mb(await engine.indexBytes()), memory],
    }
  } finally {
    await app.close()
    await engine.close()
  }
}

const others: Record<string, () => Promise<BenchEngine>> = {
  fts5: async () => createFts5(),
  gin: createTsRank,
  minisearch: async () => createMiniSearch(),
}
/** It holds everything in memory. */
const mostForMiniSearch = 100_000

const table = (head: Line, lines: readonly Line[]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

async function measureSize(corpus: Corpus, size: number): Promise<string> {
  const rows = rowsOf(corpus)
  const lines: Line[] = []
  const facts: Line[] = []
  for (const name of options.engines.split(',')) {
    if (name === 'minisearch' && size > mostForMiniSearch) continue
    const create = others[name]
    if (name !== 'wishwell' && !create) throw new Error(`--engines are wishwell, ${Object.keys(others).join(', ')}`)
    const measured = create
      ? await measureOther(await create(), corpus, size, rows)
      : await measureWishwell(corpus, size, rows)
    lines.push(...measured.lines.map((line) => [measured.facts[0]!, ...line]))
    facts.push(measured.facts)
  }
  const speed = table(['engine', 'query', 'p50 ms', 'p95 ms', 'p99 ms', 'a second, 16 clients'], lines)
  const load = table(['engine', 'load', 'p99 ms of a search between batches', 'index', 'memory of the process'], facts)
  return `### ${size.toLocaleString('en')} documents\n\n${speed}\n\n${load}`
}

if (existsSync(corpusFile)) {
  const corpus = readCorpus()
  const sections: string[] = []
  for (const size of options.sizes.split(',').map(parseSize)) sections.push(await measureSize(corpus, size))
  const { model = 'unknown' } = cpus()[0] ?? {}
  const report = [
    `Measured ${new Date().toISOString().slice(0, 10)} on ${cpus().length} cores (${model}).`,
    ...sections,
  ].join('\n\n')
  console.log(report)
  if (options.write) writeSection('speed', report)
} else {
  console.log(`skipped: no corpus at ${corpusFile} (set WISHWELL_SHARED to the folder that holds it)`)
}
client.kill()
