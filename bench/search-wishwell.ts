import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { readConfig } from '../src/config.ts'
import type { Database } from '../src/database/open.ts'
import { startService } from '../src/service.ts'
import type { Corpus } from './engines/corpus.ts'
import { createLoader } from './engines/load.ts'
import { fill, type Line, mb, measure, measureBare, ms, resultLimit } from './search-measure.ts'
import type { Row } from './search-rows.ts'

const apiKey = `ww_live_${'b'.repeat(32)}`

/** The service itself, with its own account, limits lifted. */
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
  const config = readConfig({
    DATA_DIR: dataDir,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-bench',
  })
  const start = (cachesResponses: boolean) =>
    startService(
      config,
      pino({ level: 'silent' }),
      (error) => {
        throw error
      },
      { requestLimits: { ofTier: () => 1e9, polls: 1e9, withoutKey: 1e9 }, cachesResponses },
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
        ...{ url: service.address!, seconds },
        method: 'POST',
        path,
        headers,
        bodies: queries.map((query) => bodyOf(query, more)),
      })
      if (what === 'one common word') [answerBytes, perSecond] = [result.bytes, result.perSecond]
      lines.push([what, ...result.times, result.perSecond.toFixed(0)])
      console.log(`${size} Wishwell: ${lines.at(-1)!.join(' | ')}`)
    }
    const list = { method: 'GET', path: `/api/v1/requests?limit=${resultLimit}`, headers, bodies: [], seconds } as const
    const listed = await measure({ ...list, url: service.address! })
    const sizes = await readSizes(service.database.database)
    await service.stop()
    service = await start(true)
    const url = service.address!
    const bodies = rows[1]!.queries.map((query) => bodyOf(query))
    const keptSearch = await measure({ url, method: 'POST', path, headers, bodies, seconds })
    const keptList = await measure({ ...list, url })
    const bare = await measureBare(answerBytes, seconds)
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
