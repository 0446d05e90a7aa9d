import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { migrate } from '../src/database/migrate.ts'
import { type Database, type DatabaseHome, openDatabase } from '../src/database/open.ts'
import { openSearchIndex, type SearchIndex } from '../src/requests/search/search-index.ts'
import { searchTextOf } from '../src/requests/search/text.ts'
import { startPostgres } from '../test/postgres.ts'

// How good the search is: nDCG@10 of two judged collections through the real SearchIndex.
//   node bench/search-quality.ts [--home embedded|postgres] [--json] [--no-goals]

/** What the search with BM25 must reach; `tsvector` has no goal. */
const goals: Record<string, number> = { 'titanium-jira-dups-features': 0.51, cranfield: 0.38 }
const shared = process.env.WISHWELL_SHARED ?? fileURLToPath(new URL('../../shared', import.meta.url))
const judgedDirectory = join(shared, 'corpora', 'judged')
/** The API refuses a longer query. */
const queryLimit = 500
const rankCutoff = 10

interface JudgedCollection {
  name: string
  documents: { _id: string; title?: string; text?: string }[]
  queries: { _id: string; text: string }[]
  /** Query id to document id to grade; a document that is not named is not relevant. */
  grades: Map<string, Map<string, number>>
}

const parseLines = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T)

function readCollection(name: string): JudgedCollection {
  const directory = join(judgedDirectory, name)
  const grades = new Map<string, Map<string, number>>()
  for (const line of readFileSync(join(directory, 'qrels.tsv'), 'utf8').split('\n').slice(1)) {
    const [query, document, grade] = line.split('\t')
    if (query === undefined || document === undefined) continue
    grades.set(query, (grades.get(query) ?? new Map<string, number>()).set(document, Number(grade)))
  }
  return {
    name,
    documents: parseLines(gunzipSync(readFileSync(join(directory, 'corpus.jsonl.gz'))).toString('utf8')),
    queries: parseLines(readFileSync(join(directory, 'queries.jsonl'), 'utf8')),
    grades,
  }
}

/**
 * The normalised discounted cumulated gain of a ranking at a cutoff, from 0 to 1 (Järvelin and Kekäläinen, "Cumulated
 * gain-based evaluation of IR techniques", 2002; gains as graded, discount log2 of the rank + 1 as in trec_eval).
 * @returns null when nothing is relevant to the query, which then says nothing about the ranking.
 */
function ndcg(ranking: readonly string[], grades: ReadonlyMap<string, number>, cutoff: number): number | null {
  const cumulate = (gains: number[]) =>
    gains.slice(0, cutoff).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0)
  const ideal = cumulate([...grades.values()].sort((a, b) => b - a))
  return ideal === 0 ? null : cumulate(ranking.map((document) => grades.get(document) ?? 0)) / ideal
}

/** Fills the emptied cache with the documents; a document's id becomes the source id of its request. */
async function store(database: Database, documents: JudgedCollection['documents']): Promise<Map<string, string>> {
  await sql`truncate requests cascade`.execute(database)
  for (let start = 0; start < documents.length; start += 1_000) {
    const texts = documents.slice(start, start + 1_000).map(({ _id, title = '', text = '' }) => ({
      source_id: _id,
      text: searchTextOf({ title, description: text, tags: [], authorName: null, authorHandle: null }),
    }))
    await sql`
      with incoming as (
        select source_id, text, gen_random_uuid() as id
        from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as incoming (source_id text, text text)
      ), stored as (
        insert into requests
          (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
        select id, 'github', source_id, '', '', 0, '{}', '', '', now(), now() from incoming
      )
      insert into request_texts (request_id, text) select id, text from incoming`.execute(database)
  }
  // As autovacuum does on a server: `tsvector` weighs words by these statistics.
  await sql`analyze request_texts`.execute(database)
  const rows = await database.selectFrom('requests').select(['id', 'source_id']).execute()
  return new Map(rows.map((row) => [row.id, row.source_id]))
}

interface Result {
  collection: string
  documents: number
  queries: number
  /** Queries that were cut to what the API takes. */
  cutQueries: number
  ndcgAt10: number
  goal: number | null
}

async function measure(database: Database, index: SearchIndex, collection: JudgedCollection): Promise<Result> {
  const sourceIds = await store(database, collection.documents)
  const scores: number[] = []
  let cutQueries = 0
  for (const { _id, text } of collection.queries) {
    const characters = [...text]
    if (characters.length > queryLimit) cutQueries++
    const query = characters.slice(0, queryLimit).join('')
    const { results } = await index.search(database, { query, offset: 0, limit: rankCutoff })
    const ranking = results.map(({ _id: id }) => sourceIds.get(id) ?? id)
    const score = ndcg(ranking, collection.grades.get(_id) ?? new Map(), rankCutoff)
    if (score !== null) scores.push(score)
  }
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length
  return {
    collection: collection.name,
    documents: collection.documents.length,
    queries: scores.length,
    cutQueries,
    ndcgAt10: Math.round(mean * 10_000) / 10_000,
    goal: index.kind === 'bm25' ? (goals[collection.name] ?? null) : null,
  }
}

/** Runs with a migrated, empty database of a home, which is gone afterwards. */
async function withDatabase<T>(home: DatabaseHome, run: (database: Database) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-search-quality-'))
  const server = home === 'postgres' ? await startPostgres() : null
  try {
    const onCrash = (error: Error) => {
      throw error
    }
    const opened = await openDatabase({ databaseUrl: server?.url('postgres'), dataDir, onCrash })
    try {
      await migrate(opened.database)
      return await run(opened.database)
    } finally {
      await opened.close()
    }
  } finally {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

function print(home: DatabaseHome, index: SearchIndex, results: readonly Result[]): void {
  console.log(`nDCG@${rankCutoff}, ${home} database, ${index.kind} index`)
  console.table(
    results.map((result) => ({
      collection: result.collection,
      documents: result.documents,
      queries: result.queries,
      [`cut to ${queryLimit} characters`]: result.cutQueries,
      'nDCG@10': result.ndcgAt10.toFixed(4),
      goal: result.goal === null ? 'none' : `${result.goal} ${result.ndcgAt10 >= result.goal ? 'met' : 'MISSED'}`,
    })),
  )
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      home: { type: 'string', default: 'embedded' },
      json: { type: 'boolean', default: false },
      'no-goals': { type: 'boolean', default: false },
    },
  })
  const { home } = values
  if (home !== 'embedded' && home !== 'postgres') throw new Error('--home must be embedded or postgres')
  if (!existsSync(judgedDirectory)) {
    console.error(`skipped: the judged collections are not at ${judgedDirectory}`)
    return
  }
  const missed = await withDatabase(home, async (database) => {
    const index = await openSearchIndex(database)
    const results: Result[] = []
    for (const name of Object.keys(goals)) results.push(await measure(database, index, readCollection(name)))
    if (values.json) console.log(JSON.stringify({ home, index: index.kind, results }))
    else print(home, index, results)
    return results.some(({ goal, ndcgAt10 }) => goal !== null && ndcgAt10 < goal)
  })
  if (missed && !values['no-goals']) process.exitCode = 1
}

await main()
