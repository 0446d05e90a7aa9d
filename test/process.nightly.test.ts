import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { simulatedPlatformNames } from '../simulator/platforms/index.ts'
import { type PlatformSimulator, startPlatformSimulator } from '../simulator/simulator.ts'
import { apiKeyPattern } from '../src/accounts/api-key.ts'
import { openBrowser } from '../src/accounts/sessions/testing.ts'
import { defaultPlatformNames } from '../src/platforms/registry.ts'
import { type ChildService, startChildService } from './child-service.ts'
import { createTestClient } from './client.ts'
import { copyDatabase, type DatabaseCopy } from './database.ts'

// The service as a process: its output, its end, and the secrets that it must not print.

let copy: DatabaseCopy
let simulator: PlatformSimulator
const secrets = { ADMIN_API_KEY: 'admin-key-that-nobody-may-log', GITHUB_TOKEN: 'token-that-nobody-may-log' }
beforeAll(async () => {
  copy = await copyDatabase()
  simulator = await startPlatformSimulator({ limits: 'none', latencyMs: 200 })
})
afterAll(async () => {
  await simulator.stop()
  await copy.remove()
})

const start = (more: Record<string, string> = {}): Promise<ChildService> =>
  startChildService({
    DATA_DIR: copy.options.dataDir,
    DATABASE_URL: copy.options.databaseUrl,
    LOG_LEVEL: 'trace',
    ...secrets,
    ...simulator.environment,
    PLATFORMS: simulatedPlatformNames.join(','),
    ...more,
  })

describe('the service as a process', () => {
  it('prints the first key once, on stdout and never in the log, and logs no secret', async () => {
    const first = await start()
    const apiKey = /API key: +(\S+)/.exec(first.stdout())?.[1] ?? ''
    expect(apiKey).toMatch(apiKeyPattern)
    const signIn = new URL(/sign in: +(\S+)/.exec(first.stdout())?.[1] ?? '')
    const link = signIn.hash.slice(1)
    expect([signIn.origin, signIn.pathname, link.length]).toEqual([first.url, '/sign-in', 43])
    const client = createTestClient(() => first.url, apiKey)
    const { body } = await client.scrape({ topic: 'dark mode', platforms: simulatedPlatformNames })
    await client.waitForJob(body.data.jobId)
    await client.get('/api/v1/requests?topic=a-secret-topic&cursor=nonsense')
    await client.send('GET', '/api/v1/requests', { headers: { authorization: 'Bearer guessed-key' } })
    const browser = openBrowser(() => first.url)
    expect((await browser.signIn({ link })).status).toBe(200)
    expect((await browser.call('GET', `/api/v1/scrape/${body.data.jobId}`)).status).toBe(200)
    const session = [link, browser.token() ?? '', browser.csrfToken() ?? '']
    expect(await first.end('SIGTERM')).toBe(0)
    const log = first.stderr()
    expect(log).toContain('"reqId"')
    const credentials = Object.entries(simulator.environment).filter(([name]) =>
      /(KEY|TOKEN|SECRET|PASSWORD)$/.test(name),
    )
    expect(credentials.length).toBeGreaterThanOrEqual(4)
    const given = [...Object.values(secrets), ...credentials.map(([, value]) => value)]
    for (const secret of [apiKey, 'guessed-key', 'a-secret-topic', ...session, ...given]) {
      expect(log).not.toContain(secret)
    }

    const startedAt = performance.now()
    const second = await start()
    console.log(`a second start takes ${Math.round(performance.now() - startedAt)} ms`)
    expect(second.stdout()).not.toContain('ww_live_')
    // A session exists now.
    expect(second.stdout()).not.toContain('/sign-in#')
    expect((await createTestClient(() => second.url, apiKey).search('dark')).body.data.results.length).toBeGreaterThan(
      0,
    )
    expect(await second.end('SIGINT')).toBe(0)
  })

  it('finishes the requests under way, leaves jobs ready to go on, and ends with 0 on SIGTERM', async () => {
    const apiKey = `ww_live_${'abcd1234'.repeat(4)}`
    const service = await start({ BOOTSTRAP_API_KEY: apiKey })
    const client = createTestClient(() => service.url, apiKey)
    const before = simulator.requests.length
    const { body } = await client.scrape({ topic: 'offline sync', depth: 8 })
    await expect.poll(() => simulator.requests.length).toBeGreaterThan(before + 2)
    const underWay = Promise.all(Array.from({ length: 20 }, () => client.search('dark mode')))
    const arrived = () => service.stderr().match(/"path":"\/api\/v1\/requests\/search".*"msg":"call"/g)?.length
    await expect.poll(arrived, { interval: 1 }).toBe(20)
    const ended = service.end('SIGTERM')
    for (const answer of await underWay) expect(answer.status).toBe(200)
    expect(await ended).toBe(0)
    const next = await start({ BOOTSTRAP_API_KEY: apiKey })
    const job = await createTestClient(() => next.url, apiKey).waitForJob(body.data.jobId)
    expect(job).toMatchObject({
      status: 'completed',
      progress: Object.fromEntries(defaultPlatformNames.map((name) => [name, 'done'])),
    })
    expect(await next.end('SIGTERM')).toBe(0)
  })

  it.each([
    [{ PORT: 'x' }, 'PORT'],
    [{ BOOTSTRAP_API_KEY: 'wrong' }, 'BOOTSTRAP_API_KEY'],
    [{ PLATFORMS: 'myspace' }, 'PLATFORMS'],
  ])('does not start with %j, exits with 2 and says why', async (wrong, variable) => {
    await expect(start(wrong as Record<string, string>)).rejects.toThrow(new RegExp(`ended with 2:.*${variable}:`, `s`))
  })

  it('still shows the first key when the first start failed because the port was in use', async () => {
    const fresh = await copyDatabase()
    const environment = { DATA_DIR: fresh.options.dataDir, DATABASE_URL: fresh.options.databaseUrl ?? '' }
    const port = new URL(simulator.urls.github).port
    await expect(start({ ...environment, PORT: port })).rejects.toThrow(`The port ${port} is in use`)
    const service = await start(environment)
    expect(service.stdout()).toContain('API key:   ww_live_')
    expect(await service.end('SIGTERM')).toBe(0)
    // Until the first session, every start prints a link; not when the operator chose the key.
    const second = await start(environment)
    expect(second.stdout()).toContain('/sign-in#')
    expect(await second.end('SIGTERM')).toBe(0)
    const third = await start({ ...environment, BOOTSTRAP_API_KEY: `ww_live_${'abcd1234'.repeat(4)}` })
    expect(third.stdout()).not.toContain('/sign-in#')
    expect(await third.end('SIGTERM')).toBe(0)
    await fresh.remove()
  })

  it('says which port is in use, before it has made anything', async () => {
    const port = new URL(simulator.urls.github).port
    const directory = mkdtempSync(join(tmpdir(), 'wishwell-port-'))
    const failed = start({ PORT: port, DATA_DIR: join(directory, 'data'), DATABASE_URL: '' })
    await expect(failed).rejects.toThrow(`ended with 1: wishwell: The port ${port} is in use`)
    expect(readdirSync(directory)).toEqual([])
    const metrics = start({ METRICS_PORT: port, DATA_DIR: join(directory, 'data'), DATABASE_URL: '' })
    await expect(metrics).rejects.toThrow('or set METRICS_PORT to another port')
    rmSync(directory, { recursive: true })
  })
})
