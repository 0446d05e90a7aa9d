import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { migrate } from '../src/database/migrate.ts'
import { openDatabase } from '../src/database/open.ts'
import { locationOfDataDirectory } from '../src/database/schema-version-error.ts'
import { createSearchIndexUpkeep } from '../src/database/upkeep/search-index.ts'
import { foundRequest } from '../src/platforms/content/fields.ts'
import type { FoundRequest } from '../src/platforms/platform.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { foldTopicCounts } from '../src/requests/store/topic-counts.ts'
import { countSlice } from '../src/requests/words/uncounted-texts.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { positive } from './options.ts'
import { text, word } from './upkeep-requests.ts'

// How many new requests a second the embedded database stores, and what each part of it costs, by the clock: run it on a machine without other
// work. Detection judges each text, and the index of texts is as the service's upkeep prepares it. Tasks of several platforms store at once, as those of a
// job do: one is prepared while another is stored. The parts are those of one task. What the background does afterwards is in the table, too.
//   node bench/storing-parts.ts [--size 100] [--pages 60] [--stored 3000] [--tasks 2]

const { values } = parseArgs({
  options: {
    size: { type: 'string', default: '100' },
    pages: { type: 'string', default: '60' },
    stored: { type: 'string', default: '3000' },
    tasks: { type: 'string', default: '2' },
  },
})
const size = positive(values, 'size')
const pages = positive(values, 'pages')
const storedPages = Math.ceil(positive(values, 'stored') / size)

/** The first that matches a statement is its part. */
const partOfStatement: readonly [RegExp, string][] = [
  [/^begin|start transaction/i, 'begin'],
  [/^commit/i, 'commit, with the numbers of wishes'],
  [/insert into requests/, 'requests, with their narrow copies'],
  [/pg_advisory|suppressions|request_corrections\) or/, 'suppressions and locks'],
  [/insert into request_texts/, 'texts, with the index of texts'],
  [/insert into searchable_requests/, 'the indexes of words and the queue of placing'],
  [/insert into request_topics/, 'links to the topic, with their differences'],
  [/from topics|into topics/, 'the topic'],
  [/request_refreshes/, 'handles for reading again'],
  [/insert into uncounted_texts/, 'the list of uncounted texts'],
]
const partOf = (statement: string) =>
  partOfStatement.find(([pattern]) => pattern.test(statement))?.[1] ?? 'other statements'

const spent = new Map<string, number>()
let since = performance.now()
const spend = (part: string) => {
  const now = performance.now()
  spent.set(part, (spent.get(part) ?? 0) + now - since)
  since = now
}

const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
const { database, close } = await openDatabase({
  databaseUrl: undefined,
  dataDir,
  onStatement: (statement) => spend(partOf(statement)),
  onCrash: (error) => {
    throw error
  },
})
await migrate(database, locationOfDataDirectory(dataDir))
await openSearchIndex(database)
// The one connection of the embedded database: what upkeep sets for it holds for all statements.
const query = async <T>(statement: string) => ({ rows: (await sql.raw<T>(statement).execute(database)).rows })
await createSearchIndexUpkeep().prepare({ query } as never)

let sequence = 0
const newRequest = (): FoundRequest => {
  const id = String(sequence++)
  return foundRequest({
    sourceId: id,
    title: text(8),
    description: text(90),
    tags: [word(), word()],
    votes: sequence % 500,
    commentCount: 1,
    sourceUrl: `https://example.org/${id}`,
    refreshHandle: id,
  })
}

const fetchPages = (count: number) => Array.from({ length: count }, () => Array.from({ length: size }, newRequest))

async function storeOne(requests: FoundRequest[]): Promise<void> {
  since = performance.now()
  const prepared = await preparePage('github', { requests }, null)
  spend('preparing: words and detection')
  const page = { ...prepared, platform: 'github' as const, jobId: null, topic: 'bench', now: new Date() }
  await storePageAlone(database, page)
  spend('commit, with the numbers of wishes')
}

/** Stores pages, some at once. @returns the seconds that it took. */
async function storePages(count: number, tasks: number): Promise<number> {
  const left = fetchPages(count)
  const startedAt = performance.now()
  const run = async () => {
    for (let next = left.pop(); next; next = left.pop()) await storeOne(next)
  }
  await Promise.all(Array.from({ length: tasks }, run))
  return (performance.now() - startedAt) / 1000
}

async function fold(): Promise<void> {
  since = performance.now()
  while (await foldTopicCounts(database));
  spend('')
  while (await countSlice(database));
}

await storePages(storedPages, 1)
await fold()
const requests = pages * size
const tasks = positive(values, 'tasks')
const perSecond = (seconds: number, count: number) =>
  console.log(`${Math.round(requests / seconds)} requests/s in pages of ${size}, ${count} at once`)
perSecond(await storePages(pages, tasks), tasks)
await fold()
spent.clear()
perSecond(await storePages(pages, 1), 1)
const foreground = new Map(spent)
const startedFolding = performance.now()
while (await foldTopicCounts(database));
const foldedAt = performance.now()
while (await countSlice(database));
const countedAt = performance.now()

console.log('| part | ms a 1,000 requests |\n| --- | --- |')
const row = (part: string, ms: number) => console.log(`| ${part} | ${((ms / requests) * 1000).toFixed(1)} |`)
for (const [part, ms] of [...foreground].sort(([, a], [, b]) => b - a)) row(part, ms)
row('background: folding the counts of the topic', foldedAt - startedFolding)
row('background: counting words', countedAt - foldedAt)
await close()
rmSync(dataDir, { recursive: true, force: true })
