import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import type { Database } from '../src/database/open.ts'
import { foundRequest } from '../src/platforms/content/fields.ts'
import { type PreparedPage, preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { startFolding } from '../src/requests/store/topic-counts.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'
import { positive } from './options.ts'
import { text, word } from './upkeep-requests.ts'

// Writers at the same time on Postgres: pages a second of 1, 2 and 4 of them, each with new requests, with other votes, and with the same requests
// in other orders; the locks that they wait for, sampled meanwhile; and deadlocks. What prepares a page is not measured. Words are
// counted and differences folded in the background, as in a service. The numbers of writers take turns, round by round: the speed of a machine drifts.
//   node bench/writers.ts [--database postgres://…] [--rounds 4] [--pages 80] [--size 100] [--writers 1,2,4] [--topics 8]

const { values } = parseArgs({
  options: {
    database: { type: 'string' },
    rounds: { type: 'string', default: '4' },
    pages: { type: 'string', default: '80' },
    size: { type: 'string', default: '100' },
    writers: { type: 'string', default: '1,2,4' },
    topics: { type: 'string', default: '8' },
  },
})
const pages = positive(values, 'pages')
const size = positive(values, 'size')
const topics = positive(values, 'topics')

let sequence = 0
const newPage = (): Promise<PreparedPage> =>
  preparePage(
    'github',
    {
      requests: Array.from({ length: size }, () => {
        const id = String(sequence++)
        const source = { sourceId: id, sourceUrl: `https://example.org/${id}`, commentCount: 1, confidence: 1 }
        return foundRequest({
          ...source,
          title: text(8),
          description: text(90),
          tags: [word(), word()],
          votes: sequence % 500,
        })
      }),
    },
    null,
  )

const withOtherVotes = ({ requests, markSeenBefore }: PreparedPage): PreparedPage => ({
  markSeenBefore,
  requests: requests.map((one) => ({ ...one, request: { ...one.request, votes: one.request.votes + 1 } })),
})

/** Pages of the same few requests, each page a random part of them. */
function crossing(known: readonly PreparedPage[], count: number): PreparedPage[] {
  const all = known.flatMap(({ requests }) => requests).slice(0, 3 * size)
  return Array.from({ length: count }, (_, page) => {
    const chosen = all.filter(() => Math.random() < 0.3).slice(0, size)
    const requests = chosen.map((one) => ({ ...one, request: { ...one.request, votes: page } }))
    return { markSeenBefore: null, requests }
  })
}

interface Waiting {
  locktype: string
  relation: string | null
  waiting: number
}

/** Samples what is waited for, by kind of lock, until it is stopped. */
function sampleWaits(database: Database) {
  const counts = new Map<string, number>()
  let samples = 0
  let isEnded = false
  const run = async () => {
    while (!isEnded) {
      const { rows } = await sql<Waiting>`
        select locktype, relation::regclass::text as relation, count(*)::integer as waiting from pg_locks
        where not granted group by 1, 2`.execute(database)
      samples += 1
      for (const { locktype, relation, waiting } of rows) {
        const name = relation === null ? locktype : `${locktype} of ${relation}`
        counts.set(name, (counts.get(name) ?? 0) + waiting)
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const running = run()
  return async () => {
    isEnded = true
    await running
    const waits = [...counts].map(([name, count]) => `${name} ${(count / samples).toFixed(2)}`)
    return waits.length === 0 ? 'none' : waits.join(', ')
  }
}

const deadlocks = async (database: Database) => {
  const { rows } = await sql<{ deadlocks: string }>`
    select deadlocks from pg_stat_database where datname = current_database()`.execute(database)
  return Number(rows[0]?.deadlocks)
}

const server = values.database === undefined ? await startPostgres() : null
if (server) await server.createDatabase('bench')
const { database, listen, close } = await openBenchDatabase({ databaseUrl: values.database ?? server?.url('bench') })
await openSearchIndex(database)
const folding = await startFolding({ database, listen }, { error: (error: unknown) => console.error(error) } as never)

async function measure(name: string, writers: number, prepared: readonly PreparedPage[]): Promise<void> {
  const left = prepared.map((page, index) => ({ page, topic: `topic ${index % topics}` })).reverse()
  let stored = 0
  const write = async () => {
    for (let next = left.pop(); next; next = left.pop()) {
      const { page, topic } = next
      const found = { ...page, platform: 'github' as const, jobId: null, topic, now: new Date() }
      await storePageAlone(database, found)
      stored += page.requests.length
    }
  }
  const stopSampling = sampleWaits(database)
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: writers }, write))
  const seconds = (performance.now() - startedAt) / 1000
  const one = { pages: prepared.length, requests: stored, seconds }
  sums.set(name, [...(sums.get(name) ?? []), { writers, ...one }])
  print(name, writers, one, `waiting for a lock at a moment: ${await stopSampling()}`)
}

interface Stored {
  pages: number
  requests: number
  seconds: number
}
/** Each run of each kind. */
const sums = new Map<string, (Stored & { writers: number })[]>()

function print(name: string, writers: number, stored: Stored, what: string): void {
  const perSecond = (count: number, digits: number) => (count / stored.seconds).toFixed(digits)
  const columns = [
    name.padEnd(16),
    String(writers).padStart(2),
    `${perSecond(stored.pages, 1)} pages/s`.padStart(16),
    `${perSecond(stored.requests, 0)} requests/s`.padStart(18),
    what,
  ]
  console.log(columns.join('  '))
}

const counts = values.writers.split(',').map(Number)
for (let round = 0; round < positive(values, 'rounds'); round++) {
  for (const count of counts) {
    const fresh: PreparedPage[] = []
    for (let page = 0; page < pages; page++) fresh.push(await newPage())
    await measure('new', count, fresh)
    await measure('votes changed', count, fresh.map(withOtherVotes))
    await measure('same requests', count, crossing(fresh, pages))
  }
}
console.log('\nall rounds')
for (const [name, runs] of sums)
  for (const count of counts) {
    const own = runs.filter(({ writers }) => writers === count)
    const sum = (field: keyof Stored) => own.reduce((total, run) => total + run[field], 0)
    print(name, count, { pages: sum('pages'), requests: sum('requests'), seconds: sum('seconds') }, '')
  }
console.log(`deadlocks: ${await deadlocks(database)}`)
await folding.stop()
await close()
await server?.stop()
