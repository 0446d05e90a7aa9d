import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { generateApiKey } from '../src/accounts/keys.ts'
import { readConfig } from '../src/config.ts'
import type { Expansion } from '../src/expansion/expansion.ts'
import { openPlatformNames } from '../src/platforms/registry.ts'
import { startService } from '../src/service.ts'
import { createTestClient } from '../test/client.ts'
import { startPostgres } from '../test/postgres.ts'
import { percentile } from './report.ts'
import { startSimulator } from './simulator-client.ts'

// How long a search with expand takes from call to answer, in both backends: five topics on six platforms that answer after 300 ms
// each, simulated in a process of their own. Their limits do not count here, their rules do (one request at a time to GitHub).
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

async function measure(backend: string, databaseUrl?: string): Promise<void> {
  // Three hosts of the platforms that are asked at three by default.
  const simulators = [0, 1, 2].map((seed) => startSimulator({ limits: 'none', size: 400, latencyMs, seed: seed + 1 }))
  const [simulator, ...others] = (await Promise.all(simulators)) as [Simulator, ...Simulator[]]
  const allOf = (name: string) => [simulator, ...others].map(({ environment }) => environment[name]).join(',')
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
  const apiKey = generateApiKey()
  const config = readConfig({
    ...simulator.environment,
    ...{ DISCOURSE_URLS: allOf('DISCOURSE_URLS'), LEMMY_URLS: allOf('LEMMY_URLS') },
    ...{ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, BOOTSTRAP_API_KEY: apiKey },
    ADMIN_API_KEY: 'admin-key-of-the-benchmark',
    PLATFORMS: openPlatformNames.join(','),
    LIVE_DEADLINE_SECONDS: '60',
  })
  const onCrash = (error: Error) => {
    throw error
  }
  let round = 0
  let statements = 0
  const expansion: Expansion = { topicsFor: async () => topicsOf(round) }
  const onStatement = () => {
    statements += 1
  }
  const overrides = { platformTimeScale: 1_000_000, expansion, onStatement }
  const service = await startService(config, pino({ level: process.env.LOG_LEVEL ?? 'silent' }), onCrash, overrides)
  const client = createTestClient(() => service.address ?? '', apiKey)
  const took: number[] = []
  let cpu = process.cpuUsage()
  for (round = 0; round <= rounds; round++) {
    statements = 0
    await Promise.all([simulator, ...others].map((one) => one.warm(topicsOf(round))))
    await simulator.report()
    const startedAt = performance.now()
    const { status, body } = await client.search(topicsOf(round)[0] ?? '', { expand: true, limit: 20 })
    const ms = performance.now() - startedAt
    if (status !== 200 || body.meta.errors.length > 0) throw new Error(JSON.stringify(body.meta ?? body))
    if (body.meta.topicsScraped !== 5) throw new Error(`not all topics: ${JSON.stringify(body.meta)}`)
    const { urls, breaches } = await simulator.report()
    if (breaches > 0) throw new Error(`${breaches} breaches of politeness`)
    // The first one warms up.
    if (round === 0) cpu = process.cpuUsage()
    else took.push(ms)
    if (round === rounds)
      console.log(
        `  last: ${urls.length} requests, ${statements} statements, ${JSON.stringify({ ...body.meta, expandedTopics: undefined })}`,
      )
  }
  took.sort((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((share) => Math.round(percentile(took, share)))
  const { user, system } = process.cpuUsage(cpu)
  const cpuMs = Math.round((user + system) / 1_000 / rounds)
  console.log(
    `${backend}: p50 ${p50} ms, p95 ${p95} ms, ${rounds} searches, each ${cpuMs} ms of this process' CPU time`,
  )
  await service.stop()
  await Promise.all([simulator, ...others].map((one) => one.stop()))
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
