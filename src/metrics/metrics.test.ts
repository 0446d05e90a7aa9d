import { describe, expect, it } from 'vitest'
import type { Observation } from './catalogue.ts'
import { createMetrics } from './metrics.ts'
import { parseExposition, sampleValue } from './testing.ts'

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
