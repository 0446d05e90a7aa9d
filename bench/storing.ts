import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'
import { foundRequest } from '../src/platforms/content/fields.ts'
import type { FoundRequest } from '../src/platforms/platform.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { countSlice } from '../src/requests/words/uncounted-texts.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { openBenchDatabase } from './bench-database.ts'
import { medianOf, type Took, timed, worst } from './timing.ts'
import { text, word } from './upkeep-requests.ts'

// What storing costs, embedded: processor time per request of pages of 100 that are new, unchanged, have other votes, or other titles.
// The transaction alone is measured, not what prepares a page, and then the counting of words, which a service does in the background.
//   node bench/storing.ts [--stored 3000] [--pages 15]

const { values } = parseArgs({
  options: { stored: { type: 'string', default: '3000' }, pages: { type: 'string', default: '15' } },
})
const pageSize = 100
const storedPages = Math.ceil(Number(values.stored) / pageSize)
const pages = Number(values.pages)

const newRequest = (number: number): FoundRequest =>
  foundRequest({
    sourceId: String(number),
    title: text(8),
    description: text(90),
    tags: [word(), word()],
    votes: number % 500,
    commentCount: 1,
    sourceUrl: `https://example.org/${number}`,
    confidence: 1,
  })

async function createJob(database: Database): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    with account as (insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id)
    insert into scrape_jobs (account_id, topic, depth, created_at, expires_at)
    select id, 'bench', 1, now(), now() + interval '1 day' from account returning id`.execute(database)
  return rows[0]?.id ?? ''
}

const { database, close } = await openBenchDatabase()
await openSearchIndex(database)
const jobId = await createJob(database)

async function store(requests: readonly FoundRequest[], took: Took[]): Promise<void> {
  const prepared = await preparePage('github', { requests: [...requests] }, null)
  const page = {
    ...prepared,
    platform: 'github' as const,
    jobId,
    topic: 'bench',
    markSeenBefore: null,
    now: new Date(),
  }
  await timed(took, () => storePageAlone(database, page))
}

const known = Array.from({ length: storedPages + pages }, (_, page) =>
  Array.from({ length: pageSize }, (__, number) => newRequest(page * pageSize + number)),
)
for (const page of known.slice(0, storedPages)) await store(page, [])

const kinds: Record<string, (request: FoundRequest) => FoundRequest> = {
  new: (request) => request,
  unchanged: (request) => request,
  'votes changed': (request) => ({ ...request, votes: request.votes + 1 }),
  'titles changed': (request) => ({ ...request, title: `${word()} ${request.title}` }),
}
const perRequest = (processorMs: number) => (processorMs / pageSize).toFixed(2)
const totalOf = (took: readonly Took[]) => took.reduce((sum, { processorMs }) => sum + processorMs, 0)

/** Counts what the pages left to the background. @returns the processor time. */
async function countWords(): Promise<number> {
  const took: Took[] = []
  while (await timed(took, () => countSlice(database)));
  return totalOf(took)
}

await countWords()
for (const [kind, change] of Object.entries(kinds)) {
  const took: Took[] = []
  // The requests that are new are the last ones; they are stored again in the other kinds.
  for (const page of known.slice(-pages)) await store(page.map(change), took)
  const counting = (await countWords()) / pages
  const mean = totalOf(took) / pages
  const median = `median page ${perRequest(medianOf(took))}`
  const slowest = `the slowest page ${worst(took.map(({ ms }) => ms))} ms`
  console.log(`${kind}: ${perRequest(mean)} (${median}), with counting ${perRequest(mean + counting)}, ${slowest}`)
}
await close()
