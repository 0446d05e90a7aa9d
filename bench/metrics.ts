import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { generateApiKey } from '../src/accounts/api-key.ts'
import { storePosts } from './answers-data.ts'
import { openBenchDatabase } from './bench-database.ts'
import { mainThreadMs } from './processor-time.ts'
import { percentile } from './report.ts'
import type { MemoryReport } from './service-process.ts'

// What metrics cost: calls a second, and processor time of the main thread a call, with and without them, in turns in one run. Each
// service is a process of its own. The processor time is also right while the machine does other work. Linux only (/proc).
//   node bench/metrics.ts [--rounds 15] [--posts 5000]

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    posts: { type: 'string', default: '5000' },
  },
})
const rounds = Number(options.rounds)
const clients = 16
const apiKey = generateApiKey()
const adminKey = 'admin-key-of-the-bench'
const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

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
  const pool = new Pool(url, { connections: clients, pipelining: 1 })
  const scrape = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } })
    await answer.text()
  }
  const timer = isScraped ? setInterval(() => void scrape(), 1_000) : undefined
  return {
    pool,
    processId: child.pid!,
    startMs,
    memory: async (): Promise<MemoryReport> => {
      child.send('report')
      return (await once(child, 'message'))[0] as MemoryReport
    },
    stop: async () => {
      clearInterval(timer)
      await pool.close()
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

const path = '/api/v1/requests/search'
let nextQuery = 0
/** By workload: how many calls a round makes, and their bodies. */
const workloads: Record<string, { calls: number; body: () => string }> = {
  'a cached search': { calls: 4_000, body: () => JSON.stringify({ query: 'dark mode' }) },
  'searches that are not cached': {
    calls: 80,
    body: () => JSON.stringify({ query: `dark mode zq${nextQuery++}`, limit: 5 }),
  },
}

interface Round {
  perSecond: number
  /** Processor time of the main thread, in microseconds a call. */
  cpuMicros: number
}

/** Sends calls of some clients at a time. */
async function load(
  { pool, processId }: Pick<Started, 'pool' | 'processId'>,
  calls: number,
  body: () => string,
): Promise<Round> {
  const [startedAt, cpuBefore] = [performance.now(), mainThreadMs(processId)]
  let left = calls
  const send = async () => {
    while (left-- > 0) {
      const answer = await pool.request({ method: 'POST', path, headers, body: body() })
      await answer.body.dump()
      if (answer.statusCode !== 200) throw new Error(`status ${answer.statusCode}`)
    }
  }
  await Promise.all(Array.from({ length: clients }, send))
  const cpuMs = mainThreadMs(processId) - cpuBefore
  return { perSecond: (calls * 1_000) / (performance.now() - startedAt), cpuMicros: (cpuMs * 1_000) / calls }
}

type Started = Awaited<ReturnType<typeof start>>
const services: Started[] = []
for (const [index, variant] of variants.entries()) services.push(await start(variant, index))
try {
  for (const [what, { calls, body }] of Object.entries(workloads)) {
    for (const service of services) await load(service, calls, body)
    const measured = variants.map((): Round[] => [])
    for (let round = 0; round < rounds; round++) {
      for (const [index, service] of services.entries()) measured[index]!.push(await load(service, calls, body))
    }
    console.log(`${what}: medians of ${rounds} rounds`)
    const medianOf = (index: number, key: keyof Round) =>
      percentile(
        measured[index]!.map((one) => one[key]),
        0.5,
      )
    for (const [index, { name }] of variants.entries()) {
      const cpu = medianOf(index, 'cpuMicros')
      const more = (100 * (cpu / medianOf(0, 'cpuMicros') - 1)).toFixed(1)
      const perSecond = medianOf(index, 'perSecond').toFixed(0)
      console.log(
        `  ${name.padEnd(36)} ${perSecond} calls a second, ${cpu.toFixed(0)} µs of the main thread a call (${more} %)`,
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
  rmSync(directory, { recursive: true, force: true })
}
