import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readHealthAddress } from './client-config.ts'
import { startCommand } from './command-testing.ts'
import { startFakeService } from './fake-service-testing.ts'

const check = (environment: Record<string, string>, ...parameters: string[]) =>
  startCommand(['admin', 'healthcheck', ...parameters], environment).finished

describe('wishwell admin healthcheck', () => {
  it('ends with 0 when the service can serve, without a key, and says what it runs on with --json', async () => {
    const body = { status: 'ready', database: 'embedded' }
    const service = await startFakeService(() => ({ body }))
    const { port } = new URL(service.url)
    expect(await check({ PORT: port })).toEqual({ exitCode: 0, stdout: `healthy: ${service.url}/readyz\n`, stderr: '' })
    expect(service.received[0]?.call).toBe('GET /readyz')
    const { exitCode, stdout } = await check({ WISHWELL_URL: service.url }, '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ healthy: true, url: `${service.url}/readyz`, service: body })
  })

  it('ends with 1 when the service refuses, is not there, or its address is wrong', async () => {
    const service = await startFakeService(() => ({ status: 503, body: { error: {} } }))
    const refused = await check({ WISHWELL_URL: service.url })
    expect([refused.exitCode, refused.stdout]).toEqual([1, `unhealthy: ${service.url}/readyz answered 503.\n`])
    const missing = await check({ WISHWELL_URL: 'http://127.0.0.1:1' }, '--json')
    expect(missing.exitCode).toBe(1)
    expect(JSON.parse(missing.stdout)).toMatchObject({ healthy: false, url: 'http://127.0.0.1:1/readyz' })
    const wrong = await check({ WISHWELL_URL: 'nonsense' }, '--json')
    expect(wrong.exitCode).toBe(1)
    expect(JSON.parse(wrong.stdout)).toMatchObject({
      healthy: false,
      url: null,
      reason: expect.stringContaining('WISHWELL_URL'),
    })
  })

  it('asks where the environment says that the service listens', () => {
    expect(readHealthAddress({})).toBe('http://127.0.0.1:4680/readyz')
    expect(readHealthAddress({ HOST: '0.0.0.0', PORT: '8080' })).toBe('http://127.0.0.1:8080/readyz')
    const worker = { ROLE: 'worker', METRICS_HOST: '0.0.0.0', METRICS_PORT: '9464', PORT: '8080' }
    expect(readHealthAddress(worker)).toBe('http://127.0.0.1:9464/metrics')
    expect(() => readHealthAddress({ ROLE: 'worker' })).toThrow('METRICS_PORT')
    const directory = mkdtempSync(join(tmpdir(), 'wishwell-health-'))
    onTestFinished(() => rmSync(directory, { recursive: true }))
    const CONFIG_FILE = join(directory, 'wishwell.env')
    writeFileSync(CONFIG_FILE, 'PORT=8081\nHOST=::1\n')
    expect(readHealthAddress({ CONFIG_FILE })).toBe('http://[::1]:8081/readyz')
    expect(readHealthAddress({ CONFIG_FILE, PORT: '8080' })).toBe('http://[::1]:8080/readyz')
    expect(readHealthAddress({ ...worker, WISHWELL_URL: 'http://other:1' })).toBe('http://other:1/readyz')
  })
})
