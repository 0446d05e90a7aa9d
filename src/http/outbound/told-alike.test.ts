import { once } from 'node:events'
import { createServer as createProxy } from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { makeCertificate } from '../../../test/certificate.ts'
import { systemClock } from '../../runtime/clock.ts'
import { createOutbound, type OutboundOptions, TargetFailedError } from './outbound.ts'
import { noProxies } from './proxy.ts'
import type { Resolve } from './public-address.ts'

// Holds (Watches, news and channels): a receiver's port is reported like any other, even when refused, silent or without a certificate

// What an account hears of a port, but 443: whether something listens there, and what, it must not.

/** Listens on a free port of this machine until the test ends. @returns the port */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A proxy whose tunnels all lead to this machine. */
async function startProxy(): Promise<string> {
  const proxy = createProxy()
  proxy.on('connect', ({ url = '' }, socket: Socket) => {
    const target = connect(Number(url.split(':').at(-1)), '127.0.0.1')
    target.once('connect', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      socket.pipe(target).pipe(socket)
    })
    target.once('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'))
    socket.once('close', () => target.destroy())
  })
  return `http://127.0.0.1:${await listen(proxy)}`
}

/** Gives a public address to the check, and this machine to the connection: no other machine is reached. */
const resolve: Resolve = (_hostname, callback) => {
  let reads = 0
  const given = {
    family: 4,
    get address() {
      return reads++ === 0 ? '1.1.1.1' : '127.0.0.1'
    },
  }
  callback(null, [given])
}

const receivers = {
  refused: async () => {
    const server = createServer()
    const port = await listen(server)
    await new Promise((closed) => server.close(closed))
    return port
  },
  silent: () => listen(createServer()),
  uncertified: () => listen(createTlsServer(makeCertificate())),
}

it.each([
  ['refused', 'The receiver refused the connection.'],
  ['silent', 'The receiver did not answer in time.'],
  ['uncertified', 'The certificate of the receiver is not valid.'],
] as const)('a port that is %s is told as any other, without a proxy and with one', async (kind, reason) => {
  const port = await receivers[kind]()
  const post = async (url: string, options: Partial<OutboundOptions>) => {
    const connectMs = kind === 'silent' ? 300 : 30_000
    const outbound = createOutbound({
      allowPrivateTargets: false,
      userAgent: 'test',
      clock: systemClock,
      timeoutMs: 30_000,
      connectMs,
      ...options,
    })
    onTestFinished(() => outbound.close())
    const { signal } = new AbortController()
    const failure = await outbound.post({ url, headers: {}, body: '{}', signal }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(TargetFailedError)
    return (failure as Error).message
  }
  const proxies = { ...noProxies, httpsProxy: await startProxy() }
  const told = await Promise.all([
    post(`https://hook.example:${port}/x`, { resolve }),
    post(`https://hook.example:${port}/x`, { resolve, proxies }),
    // An operator who allows private targets knows the machines.
    post(`https://127.0.0.1:${port}/x`, { allowPrivateTargets: true }),
  ])
  const alike = 'There was no answer over https with a valid certificate at this port.'
  expect(told).toEqual([alike, alike, reason])
})
