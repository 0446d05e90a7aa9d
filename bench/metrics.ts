import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { generateApiKey } from '../src/accounts/keys.ts'
import { storePosts } from './answers-data.ts'
import { openBenchDatabase } from './bench-database.ts'
import { percentile } from './report.ts'
import { callers, measure } from './search-measure.ts'
import type { MemoryReport } from './service-process.ts'

// What metrics and traces cost: calls a second with and without them, measured in turns in one run, each service in a process of its own.
//   node bench/metrics.ts [--seconds 2] [--rounds 5] [--posts 5000]

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '5' },
    posts: { type: 'string', default: '5000' },
  },
})
const seconds = Number(options.seconds)
const apiKey = generateApiKey()
const adminKey = 'admin-key-of-the-bench'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

/** A collector that takes every trace. */
const collector = createServer((request, response) => request.resume().once('end', () => response.end('{}')))
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
const { port } = collector.address() as AddressInfo

const directory = mkdtempSync(join(tmpdir(), 'wishwell-bench-metrics-'))
const template = join(directory, 'template')
const made = await openBenchDatabase({ directory: template })
await storePosts(made.database, 'dark mode', Array<number>(Number(options.posts)).fill(400))
await made.close()

interface Variant {
  name: string
  environment: Record<string, string>
  isScraped?: boolean
}
const variants: Variant[] = [
  { name: 'without', environment: { METRICS: 'false' } },
  { name: 'with metrics', environment: {} },
  { name: 'with metrics, scraped every second', environment: {}, isScraped: true },
  { name: 'with metrics and traces', environment: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` } },
]

async function start({ environment, isScraped }: Variant, index: number) {
  const dataDir = join(directory, `${index}`)
  cpSync(template, dataDir, { recursive: true })
  const file = fileURLToPath(new URL('service-process.ts', import.meta.url))
  const keys = { ADMIN_API_KEY: adminKey, BOOTSTRAP_API_KEY: apiKey }
  const startedAt = performance.now()
  const child: ChildProcess = fork(file, [], {
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: dataDir,
      LOG_LEVEL: 'error',
      REFRESH_REQUESTS: 'false',
      ...keys,
      ...environment,
    },
    execArgv: ['--disable-warning=ExperimentalWarning', '--expose-gc'],
  })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  const startMs = performance.now() - startedAt
  const scrape = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
    await answer.text()
  }
  const timer = isScraped ? setInterval(() => void scrape(), 1_000) : undefined
  return {
    url,
    startMs,
    memory: async (): Promise<MemoryReport> => {
      child.send('report')
      return (await once(child, 'message'))[0] as MemoryReport
    },
    stop: async () => {
      clearInterval(timer)
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

const path = '/api/v1/requests/search'
let nextQuery = 0
/** Bodies by workload: one that the cache answers, and such that no cache has. */
const workloads: Record<string, () => string[]> = {
  'a cached search': () => [JSON.stringify({ query: 'dark mode' })],
  'searches that are not cached': () =>
    Array.from({ length: 4_000 }, () => JSON.stringify({ query: `dark mode zq${nextQuery++}`, limit: 5 })),
}

const services: Awaited<ReturnType<typeof start>>[] = []
for (const [index, variant] of variants.entries()) services.push(await start(variant, index))
try {
  for (const [what, bodiesOf] of Object.entries(workloads)) {
    const perSecond = variants.map((): number[] => [])
    for (let round = 0; round < Number(options.rounds); round++) {
      for (const [index, { url }] of services.entries()) {
        const measured = await measure({ url, seconds, method: 'POST', path, headers, bodies: bodiesOf() })
        perSecond[index]!.push(measured.perSecond)
      }
    }
    console.log(`${what}: calls a second of sixteen clients, median of ${options.rounds} (lowest to highest)`)
    const base = percentile(perSecond[0]!, 0.5)
    for (const [index, { name }] of variants.entries()) {
      const [median, lowest, highest] = [0.5, 0, 1].map((share) => percentile(perSecond[index]!, share)) as [
        number,
        number,
        number,
      ]
      const share = `${((median / base - 1) * 100).toFixed(1)} %`
      console.log(
        `  ${name.padEnd(36)} ${median.toFixed(0).padStart(6)}  (${lowest.toFixed(0)} to ${highest.toFixed(0)})  ${share}`,
      )
    }
  }
  console.log('start, and memory after the load')
  for (const [index, { name }] of variants.entries()) {
    const { heapMb, residentMb } = await services[index]!.memory()
    console.log(
      `  ${name.padEnd(36)} ${services[index]!.startMs.toFixed(0)} ms, heap ${heapMb} MB, resident ${residentMb} MB`,
    )
  }
} finally {
  for (const service of services) await service.stop()
  callers.kill()
  collector.close()
  rmSync(directory, { recursive: true, force: true })
}
