import type { LookupAddress } from 'node:dns'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { createOutbound, type Outbound, readRetryAfter, TargetFailedError } from './outbound.ts'
import type { Resolve } from './public-address.ts'
import { TargetRefusedError } from './public-address.ts'

// Holds (Watches, news and channels): no connection reaches a private address, even after a redirect or DNS change

// Takes seconds: a receiver that hangs is waited for for a second.

let server: Server
let port: number
const received: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(request.url ?? '')
    if (request.url === '/redirect') response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end()
    else if (request.url === '/hang') return
    else if (request.url === '/endless') {
      response.writeHead(200)
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 5)
      response.on('close', () => clearInterval(timer))
    } else response.writeHead(200).end('ok')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

const resolving = (...answers: string[][]): Resolve & { calls: number } => {
  const resolve = ((_hostname, callback) => {
    const addresses = answers[Math.min(resolve.calls++, answers.length - 1)]!
    callback(
      null,
      addresses.map((address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }) as Resolve & { calls: number }
  resolve.calls = 0
  return resolve
}

const open = (options: Partial<Parameters<typeof createOutbound>[0]> = {}): Outbound =>
  createOutbound({
    allowPrivateTargets: false,
    userAgent: 'Wishwell/test',
    clock: systemClock,
    timeoutMs: 30_000,
    ...options,
  })
const never = new AbortController().signal
const post = (outbound: Outbound, url: string) => outbound.post({ url, headers: {}, body: '{}', signal: never })

describe('an address', () => {
  it.each([
    'https://127.0.0.1/x',
    'https://[::1]/',
    'https://10.1.2.3',
    'https://169.254.169.254/latest/meta-data',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://168.63.129.16/',
    'https://[fd00:ec2::254]/',
    'https://100.64.0.1',
    'http://1.1.1.1/',
    'https://a:b@1.1.1.1/',
    'https://1.1.1.1:22/',
    'ftp://1.1.1.1',
    'x',
    '',
    `https://1.1.1.1/${'x'.repeat(3_000)}`,
  ])('is refused when it is given, and never connected to: %s', async (url) => {
    const outbound = open()
    await expect(outbound.checkTarget(url, never)).rejects.toBeInstanceOf(TargetRefusedError)
    await expect(post(outbound, url)).rejects.toBeInstanceOf(TargetRefusedError)
    await outbound.close()
  })

  it('is refused by its name, too, when any address of it is private', async () => {
    for (const addresses of [['10.0.0.1'], ['1.1.1.1', '::1'], []]) {
      const outbound = open({ resolve: resolving(addresses) })
      await expect(outbound.checkTarget('https://hook.example/x', never)).rejects.toThrow(
        'hook.example has no public address.',
      )
      await outbound.close()
    }
  })

  it('is allowed when it is public, at any port of HTTP', async () => {
    const outbound = open({ resolve: resolving(['1.1.1.1']) })
    expect((await outbound.checkTarget('https://hook.example:8443/x', never)).host).toBe('hook.example:8443')
    await outbound.close()
  })
})

describe('a connection', () => {
  it('is refused when the name leads elsewhere than when it was checked', async () => {
    const resolve = resolving(['1.1.1.1'], ['127.0.0.1'])
    const outbound = open({ resolve })
    await outbound.checkTarget(`https://hook.example:${port}/x`, never)
    await expect(post(outbound, `https://hook.example:${port}/x`)).rejects.toThrow(
      'hook.example has no public address.',
    )
    expect(resolve.calls).toBe(2)
    expect(received).toEqual([])
    await outbound.close()
  })

  it('does not follow a redirect', async () => {
    const outbound = open({ allowPrivateTargets: true })
    expect(await post(outbound, `http://127.0.0.1:${port}/redirect`)).toEqual({ status: 307, retryAfterMs: null })
    await outbound.close()
  })

  it('has a time limit, and its body is not awaited', async () => {
    const outbound = open({ allowPrivateTargets: true, timeoutMs: 1_000 })
    await expect(post(outbound, `http://127.0.0.1:${port}/hang`)).rejects.toThrow(TargetFailedError)
    await expect(post(outbound, `http://127.0.0.1:${port}/hang`)).rejects.toThrow(
      'The receiver did not answer in time.',
    )
    await outbound.close()
    const patient = open({ allowPrivateTargets: true })
    expect(await post(patient, `http://127.0.0.1:${port}/endless`)).toMatchObject({ status: 200 })
    await patient.close()
  })

  it('gives an answer that is asked for, up to 4 MiB', { timeout: 30_000 }, async () => {
    const outbound = open({ allowPrivateTargets: true })
    const get = (path: string) =>
      outbound.exchange({
        method: 'GET',
        url: `http://127.0.0.1:${port}${path}`,
        headers: {},
        body: null,
        signal: never,
      })
    const { header, ...answer } = await get('/')
    expect([answer, header('connection'), header('x-none')]).toEqual([
      { status: 200, retryAfterMs: null, text: 'ok' },
      'keep-alive',
      null,
    ])
    await expect(get('/endless')).rejects.toThrow('The answer is too large.')
    await outbound.close()
    const strict = open()
    await expect(
      strict.exchange({ method: 'GET', url: 'https://127.0.0.1/', headers: {}, body: null, signal: never }),
    ).rejects.toThrow('127.0.0.1 has no public address.')
    await strict.close()
  })

  it('reports failures without the address', async () => {
    const outbound = open({ allowPrivateTargets: true })
    const error = await post(outbound, 'http://127.0.0.1:9999/secret-path').catch((thrown: unknown) => thrown as Error)
    expect(error).toBeInstanceOf(TargetFailedError)
    expect((error as Error).message).toBe('The receiver refused the connection.')
    await outbound.close()
  })
})

it('reads Retry-After as seconds and as a date', () => {
  const now = Date.parse('2026-05-05T12:00:00Z')
  expect(readRetryAfter('120', now)).toBe(120_000)
  expect(readRetryAfter('0.5', now)).toBe(500)
  expect(readRetryAfter('Tue, 05 May 2026 12:01:00 GMT', now)).toBe(60_000)
  expect(readRetryAfter('Tue, 05 May 2026 11:00:00 GMT', now)).toBe(0)
  for (const wrong of [undefined, '', 'soon', '-1']) expect(readRetryAfter(wrong, now)).toBeNull()
})
