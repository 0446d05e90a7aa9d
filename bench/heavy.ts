import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { countTexts } from '../src/requests/words/uncounted-texts.ts'
import { createTestClient, type TestClient } from '../test/client.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'
import { type Corpus, createRandom, readCorpus } from './engines/corpus.ts'
import { createLoader } from './engines/load.ts'
import { positive } from './options.ts'
import { percentile } from './report.ts'

// What the searches of one account wait for beside another account that has its dearest searches answered as fast as it can.
//   node bench/heavy.ts [--backend embedded|postgres] [--requests 46000] [--seconds 20] [--at-once 6] [--data-dir DIR]
//     --data-dir keeps the loaded embedded database. Before and after: run it in two checkouts, in turns.

const { values: options } = parseArgs({
  options: {
    backend: { type: 'string', default: 'embedded' },
    requests: { type: 'string', default: '46000' },
    seconds: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '6' },
    'data-dir': { type: 'string', default: '/tmp/wishwell-bench-heavy' },
  },
})
const [size, seconds, atOnce] = [
  positive(options, 'requests'),
  positive(options, 'seconds'),
  positive(options, 'at-once'),
]
const adminKey = 'admin-key-of-the-bench'
const batchSize = 1_000

async function load(corpus: Corpus, where: { directory: string } | { databaseUrl: string }): Promise<void> {
  const { database, close } = await openBenchDatabase(where)
  const store = await createLoader(database)
  for (let from = 0; from < size; from += batchSize) {
    await store(Array.from({ length: Math.min(batchSize, size - from) }, (_, index) => corpus.document(from + index)))
  }
  // Placing in wishes is another bench's subject.
  await sql`delete from wish_queue`.execute(database)
  await countTexts(database)
  await sql`analyze`.execute(database)
  await close()
}

async function startProcess(environment: Record<string, string>) {
  const file = fileURLToPath(new URL('service-process.ts', import.meta.url))
  const env = { PATH: process.env.PATH ?? '', ADMIN_API_KEY: adminKey, PORT: '0', ...environment }
  const child = fork(file, { execArgv: ['--disable-warning=ExperimentalWarning'], env })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const stop = async () => {
    child.disconnect()
    await once(child, 'exit')
  }
  return { url, stop }
}

async function makeAccount(url: string): Promise<TestClient> {
  const admin = createTestClient(() => url, adminKey)
  const { body } = await admin.post('/api/admin/accounts', { name: 'an account', tier: 'max' })
  return createTestClient(() => url, body.data.apiKey)
}

/** Each is another one, so that no answer is cached. */
function queriesOf({ frequentWords }: Corpus, seed: number) {
  const random = createRandom(seed)
  const word = () => frequentWords[Math.floor(random() * frequentWords.length)]!
  const letter = () => 'abcdefghijklmnopqrstuvwxyz'[Math.floor(random() * 26)]!
  let heavy = 0
  return {
    usual: () => ({ query: `${word()} ${word()}` }),
    dear: (): Record<string, unknown> & { query: string } => {
      heavy += 1
      if (heavy % 3 === 0) return { query: `${word()} ${letter()}`, prefix: true, total: true }
      if (heavy % 3 === 1) return { query: `"${word()} ${word()}" ${word()} -${word()} -${word()}`, facets: ['tag'] }
      return { query: `${word()} ${word()} ${word()}`, groupBy: 'wish', total: true }
    },
  }
}

/** Calls again and again until the time is over. @returns the milliseconds of each call. */
async function repeat(call: () => Promise<{ status: number }>, pauseMs: number, until: number): Promise<number[]> {
  const times: number[] = []
  while (performance.now() < until) {
    const from = performance.now()
    const { status } = await call()
    if (status !== 200) throw new Error(`a search was answered with ${status}`)
    times.push(performance.now() - from)
    if (pauseMs > 0) await sleep(pauseMs)
  }
  return times
}

const show = (times: readonly number[]) =>
  `p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms of ${times.length}`

async function measure(url: string, corpus: Corpus): Promise<void> {
  const [light, other] = [await makeAccount(url), await makeAccount(url)]
  const queries = queriesOf(corpus, 11)
  const search = (client: TestClient, { query, ...more }: Record<string, unknown> & { query: string }) =>
    client.search(query, more)
  let count = 0
  const kinds = {
    'two words': queries.usual,
    'every tenth a dear one': () => (++count % 10 === 0 ? queries.dear() : queries.usual()),
  }
  for (const [kind, next] of Object.entries(kinds)) {
    const lightly = (forSeconds: number) =>
      Promise.all(
        [1, 2].map(() => repeat(() => search(light, next()), 50, performance.now() + forSeconds * 1_000)),
      ).then((times) => times.flat())
    await lightly(3)
    const idle = await lightly(seconds)
    const until = performance.now() + seconds * 1_000
    const dear = Array.from({ length: atOnce }, () => repeat(() => search(other, queries.dear()), 0, until))
    const beside = await lightly(seconds)
    const heavy = (await Promise.all(dear)).flat()
    console.log(
      `${kind}: alone ${show(idle)}; beside ${atOnce} dear ones at once ${show(beside)} (these: ${show(heavy)})`,
    )
    console.log(`  p99 beside of alone: ${(percentile(beside, 0.99) / percentile(idle, 0.99)).toFixed(2)}`)
  }
}

const corpus = readCorpus()
console.log(`${options.backend}, ${size} requests, ${cpus()[0]?.model.trim()}`)
if (options.backend === 'postgres') {
  const server = await startPostgres()
  await server.createDatabase('heavy')
  const databaseUrl = server.url('heavy')
  await load(corpus, { databaseUrl })
  const service = await startProcess({ DATABASE_URL: databaseUrl, DATA_DIR: options['data-dir'] })
  await measure(service.url, corpus)
  await service.stop()
  await server.stop()
} else {
  const directory = options['data-dir']
  const marker = join(directory, 'loaded.json')
  mkdirSync(directory, { recursive: true })
  const dataDir = join(directory, 'data')
  if (!existsSync(marker)) {
    await load(corpus, { directory: dataDir })
    writeFileSync(marker, '{}')
  }
  const service = await startProcess({ DATA_DIR: dataDir })
  await measure(service.url, corpus)
  await service.stop()
}
process.exit(0)
