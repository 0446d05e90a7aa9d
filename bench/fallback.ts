import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { bm25 } from '../src/search/bm25.ts'
import { createDatabaseEngine } from '../src/search/database-engine.ts'
import { readHits, type SearchEngine } from '../src/search/engine.ts'
import { chooseEngine } from '../src/search/engine-choice.ts'
import { tsvector } from '../src/search/tsvector.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'
import { readCorpus } from './engines/corpus.ts'
import { createLoader } from './engines/load.ts'
import { percentile } from './report.ts'
import { rowsOf } from './search-rows.ts'

// How well and how quickly a Postgres without BM25 ranks: the engine tsvector, and native BM25 where TEST_PG_TEXTSEARCH
// names the extension. The reference is BM25 computed here from all stored words, with the true average length.
//   node bench/fallback.ts [--size 100000] [--rounds 5] [--database-url URL, loaded by an earlier run]

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    'database-url': { type: 'string' },
  },
})
const size = Number(options.size)

const corpus = readCorpus()
const server = options['database-url'] === undefined ? await startPostgres() : null
await server?.createDatabase('fallback')
const opened = await openBenchDatabase({ databaseUrl: options['database-url'] ?? server!.url('fallback') })
const { database } = opened

async function load(): Promise<void> {
  const { rows } = await sql<{ stored: number }>`select count(*)::int as stored from request_texts`.execute(database)
  if (rows[0]!.stored >= size) return
  const store = await createLoader(database)
  const since = performance.now()
  for (let start = 0; start < size; start += 1_000) {
    await store(Array.from({ length: 1_000 }, (_, index) => corpus.document(start + index)))
  }
  console.log(`${size} stored in ${((performance.now() - since) / 1_000).toFixed(0)} s`)
}

interface Posting {
  id: string
  frequency: number
}

/** What BM25 needs of all texts, for some lexemes. */
async function readPostings(lexemes: readonly string[]) {
  const lengths = new Map<string, number>()
  const postings = new Map<string, Posting[]>(lexemes.map((lexeme) => [lexeme, []]))
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<{ id: string; length: number; found: Record<string, number> }>`
      select request_id as id, length::int, found from (
        select request_id, words from request_texts where request_id > ${after}::uuid order by request_id limit 5000
      ) as texts cross join lateral (
        select sum(cardinality(positions)) as length,
          coalesce(json_object_agg(lexeme, cardinality(positions)) filter (where lexeme = any(${[...lexemes]}::text[])), '{}') as found
        from unnest(words)
      ) as counted order by request_id`.execute(database)
    if (rows.length === 0) return { lengths, postings }
    for (const { id, length, found } of rows) {
      lengths.set(id, length)
      for (const [lexeme, frequency] of Object.entries(found)) postings.get(lexeme)!.push({ id, frequency })
    }
    after = rows.at(-1)!.id
  }
}

const lexemesOf = async (query: string): Promise<string[]> => {
  const { rows } = await sql<{ lexemes: string[] }>`
    select tsvector_to_array(to_tsvector('wishwell', ${query})) as lexemes`.execute(database)
  return rows[0]!.lexemes
}

function reference({ lengths, postings }: Awaited<ReturnType<typeof readPostings>>) {
  const average = [...lengths.values()].reduce((sum, length) => sum + length, 0) / lengths.size
  return (lexemes: readonly string[]): string[] => {
    const scores = new Map<string, number>()
    for (const lexeme of lexemes) {
      const of = postings.get(lexeme) ?? []
      const rarity = Math.log(1 + (lengths.size - of.length + 0.5) / (of.length + 0.5))
      for (const { id, frequency } of of) {
        const score = (2.2 * frequency) / (frequency + 1.2 * (0.25 + (0.75 * lengths.get(id)!) / average))
        scores.set(id, (scores.get(id) ?? 0) + rarity * score)
      }
    }
    return [...scores]
      .sort(([, a], [, b]) => b - a)
      .slice(0, 10)
      .map(([id]) => id)
  }
}

await load()
await sql`analyze`.execute(database)
const engines = new Map<string, SearchEngine>()
await chooseEngine(database, { choice: 'tsvector', isShared: true, log: console as never })
engines.set('tsvector', createDatabaseEngine('tsvector', tsvector))
const native = await chooseEngine(database, { isShared: true, buildsFullIndex: true, log: console as never })
if (native.engine.kind === 'bm25') engines.set('native BM25', createDatabaseEngine('bm25', bm25))
await sql`vacuum analyze searchable_requests, request_texts`.execute(database)

const kinds = rowsOf(corpus).filter(({ what }) =>
  ['one common word', 'two common words', 'four common words', 'eight common words', 'one rare word'].includes(what),
)
const lexemes = new Map<string, string[]>()
for (const { queries } of kinds) for (const query of queries) lexemes.set(query, await lexemesOf(query))
const best = reference(await readPostings([...new Set([...lexemes.values()].flat())]))

console.log('| queries | engine | overlap@10 | p50 ms | p99 ms |\n| --- | --- | --- | --- | --- |')
for (const { what, queries } of kinds) {
  const times = new Map<string, number[]>([...engines.keys()].map((name) => [name, []]))
  const overlaps = new Map<string, number[]>([...engines.keys()].map((name) => [name, []]))
  for (let round = 0; round <= Number(options.rounds); round++) {
    for (const query of queries) {
      const wanted = round === 0 ? best(lexemes.get(query)!) : []
      for (const [name, engine] of engines) {
        const since = performance.now()
        const hits = await readHits(
          database,
          await engine.best(database, { words: query.split(' '), terms: [], filters: {} }, 101),
        )
        // The first round only warms.
        if (round > 0) times.get(name)!.push(performance.now() - since)
        else {
          const found = new Set(hits.slice(0, 10).map(({ id }) => id))
          overlaps.get(name)!.push(wanted.filter((id) => found.has(id)).length / wanted.length)
        }
      }
    }
  }
  for (const name of engines.keys()) {
    const overlap = overlaps.get(name)!.reduce((sum, one) => sum + one, 0) / queries.length
    const [p50, p99] = [0.5, 0.99].map((share) => percentile(times.get(name)!, share).toFixed(1))
    console.log(`| ${what} | ${name} | ${overlap.toFixed(2)} | ${p50} | ${p99} |`)
  }
}
await opened.close()
await server?.stop()
