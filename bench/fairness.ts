import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openPlatformNames } from '../src/platforms/registry.ts'
import { createTestClient, type TestClient } from '../test/client.ts'
import { startPostgres } from '../test/postgres.ts'
import { percentile } from './report.ts'
import type { MemoryReport } from './service-process.ts'
import { startSimulator } from './simulator-client.ts'

// Whether a crowd of jobs ends, in how much memory, and how long the first task of a small account waits beside a big one;
// embedded in one process, and on Postgres with two.
//   node bench/fairness.ts [--backend embedded|postgres] [--rounds 3]

const { values } = parseArgs({ options: { backend: { type: 'string' }, rounds: { type: 'string', default: '3' } } })
const rounds = Number(values.rounds)
const adminKey = 'admin-key-of-the-benchmark'
const crowd = { accounts: 20, jobsEach: 5, depth: 2 }
const big = { jobs: 170, depth: 1 }
const smallAccounts = 20
const topics = 40

type Environment = Record<string, string | undefined>

async function startProcess(environment: Environment) {
  const file = fileURLToPath(new URL('service-process.ts', import.meta.url))
  const execArgv = ['--disable-warning=ExperimentalWarning', '--expose-gc']
  const child = fork(file, { execArgv, env: { PATH: process.env.PATH, ...environment } as NodeJS.ProcessEnv })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    memory: async (): Promise<MemoryReport> => {
      child.send('memory')
      return (await once(child, 'message'))[0] as MemoryReport
    },
    stop: async () => {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
type ServiceProcess = Awaited<ReturnType<typeof startProcess>>

async function makeAccount(url: string, tier: string): Promise<TestClient> {
  const admin = createTestClient(() => url, adminKey)
  const { body } = await admin.post('/api/admin/accounts', { name: `a ${tier} account`, tier })
  return createTestClient(() => url, body.data.apiKey)
}

async function start(client: TestClient, topic: string, depth: number): Promise<string> {
  const { status, text, body } = await client.scrape({ topic, depth, platforms: openPlatformNames })
  if (status !== 200) throw new Error(`a job was refused: ${text}`)
  return body.data.jobId
}

/** Every job of a crowd that starts at once, until all have ended. @returns how long that took. */
async function runCrowd(url: string, round: number): Promise<number> {
  const startedAt = performance.now()
  const clients = await Promise.all(Array.from({ length: crowd.accounts }, () => makeAccount(url, 'free')))
  const jobs = await Promise.all(
    clients.flatMap((client, account) =>
      Array.from({ length: crowd.jobsEach }, async (_, job) => ({
        client,
        jobId: await start(client, `topic ${(account * crowd.jobsEach + job + round) % topics}`, crowd.depth),
      })),
    ),
  )
  for (const { client, jobId } of jobs) {
    const { status } = await client.waitForJob(jobId, 600_000)
    if (status !== 'completed') throw new Error(`job ${jobId} ended as ${status}`)
  }
  return performance.now() - startedAt
}

/** How long the jobs of small accounts wait for their first task, beside one that has over a thousand tasks waiting. */
async function measureWaits(url: string): Promise<void> {
  const bigOne = await makeAccount(url, 'max')
  for (let job = 0; job < big.jobs; job++) await start(bigOne, `big topic ${job}`, big.depth)
  const before = (await bigOne.get('/api/v1/scrape?status=completed&limit=100')).body.data.results.length
  const waits: number[] = []
  const clients = await Promise.all(Array.from({ length: smallAccounts }, () => makeAccount(url, 'free')))
  const jobs = await Promise.all(
    clients.map(async (client) => ({ client, jobId: await start(client, 'small topic', 2) })),
  )
  for (const { client, jobId } of jobs) {
    await client.waitForJob(jobId, 600_000)
    const [job] = (await client.get('/api/v1/scrape')).body.data.results
    waits.push(Date.parse(job.startedAt) - Date.parse(job.createdAt))
  }
  waits.sort((a, b) => a - b)
  const { hasMore } = (await bigOne.get('/api/v1/scrape?status=pending&limit=1')).body.data
  console.log(
    `  first task of ${smallAccounts} small accounts beside ${big.jobs * openPlatformNames.length} tasks of a big one ` +
      `(${before}+ of its ${big.jobs} jobs had ended, ${hasMore ? 'some' : 'few or none'} still waited after): ` +
      `p50 ${percentile(waits, 0.5)} ms, p95 ${percentile(waits, 0.95)} ms, longest ${waits.at(-1)} ms`,
  )
}

async function measure(backend: string, processes: number, databaseUrl?: string): Promise<void> {
  const simulator = await startSimulator({ limits: 'none', size: 420, latencyMs: 20 })
  const directories: string[] = []
  const services: ServiceProcess[] = []
  for (let process = 0; process < processes; process++) {
    const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
    directories.push(dataDir)
    services.push(
      await startProcess({
        ...simulator.environment,
        PORT: '0',
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        ADMIN_API_KEY: adminKey,
        PLATFORMS: openPlatformNames.join(','),
        // All tasks of the big account must be in the queue: admission alone is not what protects the others.
        RUNNING_JOBS_MAX: String(big.jobs),
      }),
    )
  }
  const url = services[0]!.url
  console.log(`${backend}, ${processes} process(es), load ${loadavg()[0]?.toFixed(1)}`)
  for (let round = 1; round <= rounds; round++) {
    const ms = await runCrowd(url, round)
    await simulator.report()
    const memory = await Promise.all(services.map((service) => service.memory()))
    const figures = memory.map(({ heapMb, residentMb }) => `heap ${heapMb} MB, resident ${residentMb} MB`).join('; ')
    const { body } = await createTestClient(() => url, adminKey).get('/api/admin/verify')
    const differences = body?.data?.differences?.length ?? 'unknown'
    console.log(
      `  ${crowd.accounts * crowd.jobsEach} jobs of ${crowd.accounts} accounts at once, round ${round}: all ended in ` +
        `${(ms / 1_000).toFixed(1)} s; ${figures}; differences in the ledger: ${differences}`,
    )
  }
  await measureWaits(url)
  for (const service of services) await service.stop()
  await simulator.stop()
  for (const directory of directories) rmSync(directory, { recursive: true })
}

if (values.backend !== 'postgres') await measure('embedded', 1)
if (values.backend !== 'embedded') {
  const server = await startPostgres()
  try {
    await server.createDatabase('fairness')
    await measure('postgres', 2, server.url('fairness'))
  } finally {
    await server.stop()
  }
}
