import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { createTestClient } from '../../test/client.ts'
import { startPostgres } from '../../test/postgres.ts'
import { openBenchDatabase } from '../bench-database.ts'
import { corpusFile, readCorpus } from '../engines/corpus.ts'
import { storeDocuments } from '../engines/load.ts'
import { madeUpDocument } from '../memory-data.ts'
import { startSimulator } from '../simulator-client.ts'
import type { DatabaseState } from './database-state.ts'

// What is under load: platforms, a database with requests in it, and processes of the service.

const durable = ['fsync=on', 'full_page_writes=on', 'synchronous_commit=on']
const platforms = 'github,hackernews,stackexchange,discourse,lemmy,gitlab'
const adminKey = 'admin-key-of-the-benchmark'
const bootstrapKey = `ww_live_${'m'.repeat(32)}`
const batchSize = 1_000
/** Requests that the simulated platforms have about each topic. */
const requestsOfTopic = 250

export interface StackOptions {
  backend: 'embedded' | 'postgres'
  search: 'database' | 'local'
  processes: number
  /** Stored before the load. */
  requests: number
  accounts: number
  /** For the data, which `stop` deletes, and for the logs, which stay. */
  directory: string
  note(text: string): void
}

export interface ServiceProcess {
  name: string
  url: string
  processId: number
  /** Its data directory. */
  dataDir: string
  readDatabase(): Promise<DatabaseState>
  stop(): Promise<void>
}

export interface Stack {
  adminKey: string
  keys: string[]
  processes: ServiceProcess[]
  /** The first process of Postgres; null on the embedded database. */
  postgresId: number | null
  /** Raises the votes of everything on the platforms, as time does. */
  bumpVotes(): void
  /** Forgets what the platforms were asked, which they log. */
  forgetPlatformCalls(): Promise<unknown>
  logFiles: string[]
  stop(): Promise<void>
}

async function postgresProcess(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ id: number }>(
    `select split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int as id`,
  )
  await client.end()
  return rows[0]!.id
}

async function load({ requests, note }: StackOptions, dataDir: string, databaseUrl: string | undefined): Promise<void> {
  const opened = await openBenchDatabase(databaseUrl === undefined ? { directory: dataDir } : { databaseUrl })
  try {
    const document = existsSync(corpusFile) ? readCorpus().document : madeUpDocument
    for (let start = 0; start < requests; start += batchSize) {
      const count = Math.min(batchSize, requests - start)
      const documents = Array.from({ length: count }, (_, index) => document(start + index))
      await storeDocuments(opened.database, documents, { jobId: null, now: new Date() })
      if ((start / batchSize) % 10 === 9) note(`stored ${start + count} of ${requests} requests`)
    }
  } finally {
    await opened.close()
  }
}

async function startProcess(
  name: string,
  environment: Record<string, string | undefined>,
  dataDir: string,
  logFile: string,
): Promise<ServiceProcess> {
  const child: ChildProcess = fork(fileURLToPath(new URL('service.ts', import.meta.url)), {
    // As the launcher starts the service (bin/run-node.mjs).
    execArgv: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4'],
    env: {
      PATH: process.env.PATH,
      MALLOC_ARENA_MAX: '2',
      MALLOC_TRIM_THRESHOLD_: '131072',
      ...environment,
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'warn',
    },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const log = createWriteStream(logFile)
  child.stdout?.pipe(log, { end: false })
  child.stderr?.pipe(log, { end: false })
  const ended = once(child, 'exit').then(([code]): never => {
    throw new Error(`${name} ended with ${code}; its log is ${logFile}`)
  })
  ended.catch(() => {})
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }]
  return {
    name,
    url,
    processId: child.pid ?? 0,
    dataDir,
    readDatabase: async () => {
      child.send('database')
      const [state] = (await Promise.race([once(child, 'message'), ended])) as [DatabaseState | { error: string }]
      if ('error' in state) throw new Error(state.error)
      return state
    },
    stop: async () => {
      if (child.exitCode !== null) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

async function makeKeys(url: string, count: number): Promise<string[]> {
  const admin = createTestClient(() => url, adminKey)
  const keys: string[] = []
  for (let number = 0; number < count; number++) {
    const { status, body } = await admin.post('/api/admin/accounts', { name: `caller ${number}`, tier: 'max' })
    if (status >= 300) throw new Error(`no account was made: ${JSON.stringify(body)}`)
    keys.push(body.data.apiKey)
  }
  return keys
}

/** Starts everything and stores the requests; `stop` ends and deletes it. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { backend, search, processes: count, accounts, directory, note } = options
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const data = mkdtempSync(join(directory, 'data-'))
  const stops: (() => unknown)[] = [() => rmSync(data, { recursive: true, force: true })]
  const stop = async () => {
    for (const end of stops.splice(0).reverse()) await end()
  }
  try {
    const server = backend === 'postgres' ? await startPostgres({ settings: durable }) : null
    if (server) stops.push(() => server.stop())
    await server?.createDatabase('bench')
    const databaseUrl = server?.url('bench')
    const dataDirs = Array.from({ length: count }, (_, index) => join(data, `service-${index + 1}`))
    for (const dataDir of dataDirs) mkdirSync(dataDir, { mode: 0o700 })
    await load(options, dataDirs[0]!, databaseUrl)
    const simulator = await startSimulator({ limits: 'none', size: requestsOfTopic })
    stops.push(simulator.stop)
    const environment = {
      ...simulator.environment,
      PLATFORMS: platforms,
      ADMIN_API_KEY: adminKey,
      BOOTSTRAP_API_KEY: bootstrapKey,
      DATABASE_URL: databaseUrl,
      SEARCH_ENGINE: search === 'local' ? 'local' : undefined,
    }
    const processes: ServiceProcess[] = []
    const logFiles: string[] = []
    for (const [index, dataDir] of dataDirs.entries()) {
      const logFile = join(directory, `service-${index + 1}.log`)
      logFiles.push(logFile)
      const started = await startProcess(`service ${index + 1}`, environment, dataDir, logFile)
      processes.push(started)
      stops.push(started.stop)
    }
    note(`${count} processes run on ${backend}`)
    const keys = await makeKeys(processes[0]!.url, accounts)
    const postgresId = databaseUrl === undefined ? null : await postgresProcess(databaseUrl)
    const { bumpVotes, report: forgetPlatformCalls } = simulator
    return { adminKey, keys, processes, postgresId, bumpVotes, forgetPlatformCalls, logFiles, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
