import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { fastify } from 'fastify'
import { type Corpus, corpusFile, readCorpus } from './engines/corpus.ts'
import type { BenchEngine } from './engines/engine.ts'
import { createFts5 } from './engines/fts5.ts'
import { createMiniSearch } from './engines/minisearch.ts'
import { createTsRank } from './engines/ts-rank.ts'
import { writeSection } from './report.ts'
import { callers, fill, type Line, mb, measure, ms, resultLimit } from './search-measure.ts'
import { type Row, rowsOf } from './search-rows.ts'
import { measureWishwell } from './search-wishwell.ts'

// How fast the search is, through HTTP, beside other engines with the same texts and queries in the same run.
//   node bench/search.ts [--sizes 10k,100k,1M] [--engines wishwell,fts5,gin,minisearch] [--seconds 3] [--write]
//     [--data-dir DIR]   stores the loaded database of each size there, and reuses one that is there

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
        seconds,
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
const maxForMiniSearch = 100_000

const table = (head: Line, lines: readonly Line[]) =>
  [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

async function measureSize(corpus: Corpus, size: number): Promise<string> {
  const rows = rowsOf(corpus)
  const lines: Line[] = []
  const facts: Line[] = []
  for (const name of options.engines.split(',')) {
    if (name === 'minisearch' && size > maxForMiniSearch) continue
    const create = others[name]
    if (name !== 'wishwell' && !create) throw new Error(`--engines are wishwell, ${Object.keys(others).join(', ')}`)
    const measured = create
      ? await measureOther(await create(), corpus, size, rows)
      : await measureWishwell(corpus, size, rows, { keptIn: options['data-dir'], seconds })
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
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  const report = [
    `Measured ${new Date().toISOString().slice(0, 10)} at ${commit} on ${cpus().length} cores (${model}).`,
    ...sections,
  ].join('\n\n')
  console.log(report)
  if (options.write) writeSection('speed', report)
} else {
  console.log(`skipped: no corpus at ${corpusFile} (set WISHWELL_SHARED to the folder that holds it)`)
}
callers.kill()
