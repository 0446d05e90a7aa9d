import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { sql } from 'kysely'
import { foundRequest } from '../src/platforms/content/fields.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { countSlice } from '../src/requests/words/uncounted-texts.ts'
import { openSearchIndex } from '../src/search/search-index.ts'
import { startPostgres } from '../test/postgres.ts'
import { openBenchDatabase } from './bench-database.ts'
import { text, word } from './upkeep-requests.ts'

// How long moving takes, and its memory: embedded to Postgres and back, each command in a process of its own.
//   node bench/moving.ts [--requests 100000] [--directory DATA_DIR]

const { values } = parseArgs({
  options: { requests: { type: 'string', default: '100000' }, directory: { type: 'string' } },
})
const pageSize = 1_000
const scratch = mkdtempSync(join(tmpdir(), 'wishwell-bench-moving-'))
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

/** The maximum of resident memory of a process so far, in MB (proc(5), VmHWM); 0 once it has ended. */
function peakMemoryOf(pid: number | undefined): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

/** Runs a command to its end. @returns its seconds and MB, and what it printed. */
async function run(environment: Record<string, string>, ...parameters: string[]) {
  const since = performance.now()
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...parameters], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let peakMb = 0
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryOf(child.pid))
  }, 100)
  let stdout = ''
  child.stdout.on('data', (chunk) => {
    stdout += chunk
  })
  const code = await new Promise((resolve) => child.on('close', resolve))
  clearInterval(watch)
  if (code !== 0) throw new Error(`${parameters.join(' ')} ended with ${code}: ${stdout}`)
  const figures = { seconds: Math.round((performance.now() - since) / 100) / 10, 'peak MB': Math.round(peakMb) }
  return { figures, result: JSON.parse(stdout) }
}

/** Fills a database as jobs do. */
async function fill(directory: string, requests: number): Promise<void> {
  const { database, close } = await openBenchDatabase({ directory })
  await openSearchIndex(database)
  const { rows } = await sql<{ id: string }>`
    with account as (insert into accounts (name, tier, created_at) values ('bench', 'max', now()) returning id)
    insert into scrape_jobs (account_id, topic, depth, created_at, expires_at)
    select id, 'bench', 1, now(), now() + interval '1 day' from account returning id`.execute(database)
  for (let first = 0; first < requests; first += pageSize) {
    const found = Array.from({ length: pageSize }, (_, index) =>
      foundRequest({
        sourceId: String(first + index),
        title: text(8),
        description: text(90),
        tags: [word(), word()],
        votes: (first + index) % 500,
        sourceUrl: `https://example.org/${first + index}`,
        confidence: 1,
      }),
    )
    const prepared = await preparePage('github', { requests: found }, null)
    const page = { ...prepared, platform: 'github', jobId: rows[0]?.id ?? '', topic: 'bench', now: new Date() }
    await storePageAlone(database, { ...page, markSeenBefore: null })
  }
  while (await countSlice(database));
  await close()
}

const source = values.directory ?? join(scratch, 'source')
if (values.directory === undefined) await fill(source, Number(values.requests))

const server = await startPostgres()
try {
  await server.createDatabase('moved')
  const [first, second] = [join(scratch, 'first.dump'), join(scratch, 'second.dump')]
  const postgres = { DATABASE_URL: server.url('moved') }
  const steps = {
    'dump from embedded': await run({ DATA_DIR: source }, 'admin', 'dump', first, '--json'),
    'restore into Postgres': await run(postgres, 'admin', 'restore-dump', first, '--json'),
    'dump from Postgres': await run(postgres, 'admin', 'dump', second, '--json'),
    'restore into embedded': await run(
      { DATA_DIR: join(scratch, 'target') },
      'admin',
      'restore-dump',
      second,
      '--json',
    ),
  }
  console.table(Object.fromEntries(Object.entries(steps).map(([name, { figures }]) => [name, figures])))
  const { totalRows, rows } = steps['dump from embedded'].result
  console.log(`${rows.requests} requests, ${totalRows} rows, ${Math.round(statSync(first).size / 1e6)} MB`)
} finally {
  await server.stop()
  rmSync(scratch, { recursive: true, force: true })
}
