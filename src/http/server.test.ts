import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { pino } from 'pino'
import { Type } from 'typebox'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { App } from './app-type.ts'
import { registerHealthRoutes } from './health.ts'
import { closed } from './schemas.ts'
import { createServer, setCommonRules } from './server.ts'

let app: App
let isAlive: boolean
let port: number
beforeEach(async () => {
  isAlive = true
  app = createServer({ log: pino({ level: 'silent' }), usualCallLevel: 'debug', trustProxy: undefined, requestMs: 300 })
  setCommonRules(app, () => null)
  registerHealthRoutes(app, { isAlive: () => isAlive, health: async () => Promise.reject(new Error('not asked')) })
  const schema = { body: closed({ text: Type.String() }), response: { 200: closed({}) } }
  app.post('/text', { schema }, async () => ({}))
  await app.listen({ port: 0, host: '127.0.0.1' })
  port = (app.server.address() as AddressInfo).port
})
afterEach(() => {
  app.server.closeAllConnections()
  return app.close()
})

it('the sender of a body that is far too large reads why it is refused', async () => {
  const headers = { 'content-type': 'application/json' }
  const agent = new Agent({ keepAlive: true })
  const call = request({ port, host: '127.0.0.1', path: '/text', method: 'POST', headers, agent })
  const answered = once(call, 'response')
  // Its connection is closed at the end of the test.
  answered.then(() => call.on('error', () => {})).catch(() => {})
  call.end(JSON.stringify({ text: 'x'.repeat(10_000_000) }))
  const [answer] = await answered
  expect(answer.statusCode).toBe(413)
  expect(JSON.parse((await answer.toArray()).join(''))).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } })
})

it.each([
  [
    'before its end',
    'POST /text HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 60000\r\n\r\n',
  ],
  [
    'in chunks without end',
    'POST /text HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
  ],
])('a caller that goes on sending is told so, and closed after the time of a request: %s', async (_when, head) => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let said = ''
  socket.on('data', (chunk) => {
    said += chunk
  })
  socket.on('error', () => {})
  socket.write(head)
  const isChunked = head.includes('chunked')
  const timer = setInterval(() => socket.write(isChunked ? '1\r\nx\r\n' : 'x'), 20)
  try {
    // It never ends its side: only the server closes.
    await new Promise((resolve) => socket.on('close', resolve))
    expect(said).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n[\s\S]*"code":"REQUEST_TIMEOUT"/)
  } finally {
    clearInterval(timer)
    socket.destroy()
  }
})

it('/healthz is 503 while the thread of the database does not answer', async () => {
  const status = async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).status
  expect(await status()).toBe(200)
  isAlive = false
  expect(await status()).toBe(503)
})
