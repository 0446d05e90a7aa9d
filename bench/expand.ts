import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { readConfig } from '../src/app/config.ts'
import { startService } from '../src/app/service.ts'
import { openPlatformNames } from '../src/platforms/registry.ts'
import { createTestClient, type TestClient } from '../test/client.ts'
import { startPostgres } from '../test/postgres.ts'
import { watched } from '../test/watched-database.ts'
import { percentile } from './report.ts'
import { startSimulator } from './simulator-client.ts'

// How long a search with expand takes from call to answer, in both backends: five topics on all open platforms, which answer after 300
// ms each and are simulated in a process of their own. Their limits do not count here, their rules do (one request at a time to GitHub).
//   node bench/expand.ts [rounds]

const rounds = Number(process.argv[2] ?? 15)
const latencyMs = 300
const words = [
  'dark',
  'mode',
  'offline',
  'sync',
  'export',
  'keyboard',
  'search',
  'theme',
  'calendar',
  'import',
  'filter',
  'tags',
]

/** A query and four topics that no round before had. */
const topicsOf = (round: number): string[] =>
  Array.from(
    { length: 5 },
    (_, index) => `${words[(round * 5 + index) % words.length]} ${words[(round + index) % 7]} ${round}`,
  )

type Simulator = Awaited<ReturnType<typeof startSimulator>>

/** Three hosts of the platforms whose default is three hosts. */
async function startSimulators() {
  const starts = [1, 2, 3].map((seed) => startSimulator({ limits: 'none', size: 400, latencyMs, seed }))
  const all = (await Promise.all(starts)) as [Simulator, ...Simulator[]]
  const [simulator] = all
  const hosts = (variable: string) => all.map(({ environment }) => environment[variable]).join(',')
  return {
    environment: {
      ...simulator.environment,
      DISCOURSE_URLS: hosts('DISCOURSE_URLS'),
      LEMMY_URLS: hosts('LEMMY_URLS'),
    },
    report: simulator.report,
    warm: (topics: readonly string[]) => Promise.all(all.map((one) => one.warm(topics))),
    stop: () => Promise.all(all.map((one) => one.stop())),
  }
}

/** A service whose queries stand for the topics that `topics` returns. */
async function startMeasured(environment: Record<string, string | undefined>, topics: () => string[]) {
  const apiKey = generateApiKey()
  const config = readConfig({
    ...environment,
    PORT: '0',
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-benchmark',
    PLATFORMS: openPlatformNames.join(','),
    LIVE_DEADLINE_SECONDS: '60',
  })
  const onCrash = (error: Error) => {
    throw error
  }
  const statements = { count: 0 }
  const overrides = {
    platforms: { timeScale: 1_000_000 },
    expansion: { topicsFor: async () => topics() },
    open: watched(() => {
      statements.count += 1
    }),
  }
  const service = await startService(config, pino({ level: process.env.LOG_LEVEL ?? 'silent' }), onCrash, overrides)
  return { service, statements, client: createTestClient(() => service.address ?? '', apiKey) }
}

/** One expanded search. @throws when it did not collect every topic, or broke a rule of a platform. */
async function timeSearch(client: TestClient, query: string) {
  const startedAt = performance.now()
  const { status, body } = await client.search(query, { expand: true, limit: 20 })
  const ms = performance.now() - startedAt
  if (status !== 200 || body.meta.errors.length > 0) throw new Error(JSON.stringify(body.meta ?? body))
  if (body.meta.topicsScraped !== 5) throw new Error(`not all topics: ${JSON.stringify(body.meta)}`)
  return { ms, meta: body.meta }
}

async function measure(backend: string, databaseUrl?: string): Promise<void> {
  const simulators = await startSimulators()
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
  let round = 0
  const environment = { ...simulators.environment, DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const { service, statements, client } = await startMeasured(environment, () => topicsOf(round))
  const took: number[] = []
  let cpu = process.cpuUsage()
  for (round = 0; round <= rounds; round++) {
    statements.count = 0
    await simulators.warm(topicsOf(round))
    await simulators.report()
    const { ms, meta } = await timeSearch(client, topicsOf(round)[0] ?? '')
    const { urls, breaches } = await simulators.report()
    if (breaches > 0) throw new Error(`${breaches} breaches of politeness`)
    // The first one warms up.
    if (round === 0) cpu = process.cpuUsage()
    else took.push(ms)
    if (round === rounds) {
      const facts = JSON.stringify({ ...meta, expandedTopics: undefined })
      console.log(`  last: ${urls.length} requests, ${statements.count} statements, ${facts}`)
    }
  }
  const [p50, p95] = [0.5, 0.95].map((share) => Math.round(percentile(took, share)))
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = Math.round((user + system) / 1_000 / rounds)
  console.log(
    `${backend}: p50 ${p50} ms, p95 ${p95} ms, ${rounds} searches, each ${cpuMs} ms of this process' CPU time`,
  )
  await service.stop()
  await simulators.stop()
  rmSync(dataDir, { recursive: true })
}

await measure('embedded')
const server = await startPostgres()
try {
  await server.createDatabase('expand')
  await measure('postgres', server.url('expand'))
} finally {
  await server.stop()
}
