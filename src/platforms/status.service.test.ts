import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestService, type TestService } from '../../test/service.ts'
import { formatPlatforms } from '../cli/platforms.ts'
import { type Handler, sendJson, startServer } from './adapters/testing.ts'
import { platformNames } from './registry.ts'

// Holds (Platforms): cooldowns, pauses and quotas survive a restart

const noItems = { items: [], hits: [], has_more: false, quota_max: 300, quota_remaining: 297 }
let service: TestService
let answer: Handler = (response) => sendJson(response, noItems)

beforeAll(async () => {
  const { baseUrl } = await startServer((...parts) => answer(...parts), { lasting: true })
  service = await startTestService({
    environment: {
      PLATFORMS: 'github,stackexchange,x,discourse',
      GITHUB_API_URL: `${baseUrl}/github`,
      STACKEXCHANGE_API_URL: `${baseUrl}/stackexchange`,
      DISCOURSE_URLS: `${baseUrl}/one`,
    },
  })
})
afterAll(() => service.stop())

const read = async () => {
  const { status, body } = await service.client.get('/api/v1/platforms')
  expect(status).toBe(200)
  // biome-ignore lint/suspicious/noExplicitAny: the schema of the answer is checked by the contract test.
  const list: any[] = body.data.results
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  return (name: string): any => list.find(({ platform }) => platform === name)
}
const run = async (platform: string, topic = 'dark mode') => {
  const { body } = await service.client.scrape({ topic, platforms: [platform] })
  return service.client.waitForJob(body.data.jobId)
}

describe('the state of the platforms', () => {
  it('reports for every platform whether it is on and configured, and what to do', async () => {
    const of = await read()
    for (const name of platformNames) expect(of(name), name).toBeDefined()
    expect(of('github')).toMatchObject({ state: 'ready', isDefault: true, missing: [], advice: null })
    expect(of('x')).toMatchObject({ state: 'not_configured', isDefault: false, missing: ['X_BEARER_TOKEN'] })
    expect(of('x').advice).toBe('Set X_BEARER_TOKEN (docs/platforms/x.md).')
    expect(of('lemmy')).toMatchObject({ state: 'off', isDefault: false, hosts: [] })
    expect(of('lemmy').advice).toMatch(/^Add lemmy to PLATFORMS/)
    expect(of('bluesky').state).toBe('off')
  })

  it('reports what is left of windows and quotas, and when a platform last answered', async () => {
    await run('github')
    await run('stackexchange')
    const of = await read()
    expect(of('github').hosts[0].budget).toEqual({ remaining: 9, limit: 10 })
    expect(of('github').lastSuccessAt).toMatch(/^20\d\d-/)
    expect(of('stackexchange').hosts[0].quota).toMatchObject({ remaining: 297, limit: 300 })
  })

  it('reports the last error until the next success', async () => {
    answer = (response) => response.writeHead(401).end('{"message":"Bad credentials"}')
    await run('github', 'tabs')
    expect((await read())('github').advice).toMatch(/GITHUB_TOKEN/)
    answer = (response) => sendJson(response, noItems)
    await run('github', 'tabs')
    expect((await read())('github').advice).toBeNull()
  })

  it('survives a restart: a used-up quota, a cooldown, a pause', async () => {
    answer = (response) => sendJson(response, { ...noItems, quota_remaining: 0 })
    await run('stackexchange', 'spend it')
    answer = (response) => response.writeHead(429, { 'retry-after': '3000' }).end()
    await run('github', 'tabs').catch(() => {})
    await service.restart()
    const of = await read()
    expect(of('stackexchange')).toMatchObject({ state: 'quota_exhausted' })
    expect(of('github')).toMatchObject({ state: 'waiting' })
    expect(new Date(of('github').resumesAt).getTime()).toBeGreaterThan(Date.now() + 2_000_000)
    const job = await run('stackexchange', 'tabs')
    expect(job.progress).toEqual({ stackexchange: 'skipped' })
  })

  it('is printed by the command, a line for each platform and host', async () => {
    const { body } = await service.client.get('/api/v1/platforms')
    const lines = formatPlatforms(body.data.results)
    expect(lines.find((line) => line.startsWith('x '))).toMatch(/^x +not_configured$/)
    expect(lines.join('\n')).toMatch(
      /stackexchange +quota_exhausted until \d\d? \w+ \d{4}, \d\d:\d\d UTC, used by default/,
    )
  })

  it('needs a key', async () => {
    expect((await service.clientFor(null).get('/api/v1/platforms')).status).toBe(401)
    const own = await service.client.get('/api/v1/platforms')
    const operators = await service.clientFor(service.adminKey).get('/api/admin/platforms')
    expect([operators.status, operators.body]).toEqual([200, own.body])
  })
})
