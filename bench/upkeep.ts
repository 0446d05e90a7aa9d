import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { pino } from 'pino'
import { migrate } from '../src/database/migrate.ts'
import { type Database, type OpenDatabase, openDatabase } from '../src/database/open.ts'
import type { FoundRequest } from '../src/platforms/platform.ts'
import { openSearchIndex, type SearchIndex } from '../src/requests/search/search-index.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePage } from '../src/requests/store/store.ts'
import { createUpkeep, type Slice } from '../src/upkeep/upkeep.ts'
import { percentile as percentileOf } from './report.ts'

// What upkeep is for, and what it costs callers: requests that are refreshed again and again, without it and with it.
//   node bench/upkeep.ts [--rows 20000] [--rounds 20] [--texts 0.2] [--pause 20] [--quiet 3000] [--log] [--only on|off]
// Each refresh gives every request other votes and a share of them (--texts) another text. Between two pages nobody stores for
// --pause ms, after a round for --quiet ms. All the while a caller searches, and how long it waits is what counts.

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

/** Numbers that are the same in every run (a linear congruential generator). */
let seed = 20261121
const random = () => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
  return seed / 0x80000000
}
/** Words with the frequencies of a language: a few are in most texts, most are in a few. */
const word = () =>
  Math.floor(30_000 ** random())
    .toString(26)
    .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
const text = (length: number) => Array.from({ length }, word).join(' ')

interface Known {
  sourceId: string
  title: string
  description: string
  tags: string[]
}

const refresh = (known: Known, round: number): FoundRequest => {
  if (round > 0 && random() < textShare) known.description = text(70)
  return {
    ...known,
    votes: Math.floor(random() * 10_000),
    commentCount: round,
    sourceUrl: `https://example.org/${known.sourceId}`,
    authorName: null,
    authorHandle: null,
    authorProfileUrl: null,
    license: null,
    originalCreatedAt: null,
  }
}

async function createJob(database: Database): Promise<string> {
  const { rows: jobs } = await sql<{ id: string }>`
    with account as (insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id)
    insert into scrape_jobs (account_id, topic, depth, created_at, expires_at)
    select id, 'bench', 1, now(), now() + interval '1 day' from account returning id`.execute(database)
  return jobs[0]?.id ?? ''
}

/** Milliseconds of processor time of this process, the database's thread included: on a busy machine they say more than the clock. */
const processorMs = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

interface Took {
  ms: number
  processorMs: number
}

async function timed<T>(took: Took[], run: () => Promise<T>): Promise<T> {
  const [startedAt, usedBefore] = [performance.now(), processorMs()]
  try {
    return await run()
  } finally {
    took.push({ ms: performance.now() - startedAt, processorMs: processorMs() - usedBefore })
  }
}

const worstOf = (took: readonly Took[]) =>
  `${worst(took.map(({ ms }) => ms))} (${worst(took.map((one) => one.processorMs))})`
const worst = (numbers: readonly number[]) => Math.round(Math.max(0, ...numbers))
/** The middle one, by the processor. */
const middleOf = (took: readonly Took[]) => {
  return percentile(
    took.map((one) => one.processorMs),
    0.5,
  )
}
const percentile = (numbers: readonly number[], share: number) => Number(percentileOf(numbers, share).toFixed(1))

/** How long searches take when nothing else happens. */
async function searchLatency({ database }: OpenDatabase, index: SearchIndex) {
  const took: Took[] = []
  for (let turn = 0; turn < 300; turn++) {
    await timed(took, () => index.search(database, { query: text(2), offset: 0, limit: 20 }))
  }
  const clock = took.map(({ ms }) => ms)
  return { p50: `${percentile(clock, 0.5)} (${middleOf(took)})`, p95: percentile(clock, 0.95) }
}

async function sizes(database: Database) {
  const { rows: found } = await sql<Record<'table' | 'indexes' | 'bm25' | 'segments' | 'log', number>>`
    select pg_table_size('requests') / 1048576 as "table", pg_indexes_size('requests') / 1048576 as indexes,
      pg_relation_size('request_texts_bm25') / 1048576 as bm25,
      (select sum(count) from unnest(bm25_level_counts('request_texts_bm25')) as count)::int as segments,
      (select sum(size) / 1048576 from pg_ls_waldir())::int as log`.execute(database)
  return found[0]
}

async function measure(withUpkeep: boolean) {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-upkeep-'))
  const onCrash = (error: Error) => {
    throw error
  }
  const opened = await openDatabase({ databaseUrl: undefined, dataDir, onCrash })
  await migrate(opened.database)
  const index = await openSearchIndex(opened.database)
  const jobId = await createJob(opened.database)
  const slices: Slice[] = []
  const holds: Took[] = []
  const log = pino({ level: values.log ? 'debug' : 'warn' })
  const embedded = opened.embedded
  if (embedded === null) throw new Error('this is a bench of the embedded database')
  const client = { ...embedded, aside: (run: never) => timed(holds, () => embedded.aside(run)) } as typeof embedded
  const upkeep = withUpkeep ? await createUpkeep({ client, log, onSlice: (slice) => slices.push(slice) }) : null

  upkeep?.start()
  const known = Array.from({ length: rows }, (_, number) => {
    return { sourceId: String(number), title: text(8), description: text(70), tags: [word(), word()] }
  })
  const waits = { storing: [] as Took[], quiet: [] as Took[] }
  const pages: Took[] = []
  let phase: keyof typeof waits = 'storing'
  let ended = false
  const caller = (async () => {
    while (!ended) {
      await sleep(phase === 'storing' ? 50 : 100 + random() * 500)
      await timed(waits[phase], () => index.search(opened.database, { query: text(2), offset: 0, limit: 20 }))
    }
  })()
  for (let round = 0; round <= rounds; round++) {
    phase = 'storing'
    for (let start = 0; start < rows; start += pageSize) {
      const found = known.slice(start, start + pageSize).map((request) => refresh(request, round))
      const prepared = await preparePage(found)
      const page = { ...prepared, platform: 'github' as const, jobId, topic: 'bench', markSeenBefore: null }
      const store = () => opened.database.transaction().execute((open) => storePage(open, { ...page, now: new Date() }))
      await timed(pages, store)
      await sleep(Number(values.pause))
    }
    phase = 'quiet'
    await sleep(Number(values.quiet))
  }
  ended = true
  await caller
  await upkeep?.stop()
  const kinds = [...new Set(slices.map(({ kind }) => kind))]
  const result = {
    upkeep: withUpkeep ? 'on' : 'off',
    ...(await sizes(opened.database)),
    ...(await searchLatency(opened, index)),
    pageP50: percentile(
      pages.map(({ ms }) => ms),
      0.5,
    ),
    longestPage: worstOf(pages),
    longestWaitStoring: worstOf(waits.storing),
    longestWaitQuiet: worstOf(waits.quiet),
    longestHold: worstOf(holds),
  }
  for (const kind of kinds) {
    const took = slices.filter((slice) => slice.kind === kind).map(({ tookMs }) => tookMs)
    console.log(`${kind}: ${took.length} times, p50 ${percentile(took, 0.5)} ms, longest ${worst(took)} ms`)
  }
  await opened.close()
  rmSync(dataDir, { recursive: true, force: true })
  return result
}

const results = []
for (const setting of ['off', 'on']) {
  if (values.only !== undefined && values.only !== setting) continue
  results.push(await measure(setting === 'on'))
}
console.log(`${rows} requests, refreshed ${rounds} times; sizes in MB, times in ms (of the processor)`)
console.table(results)
