import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import type { Database, OpenDatabase } from '../src/database/open.ts'
import { createUpkeep, type Slice } from '../src/database/upkeep/upkeep.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { openSearchIndex, type SearchIndex } from '../src/search/search-index.ts'
import { openBenchDatabase } from './bench-database.ts'
import { medianOf, percentile, type Took, timed, worst, worstOf } from './timing.ts'
import { type Known, random, refresh, text, word } from './upkeep-requests.ts'

// What upkeep gains, and what it costs callers: requests that are refreshed again and again, without it and with it.
//   node bench/upkeep.ts [--rows 20000] [--rounds 20] [--texts 0.2] [--pause 20] [--quiet 3000] [--log] [--only on|off]
// Each refresh gives every request other votes and a share of them (--texts) another text. Nothing is stored for --pause ms after
// a page and for --quiet ms after a round. Meanwhile a caller searches; how long it waits is measured.

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '20' },
    texts: { type: 'string', default: '0.2' },
    pause: { type: 'string', default: '20' },
    quiet: { type: 'string', default: '3000' },
    only: { type: 'string' },
    log: { type: 'boolean', default: false },
  },
})
const rows = Number(values.rows)
const rounds = Number(values.rounds)
const textShare = Number(values.texts)
const pageSize = 100

async function createJob(database: Database): Promise<string> {
  const { rows: jobs } = await sql<{ id: string }>`
    with account as (insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id)
    insert into scrape_jobs (account_id, topic, depth, created_at, expires_at)
    select id, 'bench', 1, now(), now() + interval '1 day' from account returning id`.execute(database)
  return jobs[0]?.id ?? ''
}

/** How long searches take when nothing else happens. */
async function searchLatency({ database }: OpenDatabase, index: SearchIndex) {
  const took: Took[] = []
  for (let search = 0; search < 300; search++) {
    await timed(took, () => index.search(database, { query: text(2), offset: 0, limit: 20 }))
  }
  const clock = took.map(({ ms }) => ms)
  return { p50: `${percentile(clock, 0.5)} (${medianOf(took)})`, p95: percentile(clock, 0.95) }
}

async function sizes(database: Database) {
  const { rows: found } = await sql<Record<'table' | 'indexes' | 'bm25' | 'segments' | 'log', number>>`
    select pg_table_size('requests') / 1048576 as "table", pg_indexes_size('requests') / 1048576 as indexes,
      pg_relation_size('request_texts_bm25') / 1048576 as bm25,
      (select sum(count) from unnest(bm25_level_counts('request_texts_bm25')) as count)::int as segments,
      (select sum(size) / 1048576 from pg_ls_waldir())::int as log`.execute(database)
  return found[0]
}

/** Upkeep, with the time of each of its slices and of each hold of the connection. */
async function measuredUpkeep({ embedded }: OpenDatabase) {
  if (embedded === null) throw new Error('this is a bench of the embedded database')
  const slices: Slice[] = []
  const holds: Took[] = []
  const log = pino({ level: values.log ? 'debug' : 'warn' })
  const client = { ...embedded, aside: (run: never) => timed(holds, () => embedded.aside(run)) } as typeof embedded
  return { upkeep: await createUpkeep({ client, log, onSlice: (slice) => slices.push(slice) }), slices, holds }
}

type Phase = 'storing' | 'quiet'

/** A caller that searches until it is stopped: often while pages are stored, seldom in the quiet between rounds. */
function startCaller(search: () => Promise<unknown>) {
  const waits: Record<Phase, Took[]> = { storing: [], quiet: [] }
  const caller = { phase: 'storing' as Phase, waits, stop: async () => {} }
  let ended = false
  const done = (async () => {
    while (!ended) {
      await sleep(caller.phase === 'storing' ? 50 : 100 + random() * 500)
      await timed(waits[caller.phase], search)
    }
  })()
  caller.stop = () => {
    ended = true
    return done
  }
  return caller
}

/** Stores every request again. @returns how long each page took. */
async function storeRound(database: Database, jobId: string, known: readonly Known[], round: number): Promise<Took[]> {
  const pages: Took[] = []
  for (let start = 0; start < known.length; start += pageSize) {
    const found = known.slice(start, start + pageSize).map((request) => refresh(request, round, textShare))
    const prepared = await preparePage('github', { requests: found }, null)
    const page = { ...prepared, platform: 'github' as const, jobId, topic: 'bench', markSeenBefore: null }
    const store = () => storePageAlone(database, { ...page, now: new Date() })
    await timed(pages, store)
    await sleep(Number(values.pause))
  }
  return pages
}

function printSlices(slices: readonly Slice[]): void {
  for (const kind of new Set(slices.map((slice) => slice.kind))) {
    const took = slices.filter((slice) => slice.kind === kind).map(({ tookMs }) => tookMs)
    console.log(`${kind}: ${took.length} times, p50 ${percentile(took, 0.5)} ms, longest ${worst(took)} ms`)
  }
}

async function measure(withUpkeep: boolean) {
  const opened = await openBenchDatabase()
  const { database, close } = opened
  const index = await openSearchIndex(database)
  const jobId = await createJob(database)
  const { upkeep, slices, holds } = withUpkeep
    ? await measuredUpkeep(opened)
    : { upkeep: null, slices: [], holds: [] as Took[] }
  upkeep?.start()
  const known = Array.from({ length: rows }, (_, number) => {
    return { sourceId: String(number), title: text(8), description: text(70), tags: [word(), word()] }
  })
  const pages: Took[] = []
  const caller = startCaller(() => index.search(database, { query: text(2), offset: 0, limit: 20 }))
  for (let round = 0; round <= rounds; round++) {
    caller.phase = 'storing'
    pages.push(...(await storeRound(database, jobId, known, round)))
    caller.phase = 'quiet'
    await sleep(Number(values.quiet))
  }
  await caller.stop()
  await upkeep?.stop()
  const result = {
    upkeep: withUpkeep ? 'on' : 'off',
    ...(await sizes(database)),
    ...(await searchLatency(opened, index)),
    pageP50: percentile(
      pages.map(({ ms }) => ms),
      0.5,
    ),
    longestPage: worstOf(pages),
    longestWaitStoring: worstOf(caller.waits.storing),
    longestWaitQuiet: worstOf(caller.waits.quiet),
    longestHold: worstOf(holds),
  }
  printSlices(slices)
  await close()
  return result
}

const results = []
for (const setting of ['off', 'on']) {
  if (values.only !== undefined && values.only !== setting) continue
  results.push(await measure(setting === 'on'))
}
console.log(`${rows} requests, refreshed ${rounds} times; sizes in MB, times in ms (of the processor)`)
console.table(results)
