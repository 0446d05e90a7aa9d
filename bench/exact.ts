import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'
import type { RequestFilters } from '../src/requests/filters/filters.ts'
import { facetNames } from '../src/search/engine.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { openBenchDatabase } from './bench-database.ts'
import { createRandom, readCorpus } from './engines/corpus.ts'
import { storeRequests } from './exact-requests.ts'
import { percentile } from './report.ts'
import { type Took, timed } from './timing.ts'

// Holds (Search, lists and export): orders by votes and date, totals and facets equal a plain scan, up to 200,000 requests

// Whether orders, totals and facets are exact: random queries, filters and orders against a plain scan of all texts, and how long
// they take.
//   node bench/exact.ts [--size 100000] [--queries 200] [--seed 1]
//     [--data-dir DIR]   stores the loaded database there, and reuses one that is there

const { values: options } = parseArgs({
  options: {
    size: { type: 'string', default: '100000' },
    queries: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    'data-dir': { type: 'string' },
  },
})

interface Row {
  id: string
  platform: string
  status: string | null
  standing: number
  votes: number
  posted: number
  tags: string[]
  stems: Set<string>
}

/** Every request, with the stems of its text parsed anew. */
async function readAll(database: Database): Promise<Row[]> {
  const all: Row[] = []
  for (let after = '00000000-0000-0000-0000-000000000000'; ; ) {
    const { rows } = await sql<Omit<Row, 'stems'> & { stems: string[] }>`
      select id, platform, status, standing, votes, tags, extract(epoch from posted_at)::float8 as posted,
        tsvector_to_array(to_tsvector('wishwell', text)) as stems
      from requests join request_texts on request_id = id where id > ${after}::uuid order by id limit 1000`.execute(
      database,
    )
    if (rows.length === 0) return all
    all.push(...rows.map((row) => ({ ...row, stems: new Set(row.stems) })))
    after = rows.at(-1)!.id
  }
}

const random = createRandom(Number(options.seed))
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
const sometimes = <T>(share: number, value: T): T | undefined => (random() < share ? value : undefined)

const makeFilters = (): RequestFilters => ({
  platforms: sometimes(0.25, [pick(['github', 'gitlab', 'reddit'] as const)]),
  minVotes: sometimes(0.2, pick([1, 5, 50])),
  since: sometimes(0.2, new Date(pick(['2018-01-01', '2023-01-01']))),
  tags: sometimes(0.1, [pick(['tag1', 'tag7'])]),
  status: sometimes(0.1, ['open', 'planned']),
})

const passes = (row: Row, { platforms, minVotes, since, tags, status }: RequestFilters) =>
  row.standing === 2 &&
  (platforms?.some((platform) => platform === row.platform) ?? true) &&
  (minVotes === undefined || row.votes >= minVotes) &&
  (since === undefined || row.posted * 1_000 >= since.getTime()) &&
  (tags?.every((tag) => row.tags.includes(tag)) ?? true) &&
  (status?.some((one) => one === row.status) ?? true)

/** The ids of the first hundred, and how many have all words, by reading every row. */
function scan(all: readonly Row[], stems: readonly string[], filters: RequestFilters, sortBy: 'votes' | 'new') {
  const some = all.filter((row) => passes(row, filters) && stems.some((stem) => row.stems.has(stem)))
  const hasAll = (row: Row) => stems.every((stem) => row.stems.has(stem))
  const key = (row: Row) => (sortBy === 'votes' ? row.votes : row.posted)
  const inOrder = (rows: Row[]) => rows.sort((a, b) => key(b) - key(a) || (a.id < b.id ? 1 : -1))
  const whole = some.filter(hasAll)
  const ordered = [...inOrder(whole), ...inOrder(some.filter((row) => !hasAll(row)))]
  return { ids: ordered.slice(0, 100).map(({ id }) => id), total: whole.length }
}

const { database, close } = await openBenchDatabase({ directory: options['data-dir'] })
const index = await openSearchIndex(database)
const corpus = readCorpus()
const { rows: stored } = await sql`select from requests limit 1`.execute(database)
if (stored.length === 0) await storeRequests(database, corpus, Number(options.size))
const all = await readAll(database)

const times = { best: [] as Took[], ordered: [] as Took[], total: [] as Took[], facets: [] as Took[] }
const wrong: string[] = []
const count = Number(options.queries)
for (let number = 0; number < count; number++) {
  const words = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    pick(random() < 0.8 ? corpus.frequentWords : corpus.rareWords),
  )
  const input = { query: words.join(' '), filters: makeFilters() }
  const sortBy = pick(['votes', 'new'] as const)
  const offset = pick([0, 0, 20, 80])
  const stems = await sql<{ stem: string }>`
    select unnest(tsvector_to_array(to_tsvector('wishwell', ${input.query}))) as stem`.execute(database)
  const right = scan(
    all,
    stems.rows.map(({ stem }) => stem),
    input.filters,
    sortBy,
  )
  await timed(times.best, () => index.search(database, { query: input.query, offset: 0, limit: 20 }))
  const found = await timed(times.ordered, () => index.search(database, { ...input, sortBy, offset, limit: 20 }))
  const { total, totalIsExact } = await timed(times.total, () => index.totals(database, input))
  const faceted = await timed(times.facets, () => index.totals(database, { ...input, facets: facetNames }))
  const platforms = faceted.facets?.platform?.reduce((sum, facet) => sum + facet.count, 0)
  const isRight =
    JSON.stringify(found.results.map(({ _id }) => _id)) === JSON.stringify(right.ids.slice(offset, offset + 20)) &&
    total === Math.min(right.total, 10_000) &&
    totalIsExact === right.total <= 10_000 &&
    (!faceted.facetsAreExact || platforms === right.total)
  if (!isRight)
    wrong.push(JSON.stringify({ ...input, sortBy, offset, total, right: right.total, window: found.window }))
}
for (const line of wrong) console.log(`wrong: ${line}`)
for (const [what, took] of Object.entries(times)) {
  const of = took.map(({ ms }) => ms)
  console.log(`${what}: p50 ${percentile(of, 0.5).toFixed(1)} ms, p99 ${percentile(of, 0.99).toFixed(1)} ms`)
}
console.log(JSON.stringify({ requests: all.length, queries: count, exact: count - wrong.length }))
await close()
