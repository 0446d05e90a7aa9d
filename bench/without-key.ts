import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startLaunchedService } from './launched-service.ts'
import { positive } from './options.ts'
import { percentile } from './timing.ts'

// The latency of an account's call alone, and beside 12 connections that repeat an answer which needs no key, each as fast as it is answered.
//   node bench/without-key.ts [--path /openapi.json] [--seconds 30] [--checkout DIR]
// With --checkout another checkout of this project (installed) is measured: give both in turns to compare two commits.

const { values } = parseArgs({
  options: {
    path: { type: 'string', default: '/openapi.json' },
    seconds: { type: 'string', default: '30' },
    checkout: { type: 'string' },
  },
})
const seconds = positive(values, 'seconds')
const connections = 12
/** Four calls a second: below the limit of an account, so that the account itself is never refused. */
const betweenCallsMs = 260

const key = `ww_live_${randomBytes(16).toString('hex')}`
const directory = `/tmp/wishwell-without-key-${process.pid}`
const service = await startLaunchedService(
  { DATA_DIR: directory, BOOTSTRAP_API_KEY: key, BOOTSTRAP_TIER: 'max' },
  values.checkout,
)

/** Calls once on a connection of its own, which stays open. @returns the status. */
const caller = () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (path: string, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      get(service.url + path, { agent, headers }, (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      }).on('error', reject)
    })
}

const count = (statuses: readonly number[]) =>
  Object.entries(Object.groupBy(statuses, String))
    .map(([status, all]) => `${all?.length} × ${status}`)
    .join(', ')

async function measureUsage(name: string): Promise<void> {
  const call = caller()
  const [times, statuses]: [number[], number[]] = [[], []]
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const startedAt = performance.now()
    statuses.push(await call('/api/v1/usage', { authorization: `Bearer ${key}` }))
    times.push(performance.now() - startedAt)
    await pause(betweenCallsMs)
  }
  console.log(
    `${name.padEnd(20)} p50 ${percentile(times, 0.5)} ms, p99 ${percentile(times, 0.99)} ms (${count(statuses)})`,
  )
}

try {
  await measureUsage('alone')
  let stopped = false
  const load = Array.from({ length: connections }, async () => {
    const [call, statuses]: [ReturnType<typeof caller>, number[]] = [caller(), []]
    while (!stopped) statuses.push(await call(values.path))
    return statuses
  })
  await measureUsage(`beside ${connections} of ${values.path}`)
  stopped = true
  console.log(`the ${connections}: ${count((await Promise.all(load)).flat())}`)
} finally {
  await service.stop()
  await rm(directory, { recursive: true, force: true })
}
process.exit()
