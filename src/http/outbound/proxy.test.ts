import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { readConfig } from '../../app/config.ts'
import { systemClock } from '../../runtime/clock.ts'
import { createOutbound } from './outbound.ts'
import { createDispatcher, createDispatcherForAccounts, type NetworkProxies, noProxies } from './proxy.ts'
import type { Resolve } from './public-address.ts'
import { TargetRefusedError } from './public-address.ts'

// A proxy that notes what it is asked for. It forwards nothing: http is answered by itself, and of a tunnel it reads the first bytes.

let proxy: Server
let proxies: NetworkProxies
let asked: string[] = []
/** The first bytes that went into a tunnel. */
let hello = ''
beforeAll(async () => {
  proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.host}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  proxy.on('connect', (request: { url: string }, socket: Socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      hello = bytes.toString('latin1')
      socket.destroy()
    })
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  proxies = { httpProxy: address, httpsProxy: address, noProxy: 'direct.example' }
})
afterAll(() => proxy.close())
beforeEach(() => {
  asked = []
  hello = ''
})

const resolvingTo =
  (address: string): Resolve =>
  (_hostname, callback) =>
    callback(null, [{ address, family: 4 }])
const limits = { connectMs: 5_000 }
const get = async (dispatcher: Dispatcher, url: string) => {
  onTestFinished(() => dispatcher.destroy())
  const { origin, pathname } = new URL(url)
  const { statusCode, body } = await dispatcher.request({ origin, path: pathname, method: 'GET' })
  await body.dump()
  return statusCode
}

it('is used for addresses of the operator: by name, and never for this machine', async () => {
  const dispatcher = createDispatcher(proxies, limits)
  expect(await get(dispatcher, 'http://platform.example/a')).toBe(200)
  await expect(get(dispatcher, 'https://platform.example/b')).rejects.toThrow()
  expect(asked).toEqual(['GET http://platform.example/a platform.example', 'CONNECT platform.example:443'])
  expect(hello).toContain('platform.example')
  const own = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/own`
  expect(await get(createDispatcher({ ...proxies, httpProxy: 'http://127.0.0.1:1' }, limits), own)).toBe(200)
})

it('is not used for the hosts of NO_PROXY', async () => {
  await expect(get(createDispatcher(proxies, limits), 'http://direct.example/')).rejects.toThrow(/direct\.example/)
  expect(asked).toEqual([])
})

it.each([
  ['127.0.0.0/8', 'http://127.9.9.9:9/'],
  ['192.0.2.0/24', 'http://192.0.2.7:9/'],
  ['fd00::/8', 'http://[fd00::1]:9/'],
  ['[::1]', 'http://[::1]:9/'],
  ['.example.com', 'http://a.example.com:9/'],
  ['example.com.', 'http://example.com:9/'],
  ['*.example.com', 'http://a.example.com:9/'],
  ['example.com:9', 'http://example.com:9/'],
  ['other.example *', 'http://any.example:9/'],
])('is not used for what NO_PROXY=%s names: %s', async (noProxy, url) => {
  const dispatcher = createDispatcher(
    { ...proxies, noProxy },
    { connectMs: 50, resolver: (_h, _o, done) => done(new Error('direct') as never, '') },
  )
  await expect(get(dispatcher, url)).rejects.toThrow()
  expect(asked).toEqual([])
})

it.each([
  ['192.0.2.0/24', 'http://192.0.3.7/'],
  ['*.example.com', 'http://example.com/'],
  ['example.com:9', 'http://example.com/'],
  ['xample.com', 'http://example.com/'],
])('is used for what NO_PROXY=%s does not name: %s', async (noProxy, url) => {
  expect(await get(createDispatcher({ ...proxies, noProxy }, limits), url)).toBe(200)
})

describe('a SOCKS5 proxy', () => {
  /** Answers as RFC 1928 says, without a user or with one, and notes what it is asked for. */
  async function startSocks(): Promise<string> {
    const socks = createTcpServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => {
        socket.write(Buffer.from([5, 0]))
        socket.once('data', (asking) => {
          const [kind, length] = [asking[3]!, asking[4]!]
          const host =
            kind === 3
              ? asking.subarray(5, 5 + length).toString()
              : kind === 1
                ? asking.subarray(4, 8).join('.')
                : 'IPv6'
          asked.push(`${host}:${asking.readUInt16BE(asking.length - 2)}`)
          socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
          socket.once('data', (bytes) => {
            hello = bytes.toString('latin1')
            socket.end(hello.startsWith('GET') ? 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n' : '')
          })
        })
      })
    })
    socks.listen(0, '127.0.0.1')
    await once(socks, 'listening')
    onTestFinished(() => void socks.close())
    return `127.0.0.1:${(socks.address() as AddressInfo).port}`
  }
  const socksProxies = async (scheme: string) =>
    readConfig({ HTTPS_PROXY: `${scheme}://${await startSocks()}`, HTTP_PROXY: `${scheme}://${await startSocks()}` })
      .proxies

  it.each(['socks5', 'socks5h', 'socks'])('of %s:// is asked for names of the operator', async (scheme) => {
    const dispatcher = createDispatcher(await socksProxies(scheme), limits)
    expect(await get(dispatcher, 'http://platform.example/a')).toBe(200)
    expect(hello).toMatch(/^GET \/a HTTP\/1\.1\r\nhost: platform\.example\r\n/)
    await expect(get(dispatcher, 'https://platform.example/b')).rejects.toThrow()
    expect(asked).toEqual(['platform.example:80', 'platform.example:443'])
  })

  it('is asked for the checked address of a name that an account gave, and TLS for the name', async () => {
    const options = { ...limits, resolve: resolvingTo('1.1.1.1') }
    const dispatcher = createDispatcherForAccounts(await socksProxies('socks5'), options)
    await expect(get(dispatcher, 'https://hook.example/a')).rejects.toThrow()
    expect(asked).toEqual(['1.1.1.1:443'])
    expect(hello).toContain('hook.example')
    await expect(get(dispatcher, 'https://10.0.0.1/')).rejects.toBeInstanceOf(TargetRefusedError)
  })
})

it('is asked for the checked address of a name that an account gave, and TLS for the name', async () => {
  const dispatcher = createDispatcherForAccounts(proxies, { ...limits, resolve: resolvingTo('1.1.1.1') })
  await expect(get(dispatcher, 'https://hook.example/a')).rejects.toThrow()
  expect(asked).toEqual(['CONNECT 1.1.1.1:443'])
  expect(hello).toContain('hook.example')
  await expect(get(dispatcher, 'http://hook.example/b')).rejects.toThrow()
  expect(asked[1]).toBe('CONNECT 1.1.1.1:80')
  expect(hello).toMatch(/^GET \/b HTTP\/1\.1\r\nhost: hook\.example\r\n/)
  await expect(get(dispatcher, 'https://[2606:4700::1111]/')).rejects.toThrow()
  expect(asked[2]).toBe('CONNECT [2606:4700::1111]:443')
})

it('is asked for IPv4 where a name has it, and a silent one is left', async () => {
  const resolve: Resolve = (_hostname, callback) =>
    callback(null, [
      { address: '2606:4700::1111', family: 6 },
      { address: '1.1.1.1', family: 4 },
    ])
  await expect(
    get(createDispatcherForAccounts(proxies, { ...limits, resolve }), 'https://a.example/'),
  ).rejects.toThrow()
  expect(asked).toEqual(['CONNECT 1.1.1.1:443'])
  const silent = createServer()
  silent.on('connect', () => {})
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const httpsProxy = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const hasty = createDispatcherForAccounts({ ...proxies, httpsProxy }, { connectMs: 300, resolve })
  await expect(get(hasty, 'https://a.example/')).rejects.toThrow()
})

it.each([
  ['a name that leads into the network', 'https://inside.example/'],
  ['a private address', 'https://10.0.0.1/'],
  ['this machine', 'https://[::1]/'],
  ['a port of something else', 'https://hook.example:6379/'],
])('is never asked for %s', async (_what, url) => {
  const dispatcher = createDispatcherForAccounts(proxies, { ...limits, resolve: resolvingTo('10.0.0.1') })
  await expect(get(dispatcher, url)).rejects.toBeInstanceOf(TargetRefusedError)
  expect(asked).toEqual([])
})

it('is what receivers are reached through', async () => {
  const outbound = createOutbound({
    allowPrivateTargets: false,
    proxies,
    resolve: resolvingTo('1.1.1.1'),
    userAgent: 'test',
    clock: systemClock,
  })
  const signal = new AbortController().signal
  const post = (url: string) => outbound.post({ url, headers: {}, body: '{}', signal })
  await expect(post('https://hook.example/x')).rejects.toThrow('The connection to the receiver broke.')
  // What happened at another port would tell an account which services a host has.
  await expect(post('https://hook.example:8443/x')).rejects.toThrow(
    'There was no answer over https with a valid certificate',
  )
  await outbound.close()
  expect(asked).toEqual(['CONNECT 1.1.1.1:443', 'CONNECT 1.1.1.1:8443'])
})

it('comes from the environment, in either case, and a wrong one is refused', () => {
  expect(readConfig({ https_proxy: 'http://proxy.example:1', NO_PROXY: '.example.com' }).proxies).toEqual({
    httpProxy: '',
    httpsProxy: 'http://proxy.example:1',
    noProxy: '.example.com',
  })
  expect(() => readConfig({ HTTP_PROXY: 'secret:proxy' })).toThrow(
    /^HTTP_PROXY: must be the http, https or SOCKS5 address/,
  )
  expect(() => readConfig({ HTTPS_PROXY: 'ftp://proxy.example' })).toThrow(/^HTTPS_PROXY: must be/)
})

it.each([
  ['127.0.0.1:7890', 'http://127.0.0.1:7890'],
  ['proxy.corp.example:3128', 'http://proxy.corp.example:3128'],
  ['user:secret@proxy.example:3128', 'http://user:secret@proxy.example:3128'],
  ['socks5h://proxy.example:1080', 'socks5h://proxy.example:1080'],
  ['socks4://proxy.example:1080', ''],
])('of a shell is read as curl reads it: %s', (given, httpsProxy) => {
  const { proxies: read, unusedProxies } = readConfig({ HTTPS_PROXY: given })
  expect(read).toEqual({ httpProxy: '', httpsProxy, noProxy: '' })
  expect(unusedProxies).toEqual(httpsProxy === '' ? ['HTTPS_PROXY'] : [])
})

it('names below localhost are this machine, whatever its resolver knows', async () => {
  const { port } = proxy.address() as AddressInfo
  expect(await get(createDispatcher(noProxies, limits), `http://forum.localhost:${port}/a`)).toBe(200)
  expect(asked).toEqual([`GET /a forum.localhost:${port}`])
  const accounts = createDispatcherForAccounts(noProxies, {
    ...limits,
    refuse: (message) => new TargetRefusedError(message),
  })
  await expect(get(accounts, `http://forum.localhost:${port}/a`)).rejects.toThrow()
  expect(asked).toHaveLength(1)
})
