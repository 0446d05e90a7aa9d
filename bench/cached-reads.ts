import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { createAccount } from '../src/accounts/accounts.ts'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { addKey } from '../src/accounts/keys.ts'
import { readConfig } from '../src/config.ts'
import type { Database } from '../src/database/open.ts'
import { startService } from '../src/service.ts'
import { startPostgres } from '../test/postgres.ts'
import { storePosts, usualLengths } from './answers-data.ts'
import { positive } from './options.ts'
import { postgresMs } from './processor-time.ts'
import { writeSection } from './report.ts'
import { callers, type Line, measure } from './search-measure.ts'

// What following the version of the data costs on a durable Postgres: cached reads a second of one process, and writers
// that write a version beside writers that notify.
//   node bench/cached-reads.ts [--seconds 5] [--write]

const { values: options } = parseArgs({
  options: { seconds: { type: 'string', default: '5' }, write: { type: 'boolean', default: false } },
})
const seconds = positive(options, 'seconds')
const durable = ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on']
/** Each account makes a share of the calls, as on a service that many use. */
const accounts = 32
const table = (header: Line, lines: Line[]) =>
  [header, header.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
const fail = (error: Error) => {
  throw error
}

async function makeKeys(database: Database): Promise<string[]> {
  const keys: string[] = []
  for (let index = 0; index < accounts; index++) {
    const now = new Date()
    const accountId = await createAccount(database, { name: `account ${index}`, tier: 'max', now })
    const apiKey = generateApiKey()
    await addKey(database, { accountId, name: 'bench', apiKey, now })
    keys.push(apiKey)
  }
  return keys
}

/** The CPU time so far of this process, and of all processes of a Postgres, in milliseconds. */
async function cpuMs(url: string | undefined): Promise<{ service: number; postgres: number }> {
  const { user, system } = process.cpuUsage()
  return { service: (user + system) / 1_000, postgres: url === undefined ? 0 : await postgresMs(url) }
}

async function measureReads(databaseUrl: string | undefined, cachesResponses: boolean): Promise<Line[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-reads-'))
  const config = readConfig({
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    BOOTSTRAP_API_KEY: generateApiKey(),
    ADMIN_API_KEY: 'admin-key-of-the-bench',
  })
  const requestLimits = { ofTier: () => 1_000_000, polls: 1_000_000, withoutKey: 1_000_000, files: 1_000_000 }
  const service = await startService(config, pino({ level: 'silent' }), fail, { requestLimits, cachesResponses })
  try {
    const { database } = service.database
    const stored = await database.selectFrom('requests').select('id').limit(1).execute()
    if (stored.length === 0) await storePosts(database, 'dark mode', usualLengths(400))
    const keys = await makeKeys(database)
    const lines: Line[] = []
    for (const [what, accountKeys] of [
      ['one account', keys.slice(0, 1)],
      [`${accounts} accounts`, keys],
    ] as const) {
      const before = await cpuMs(databaseUrl)
      const { times, perSecond, calls } = await measure({
        url: service.address ?? '',
        seconds,
        method: 'GET',
        path: '/api/v1/requests?topic=dark+mode&limit=5',
        headers: {},
        keys: accountKeys,
        bodies: [],
      })
      const after = await cpuMs(databaseUrl)
      const backend = databaseUrl === undefined ? 'embedded' : 'Postgres'
      const cpu = [after.service - before.service, after.postgres - before.postgres].map((ms) =>
        (ms / calls).toFixed(3),
      )
      const cached = cachesResponses ? 'cached' : 'not cached'
      lines.push([backend, cached, what, times[0] ?? '', perSecond.toFixed(0), ...cpu])
    }
    return lines
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** Transactions a second of so many writers, each of which runs the statement beside an insert of its own. */
async function measureWriters(url: string, statement: string, writers: number): Promise<number> {
  const clients = await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
  )
  let transactions = 0
  const until = performance.now() + seconds * 1_000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < until) {
        await client.query(`begin; insert into written values (1); ${statement}; commit`)
        transactions++
      }
    }),
  )
  await Promise.all(clients.map((client) => client.end()))
  return transactions / seconds
}

async function measureVersions(url: string): Promise<Line[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create table written (number int);
    create table versioned (number int);
    create trigger versions after insert on versioned for each statement execute function notify_request_change()`)
  const ways = {
    'nothing else': 'select 1',
    'a version': 'insert into versioned values (1)',
    'a notification': "insert into written values (1); select pg_notify('channel', '')",
  }
  const lines: Line[] = []
  for (const [what, statement] of Object.entries(ways)) {
    const counts = []
    for (const writers of [1, 4, 16]) counts.push((await measureWriters(url, statement, writers)).toFixed(0))
    lines.push([what, ...counts])
  }
  await client.end()
  return lines
}

const server = await startPostgres({ settings: durable })
try {
  await server.createDatabase('bench')
  const url = server.url('bench')
  const reads: Line[] = []
  for (const [databaseUrl, cachesResponses] of [
    [url, true],
    [url, false],
    [undefined, true],
  ] as const) {
    reads.push(...(await measureReads(databaseUrl, cachesResponses)))
  }
  const text = [
    table(
      [
        'backend',
        'lists are',
        'callers',
        'p50 ms',
        'a second, 16 clients',
        'CPU ms of the service',
        'CPU ms of Postgres',
      ],
      reads,
    ),
    table(['a transaction writes a row and', '1 writer', '4 writers', '16 writers'], await measureVersions(url)),
  ].join('\n\n')
  console.log(text)
  if (options.write) writeSection('cached reads', text)
} finally {
  callers.kill()
  await server.stop()
}
