import { type SimulatedPlatformName, simulatedPlatforms } from '../simulator/platforms/index.ts'
import { type PlatformSimulator, type SimulatorOptions, startPlatformSimulator } from '../simulator/simulator.ts'
import { openPlatformNames } from '../src/platforms/registry.ts'

// The platforms in a process of their own: their work must not count as ours. The first argument is the
// options as JSON. A message with topics builds their texts, as they are there on a real platform before anybody asks, and is
// answered when that is done. A number raises the votes of everything by it. Every other message is answered with what was asked since the
// one before.

export interface SimulatorReport {
  /** The received requests in order, as addresses that can be requested again. */
  urls: string[]
  /** The least time in which any client could have sent these requests, by the limits alone. */
  leastMs: number
  /** The limit that takes so long. */
  bottleneck: string
  breaches: number
  /** Requests that were not answered with a 200: platform and status. */
  refused: string[]
}

const options = JSON.parse(process.argv[2] ?? '{}') as SimulatorOptions
const timeScale = options.timeScale ?? 1
const simulator = await startPlatformSimulator(options)

process.on('message', (topics: string[] | number | 'report') => {
  if (typeof topics === 'number') return simulator.bumpVotes(topics)
  if (topics === 'report') {
    process.send?.(report(simulator))
    simulator.requests.length = 0
    return
  }
  for (const topic of topics)
    for (const name of openPlatformNames) simulator.expectedRecords(name as SimulatedPlatformName, topic)
  process.send?.('warm')
})
process.on('disconnect', () => process.exit(0))
process.send?.({ environment: simulator.environment })

function report({ requests, urls, breaches }: PlatformSimulator): SimulatorReport {
  const buckets = new Map<string, { count: number; limit: number; windowMs: number }>()
  for (const { platform, path, query, headers } of requests) {
    const parameters = new URLSearchParams(query)
    const request = { path, parameters, headers, method: 'GET' as const, body: '', baseUrl: urls[platform] }
    const simulated = simulatedPlatforms[platform]
    if ('isAside' in simulated && simulated.isAside?.(request)) continue
    const { bucket, limit, windowMs } = simulated.limit(request)
    const name = `${platform} ${bucket}`
    const known = buckets.get(name) ?? { count: 0, limit, windowMs }
    buckets.set(name, { ...known, count: known.count + 1 })
  }
  let leastMs = 0
  let bottleneck = 'none'
  for (const [name, { count, limit, windowMs }] of buckets) {
    const ms = Math.floor((count - 1) / limit) * (windowMs / timeScale)
    if (ms > leastMs) [leastMs, bottleneck] = [ms, `${name}: ${count} requests, ${limit} a window`]
  }
  const asked = requests.map(({ platform, path, query }) => `${urls[platform]}${path}?${new URLSearchParams(query)}`)
  const refused = requests.filter(({ status }) => status !== 200).map(({ platform, status }) => `${platform} ${status}`)
  return { urls: asked, leastMs, bottleneck, breaches, refused }
}
