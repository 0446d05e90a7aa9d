import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { generateApiKey } from '../src/accounts/api-key.ts'
import type { ServiceOverrides } from '../src/app/compose-service.ts'
import { readConfig } from '../src/app/config.ts'
import { type Service, startService } from '../src/app/service.ts'
import { openPlatformNames } from '../src/platforms/registry.ts'
import { createTestClient, type TestClient } from '../test/client.ts'
import { startPostgres } from '../test/postgres.ts'
import { platformMap, scriptedPlatform } from '../test/scripted-platform.ts'
import { startSimulator } from './simulator-client.ts'

// How fast Wishwell collects, in both backends, against simulated platforms in a process of their own:
//   1. the cost of a page alone: pages without requests, from a platform that answers at once;
//   2. without limits: the cost of a page besides fetching it, compared with a loop that only fetches the same pages;
//   3. with the real limits, in real time: how close a job comes to the least time that the limits allow.
//   node bench/collect.ts [--backend embedded|postgres] [--only bookkeeping|overhead|waiting]

const { values } = parseArgs({ options: { backend: { type: 'string' }, only: { type: 'string' } } })
const depth = 40
/**
 * Real time, so a backend takes three minutes: our own work, and the second that we stay away longer from a limit which no answer
 * tells of, do not get shorter with the windows.
 */
const timeScale = 1
const topic = 'dark mode'

interface Running {
  service: Service
  client: TestClient
  stop(): Promise<void>
}

async function start(
  environment: Record<string, string>,
  databaseUrl: string | undefined,
  overrides: ServiceOverrides,
): Promise<Running> {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-bench-'))
  const apiKey = generateApiKey()
  const config = readConfig({
    ...environment,
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    BOOTSTRAP_API_KEY: apiKey,
    ADMIN_API_KEY: 'admin-key-of-the-benchmark',
    PLATFORMS: openPlatformNames.join(','),
  })
  const onCrash = (error: Error) => {
    throw error
  }
  const service = await startService(config, pino({ level: 'silent' }), onCrash, overrides)
  return {
    service,
    client: createTestClient(() => service.address ?? '', apiKey),
    stop: async () => {
      await service.stop()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** Runs jobs at once. @returns from the first start to the last end, in milliseconds, and what they delivered. */
async function collect({ client, service }: Running, jobs: { topic: string; platforms: readonly string[] }[]) {
  const started = await Promise.all(jobs.map((job) => client.scrape({ ...job, depth })))
  const ended = []
  for (const { body } of started) ended.push(await client.waitForJob(body.data.jobId, 600_000))
  for (const { status, errors } of ended) {
    if (status !== 'completed' || errors) throw new Error(`a job did not end well: ${JSON.stringify(errors)}`)
  }
  const startMs = Math.min(...ended.map(({ startedAt }) => Date.parse(startedAt)))
  const endMs = Math.max(...ended.map(({ completedAt }) => Date.parse(completedAt)))
  const { pages, requests } = await service.database.database
    .selectFrom('scrape_tasks')
    .select(({ fn }) => [fn.sum<number>('pages').as('pages'), fn.sum<number>('requests_found').as('requests')])
    .where(
      'job_id',
      'in',
      ended.map(({ jobId }) => jobId as string),
    )
    .executeTakeFirstOrThrow()
  return { ms: endMs - startMs, pages: Number(pages), requests: Number(requests) }
}

/** The time of a script that only fetches the same pages, one after the other. */
async function fetchAll(urls: readonly string[]): Promise<number> {
  const startedAt = performance.now()
  for (const url of urls) await (await fetch(url)).json()
  return performance.now() - startedAt
}

const row = (...cells: (string | number)[]) =>
  console.log(
    `  ${cells.map((cell, index) => String(cell)[index === 0 ? 'padEnd' : 'padStart'](index === 0 ? 30 : 13)).join('')}`,
  )

async function measureBookkeeping(backend: string, databaseUrl?: string): Promise<void> {
  const emptyPages = scriptedPlatform('github', (_call, { cursor }) => ({
    requests: [],
    nextCursor: Number(cursor) + 1,
  }))
  const running = await start({}, databaseUrl, { platforms: { adapters: platformMap(emptyPages) } })
  const job = { topic, platforms: ['github'] }
  await collect(running, [job])
  const { ms, pages } = await collect(running, [job])
  console.log(`${backend}: a page without requests, fetched at once: ${(ms / pages).toFixed(2)} ms`)
  await running.stop()
}

async function measureOverhead(backend: string, databaseUrl?: string): Promise<void> {
  const simulator = await startSimulator({ limits: 'none', size: 4_000 })
  // Our own budgets must not count either.
  const running = await start(simulator.environment, databaseUrl, { platforms: { timeScale: 1_000_000 } })
  console.log(`${backend}, no limits, depth ${depth}`)
  row('', 'pages', 'requests', 'ms a page', 'fetch only', 'overhead ms', 'ms a request', 'requests/s')
  await collect(running, [{ topic: 'warm up', platforms: openPlatformNames }])
  await simulator.report()
  for (const platforms of [...openPlatformNames.map((name) => [name]), openPlatformNames]) {
    const { ms, pages, requests } = await collect(running, [{ topic, platforms }])
    const { urls } = await simulator.report()
    const fetchMs = await fetchAll(urls)
    await simulator.report()
    const title = platforms.length > 1 ? 'all at once, new again' : `${platforms[0]}`
    const each = (total: number) => (total / pages).toFixed(2)
    const overhead = platforms.length > 1 ? '' : each(ms - fetchMs)
    const perRequest = platforms.length > 1 ? '' : ((ms - fetchMs) / requests).toFixed(3)
    row(title, pages, requests, each(ms), each(fetchMs), overhead, perRequest, Math.round((requests / ms) * 1_000))
  }
  await running.stop()
  await simulator.stop()
}

async function measureWaiting(backend: string, databaseUrl?: string): Promise<void> {
  const simulator = await startSimulator({ limits: 'real', timeScale, size: 4_000, latencyMs: 20 })
  await simulator.warm([topic])
  const running = await start(simulator.environment, databaseUrl, { platforms: { timeScale } })
  const { ms, pages } = await collect(running, [{ topic, platforms: openPlatformNames }])
  const { leastMs, bottleneck, breaches, refused } = await simulator.report()
  console.log(
    `${backend}, real limits x${timeScale}, one job of ${openPlatformNames.length} platforms, depth ${depth}: ${pages} pages in ${ms} ms`,
  )
  console.log(
    `  least ${leastMs} ms (${bottleneck}), ratio ${(ms / leastMs).toFixed(3)}; breaches of politeness: ${breaches}; refused: ${refused.join(', ') || 'none'}`,
  )
  await running.stop()
  await simulator.stop()
}

const measurements = Object.entries({
  bookkeeping: measureBookkeeping,
  overhead: measureOverhead,
  waiting: measureWaiting,
}).filter(([name]) => values.only === undefined || values.only === name)
if (values.backend !== 'postgres') for (const [, measure] of measurements) await measure('embedded')
if (values.backend !== 'embedded') {
  const server = await startPostgres()
  try {
    for (const [name, measure] of measurements) {
      await server.createDatabase(name)
      await measure('postgres', server.url(name))
    }
  } finally {
    await server.stop()
  }
}
