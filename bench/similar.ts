import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { sql } from 'kysely'
import { migrate } from '../src/database/migrate.ts'
import { type Database, openDatabase } from '../src/database/open.ts'
import { plainText, plainTitle } from '../src/platforms/content/text.ts'
import { readRequests } from '../src/requests/record.ts'
import { openSearchIndex } from '../src/requests/search/search-index.ts'
import { searchTextOf } from '../src/requests/search/text.ts'
import { findSimilar } from '../src/requests/similar/similar.ts'
import { sharedView } from '../src/requests/views/view.ts'

// How good similar requests are, on issues whose duplicates people marked. Not every duplicate was marked: what is counted as
// wrong here may be right, so the precision is a lower bound.
//   node bench/similar.ts

const corpus = fileURLToPath(new URL('../../shared/corpora/titanium-issues.jsonl.gz', import.meta.url))
const thresholds = [0.5, 0.55, 0.6, 0.7, 0.8, 0.9]

interface Issue {
  id: string
  title: string | null
  description: string | null
  /** Each is a kind of link, its direction, and an id. */
  duplicates: [string, string, string][]
}

/** The issues that were marked as the same, also by way of others. */
function readGroups(issues: readonly Issue[]): Map<string, Set<string>> {
  const groups = new Map(issues.map(({ id }) => [id, new Set([id])]))
  for (const { id, duplicates } of issues) {
    for (const [, , other] of duplicates) {
      const [a, b] = [groups.get(id), groups.get(other)]
      if (a === undefined || b === undefined || a === b) continue
      for (const member of b) groups.set(member, a.add(member))
    }
  }
  return groups
}

async function store(database: Database, issues: readonly Issue[]): Promise<void> {
  for (let from = 0; from < issues.length; from += 1_000) {
    const rows = issues.slice(from, from + 1_000).map(({ id, title, description }) => {
      // Texts of platforms are cleaned in the same way before they are stored.
      const texts = { title: plainTitle(title ?? ''), description: plainText(description ?? '') }
      return { ...texts, id, text: searchTextOf({ ...texts, tags: [], authorName: null, authorHandle: null }) }
    })
    await sql`
      with incoming as (
        select *, gen_random_uuid() as request_id
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as row (id text, title text, description text, text text)
      ), stored as (
        insert into requests
          (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
        select request_id, 'github', id, title, description, 0, '{}', '', '', now(), now() from incoming
      )
      insert into request_texts (request_id, text) select request_id, text from incoming`.execute(database)
  }
  await sql`analyze`.execute(database)
}

async function measure(database: Database, issues: readonly Issue[]): Promise<void> {
  const index = await openSearchIndex(database)
  const groups = readGroups(issues)
  const rows = await database.selectFrom('requests').select(['id', 'source_id']).execute()
  const requestIds = new Map(rows.map((row) => [row.source_id, row.id]))
  const issueIds = new Map(rows.map((row) => [row.id, row.source_id]))
  const found: { similarity: number; isMarked: boolean }[] = []
  const times: number[] = []
  let marked = 0
  const asked = issues.filter(({ id }) => (groups.get(id)?.size ?? 0) > 1)
  for (const { id } of asked) {
    const group = groups.get(id)!
    marked += group.size - 1
    const [request] = await readRequests(database, [requestIds.get(id)!], { fullText: false, view: sharedView })
    const since = performance.now()
    const similar = await findSimilar(database, index, request!, { fullText: false, view: sharedView })
    times.push(performance.now() - since)
    for (const { _id, similarity } of similar) found.push({ similarity, isMarked: group.has(issueIds.get(_id)!) })
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1)
  console.log(
    `${issues.length} issues, ${asked.length} with marked duplicates (${index.kind}); p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
  )
  console.table(
    thresholds.map((threshold) => {
      const shown = found.filter(({ similarity }) => similarity >= threshold)
      const right = shown.filter(({ isMarked }) => isMarked).length
      return {
        threshold,
        shown: shown.length,
        'precision at least': (right / shown.length).toFixed(3),
        'recall of the marked': (right / marked).toFixed(3),
      }
    }),
  )
}

if (existsSync(corpus)) {
  const lines = gunzipSync(readFileSync(corpus)).toString('utf8').split('\n')
  const issues = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Issue)
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-similar-'))
  const onCrash = (error: Error) => {
    throw error
  }
  const opened = await openDatabase({ databaseUrl: undefined, dataDir, onCrash })
  try {
    await migrate(opened.database)
    await store(opened.database, issues)
    await measure(opened.database, issues)
  } finally {
    await opened.close()
    rmSync(dataDir, { recursive: true, force: true })
  }
} else console.error(`skipped: the issues are not at ${corpus}`)
