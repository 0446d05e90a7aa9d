import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { fastify } from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { registerDraining } from './draining.ts'

// Holds (HTTP and secrets): a stop answers the requests that arrived and waits for no other connection

const sockets: Socket[] = []

afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** A server whose route `/slow` answers when the test says so. */
async function startServer() {
  const { promise: passed, resolve: answer } = Promise.withResolvers<void>()
  const app = fastify()
  const drain = registerDraining(app)
  const arrived = Promise.withResolvers<void>()
  app.get('/slow', async () => {
    arrived.resolve()
    await passed
    return 'the whole response'
  })
  app.get('/', async () => 'ok')
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  const open = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    await once(socket, 'connect')
    if (text !== '') socket.write(text)
    return socket
  }
  return { drain, open, answer, arrived: arrived.promise, url: `http://127.0.0.1:${port}` }
}

// Node itself closes such connections after 60 s at the earliest.
const limitMs = 20_000

it(
  'a connection without a request does not delay the stop',
  async () => {
    const { drain, open, url } = await startServer()
    for (const text of ['', 'GET / HTTP/1.1\r\nhost: wi']) await open(text)
    await (await fetch(url)).text()
    await drain()
  },
  limitMs,
)

it(
  'a request that has arrived is answered before its connection closes',
  async () => {
    const { drain, open, answer, arrived } = await startServer()
    const socket = await open('GET /slow HTTP/1.1\r\nhost: wishwell\r\n\r\n')
    await open('')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    await arrived
    let hasStopped = false
    const stopped = drain().then(() => {
      hasStopped = true
    })
    // The other connection is closed by the sweep, which this one survives.
    await once(sockets[1]!.resume(), 'close')
    expect(hasStopped).toBe(false)
    answer()
    await once(socket, 'close')
    await stopped
    expect(text).toMatch(/^HTTP\/1.1 200 OK[\s\S]*connection: close[\s\S]*the whole response$/)
  },
  limitMs,
)
