import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../app/config.ts'
import { startService } from '../app/service.ts'
import { ConfigError } from '../runtime/config-error.ts'
import { isLoopback, publicUrlOf, requireProtectedTransport } from './addresses.ts'

// Holds (HTTP and secrets): no key crosses a network in plain HTTP without the operator's consent
// Holds (HTTP and secrets): a link with a secret uses the configured address, never one from a caller

describe('an address', () => {
  it.each(['127.0.0.1', '127.8.9.10', '::1', 'localhost', 'LOCALHOST', '::ffff:127.0.0.1'])(
    '%s is of this machine only',
    (host) => {
      expect(isLoopback(host)).toBe(true)
    },
  )
  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '192.168.1.2',
    '::ffff:10.0.0.1',
    '128.0.0.1',
    'wishwell',
    'localhost.example',
    '',
  ])('%s can be reached from other machines', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})

describe('a service on an address that others can reach', () => {
  it('does not start, says why and what to set, and writes nothing', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-plain-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true }))
    const start = startService(
      readConfig({ HOST: '0.0.0.0', PORT: '0', DATA_DIR: dataDir }),
      pino({ level: 'silent' }),
      () => {},
    )
    await expect(start).rejects.toThrow(ConfigError)
    await expect(start).rejects.toThrow(/plain HTTP.*in the clear[\s\S]*TRUST_PROXY[\s\S]*ALLOW_PLAIN_HTTP=true/)
    expect(readdirSync(dataDir)).toEqual([])
  })
  it.each([{ TRUST_PROXY: '10.0.0.1' }, { TRUST_PROXY: '1' }, { ALLOW_PLAIN_HTTP: 'true' }])(
    'starts with %j',
    (environment) => {
      expect(() => requireProtectedTransport(readConfig({ HOST: '0.0.0.0', ...environment }))).not.toThrow()
    },
  )
  it.each([{}, { ALLOW_PLAIN_HTTP: 'false' }])('is refused with %j', (environment) => {
    expect(() => requireProtectedTransport(readConfig({ HOST: '::', ...environment }))).toThrow(ConfigError)
  })
})

describe('the address that links begin with', () => {
  const idle = createServer()
  const of = (environment: Record<string, string>) => publicUrlOf(readConfig(environment), idle)
  it.each([
    [{ PUBLIC_URL: 'https://wishwell.example/', HOST: '10.0.0.1' }, 'https://wishwell.example'],
    [{}, 'http://127.0.0.1:4680'],
    [{ HOST: '0.0.0.0', PORT: '80' }, 'http://localhost:80'],
    [{ HOST: '::' }, 'http://localhost:4680'],
    [{ HOST: '::1' }, 'http://[::1]:4680'],
  ])('of a service that does not listen, by %j: %s', (environment, url) => {
    expect(of(environment)).toBe(url)
  })
  it('is the one that the service listens on, unless configured', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as { port: number }
    expect(publicUrlOf(readConfig({ PORT: '0' }), server)).toBe(`http://127.0.0.1:${port}`)
    expect(publicUrlOf(readConfig({ PUBLIC_URL: 'https://w.example' }), server)).toBe('https://w.example')
  })
})
