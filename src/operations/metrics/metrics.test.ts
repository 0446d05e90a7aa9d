import { describe, expect, it } from 'vitest'
import type { Observation } from './catalogue.ts'
import { createCollectors } from './collectors.ts'
import { createMetrics } from './metrics.ts'
import { parseExposition, sampleValue } from './testing.ts'

// Holds (Monitoring): a metric that fails breaks no call
// Holds (Monitoring): scrapes read the database at most once in 10 s and never wait when it is silent

const failTest = (error: unknown) => {
  throw error
}
const observed = (platform: string, value: number): Observation => ({
  name: 'wishwell_platform_failures',
  value,
  labels: { platform },
})

describe('metrics', () => {
  it('are shown as they were recorded', async () => {
    const metrics = await createMetrics(failTest)
    const call = { operation: 'searchRequests', status: '200' }
    for (const seconds of [0.001, 0.02, 7]) metrics.record('wishwell_http_request_duration_seconds', seconds, call)
    metrics.count('wishwell_maintenance_failures_total', { maintenance_job: 'liveCalls' })
    const samples = parseExposition(await metrics.expose([observed('github', 3)]))
    const histogram = 'wishwell_http_request_duration_seconds'
    expect(sampleValue(samples, `${histogram}_count`, call)).toBe(3)
    expect(sampleValue(samples, `${histogram}_sum`, call)).toBeCloseTo(7.021)
    const buckets = ['0.002', '0.025', '5', '10', '+Inf'].map((le) =>
      sampleValue(samples, `${histogram}_bucket`, { ...call, le }),
    )
    expect(buckets).toEqual([1, 2, 2, 3, 3])
    expect(sampleValue(samples, 'wishwell_maintenance_failures_total', { maintenance_job: 'liveCalls' })).toBe(1)
    expect(sampleValue(samples, 'wishwell_platform_failures', { platform: 'github' })).toBe(3)
  })

  it('that are not read any more are not shown', async () => {
    const metrics = await createMetrics(failTest)
    await metrics.expose([observed('github', 3), observed('reddit', 1)])
    const samples = parseExposition(await metrics.expose([observed('reddit', 2), observed('x', Number.NaN)]))
    expect(samples.map(({ labels, value }) => [labels.platform, value])).toEqual([['reddit', 2]])
  })

  it('escape what labels hold', async () => {
    const metrics = await createMetrics(failTest)
    const platform = 'a"b\\c\nd'
    const samples = parseExposition(await metrics.expose([observed(platform, 1)]))
    expect(samples).toEqual([{ name: 'wishwell_platform_failures', labels: { platform }, value: 1 }])
  })

  it('never throw: a failure is counted, and reported once for each series', async () => {
    const failures: string[] = []
    const metrics = await createMetrics((_error, series) => failures.push(series))
    const broken = new Proxy({}, { ownKeys: () => failTest(new Error('broken')) }) as { maintenance_job: string }
    for (let call = 0; call < 3; call++) metrics.count('wishwell_maintenance_failures_total', broken)
    const unknown = 'wishwell_unknown' as 'wishwell_search_duration_seconds'
    metrics.record(unknown, 1, { engine: 'bm25', step: 'search' })
    expect(failures).toEqual(['wishwell_maintenance_failures_total', 'wishwell_unknown'])
    expect(metrics.failures()).toBe(4)
  })

  it('stay bounded, whatever number of values a label has', async () => {
    const metrics = await createMetrics(failTest)
    for (let number = 0; number < 5_000; number++) {
      metrics.count('wishwell_platform_pages_total', { platform: `p${number}`, outcome: 'ok' })
    }
    const samples = parseExposition(await metrics.expose([]))
    expect(samples.length).toBeLessThanOrEqual(2_000)
    expect(samples.reduce((sum, { value }) => sum + value, 0)).toBe(5_000)
  })
})

/** A collector whose readings the test ends one by one. */
function steppedCollector() {
  const readings: PromiseWithResolvers<Observation[]>[] = []
  const read = () => {
    const reading = Promise.withResolvers<Observation[]>()
    readings.push(reading)
    return reading.promise
  }
  return { readings, collector: { name: 'jobs', maxAgeMs: 10_000, read } }
}
const queued = (value: number): Observation => ({ name: 'wishwell_jobs_queued', value, labels: {} })
const up = (value: number): Observation => ({ name: 'wishwell_collector_up', value, labels: { collector: 'jobs' } })

function prepare() {
  const { readings, collector } = steppedCollector()
  const failures: unknown[] = []
  const time = { now: 0 }
  const options = { collectors: [collector], onFailure: (error: unknown) => failures.push(error), waitMs: 5 }
  return { readings, failures, time, read: createCollectors({ ...options, now: () => time.now }) }
}

describe('what metrics read from the database', () => {
  it('is read once for scrapes at the same time, and again only when its time is over', async () => {
    const { readings, time, read } = prepare()
    const scrapes = Promise.all([read(), read(), read()])
    readings[0]!.resolve([queued(4)])
    expect(await scrapes).toEqual(Array(3).fill([up(1), queued(4)]))
    time.now = 9_999
    await read()
    expect(readings).toHaveLength(1)
    time.now = 10_000
    const next = read()
    expect(readings).toHaveLength(2)
    readings[1]!.resolve([queued(5)])
    expect(await next).toEqual([up(1), queued(5)])
  })

  it('does not delay a scrape: a late reading shows the numbers of the last one, and no second one begins', async () => {
    const { readings, time, read } = prepare()
    const first = read()
    readings[0]!.resolve([queued(4)])
    await first
    time.now = 20_000
    expect(await read()).toEqual([up(1), queued(4)])
    time.now = 40_000
    expect(await read()).toEqual([up(0), queued(4)])
    expect(readings).toHaveLength(2)
    readings[1]!.resolve([queued(6)])
    await readings[1]!.promise
    expect(await read()).toEqual([up(1), queued(6)])
  })

  it('is shown for a minute at most when readings fail, and the first failure is reported', async () => {
    const { readings, failures, time, read } = prepare()
    const first = read()
    readings[0]!.resolve([queued(4)])
    await first
    const fail = async (now: number) => {
      time.now = now
      const scrape = read()
      readings.at(-1)!.reject(new Error(`at ${now}`))
      return scrape
    }
    expect(await fail(10_000)).toEqual([up(0), queued(4)])
    expect(await fail(69_000)).toEqual([up(0), queued(4)])
    expect(await fail(80_000)).toEqual([up(0)])
    expect(failures).toEqual([new Error('at 10000')])
    time.now = 90_000
    const back = read()
    readings.at(-1)!.resolve([queued(1)])
    expect(await back).toEqual([up(1), queued(1)])
  })
})
