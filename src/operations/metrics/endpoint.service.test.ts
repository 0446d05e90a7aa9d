import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { parseExposition, sampleValue, scrape } from './testing.ts'

// Holds (Monitoring): `/metrics` needs the admin key or its own address, which serves nothing else
// Holds (Monitoring): metrics equal the calls, page outcomes and ledger credits that happened, in every process

// Takes seconds: a service without metrics is a second one.

const platforms = platformMap(scriptedPlatform('github', numberedPages(3)))
let service: TestService
beforeAll(async () => {
  service = await startTestService({ environment: { METRICS_PORT: '0' }, platforms })
})
afterAll(() => service.stop())

describe('GET /metrics', () => {
  it('needs the admin key', async () => {
    for (const key of [null, 'nonsense', service.apiKey]) {
      const answer = await service.clientFor(key).get('/metrics')
      expect([answer.status, answer.body.error.code]).toEqual([401, 'UNAUTHORIZED'])
    }
    const answer = await service.clientFor(service.adminKey).get('/metrics')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect((await service.clientFor(service.adminKey).get('/metrics?topic=x')).status).toBe(400)
  })

  it('says of each part that its reading succeeded', async () => {
    const samples = await scrape(service)
    const parts = samples.filter(({ name }) => name === 'wishwell_collector_up')
    expect(Object.fromEntries(parts.map(({ labels, value }) => [labels.collector, value]))).toEqual({
      jobs: 1,
      credits: 1,
      backlogs: 1,
      size: 1,
      platforms: 1,
    })
    expect(sampleValue(samples, 'wishwell_build_info', { backend: service.opened.backend, role: 'all' })).toBe(1)
    expect(sampleValue(samples, 'wishwell_database_size_bytes')).toBeGreaterThan(1_000_000)
  })
})

describe('the address of its own', () => {
  it('needs no key, and serves metrics only', async () => {
    const url = service.metricsAddress!
    const answer = await fetch(`${url}/metrics?x=1`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(parseExposition(await answer.text()).length).toBeGreaterThan(20)
    const statuses = await Promise.all(
      ['/', '/readyz', '/api/admin/accounts', '/metrics/x'].map(async (path) => (await fetch(url + path)).status),
    )
    expect(statuses).toEqual([404, 404, 404, 404])
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405)
  })
})

describe('a service without metrics', () => {
  it('has no endpoint', async () => {
    const without = await startTestService({ environment: { METRICS: 'false' } })
    const answer = await without.clientFor(without.adminKey).get('/metrics')
    expect([answer.status, without.metricsAddress]).toEqual([404, null])
    await without.stop()
  })
})
