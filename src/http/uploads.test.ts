import { EventEmitter, once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, it, onTestFinished } from 'vitest'
import { createServer, setCommonRules } from './server.ts'
import { createUploads, type UploadLimits } from './uploads.ts'

// Holds (HTTP and secrets): a slow upload arrives, one that pauses or drips is ended, and neither blocks others

const usual: UploadLimits = { maxBytes: 100_000, total: 2, silenceMs: 20_000, windowMs: 20_000, windowBytes: 1 }

/** A server whose other requests have 200 ms. */
async function start(limits: Partial<UploadLimits> = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-uploads-'))
  const stopping = new AbortController()
  const begun = new EventEmitter()
  const options = { usualCallLevel: 'debug', trustProxy: undefined, requestMs: 200 } as const
  const app = createServer({ log: pino({ level: 'silent' }), ...options })
  setCommonRules(app, () => null)
  const receive = createUploads(dataDir, stopping.signal, { ...usual, ...limits })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
  app.post('/:owner', async (request, reply) => {
    const received = receive((request.params as { owner: string }).owner, request, reply)
    begun.emit('upload')
    const upload = await received
    try {
      let text = ''
      for await (const _beginning of upload.read()) break
      for await (const chunk of upload.read()) text += chunk
      for await (const chunk of upload.read()) text += chunk
      return { bytes: text.length, files: readdirSync(dataDir) }
    } finally {
      await upload.close()
    }
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(async () => {
    app.server.closeAllConnections()
    await app.close()
    rmSync(dataDir, { recursive: true })
  })
  const { port } = app.server.address() as AddressInfo
  return {
    dataDir,
    stopping,
    post: (owner: string, body: string) => fetch(`http://127.0.0.1:${port}/${owner}`, { method: 'POST', body }),
    /** A caller whose file is under way; nothing of it has been sent yet. */
    open: async (owner: string, bytes: number | 'chunked') => {
      const socket = connect(port, '127.0.0.1')
      onTestFinished(() => void socket.destroy())
      const length = bytes === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${bytes}`
      socket.write(`POST /${owner} HTTP/1.1\r\nhost: x\r\ncontent-type: text/csv\r\n${length}\r\n\r\n`)
      await once(begun, 'upload')
      return socket
    },
  }
}

/** What a socket is answered first. */
async function answerOf(socket: Socket): Promise<string> {
  const [answer] = await once(socket, 'data')
  return String(answer)
}

/** Sends a piece again and again, until it is answered. */
async function drip(socket: Socket, piece: string, times: number): Promise<string> {
  let left = times
  const timer = setInterval(() => {
    if (left-- > 0) socket.write(piece)
  }, 10)
  return answerOf(socket).finally(() => clearInterval(timer))
}

it('a file on a slow line arrives, far beyond the time of other requests, and has no name', async () => {
  const { open } = await start()
  const answer = await drip(await open('ada', 10_000), 'x'.repeat(100), 100)
  expect(answer).toContain('HTTP/1.1 200 OK')
  expect(answer).toContain('{"bytes":20000,"files":[]}')
})

it.each<[string, Partial<UploadLimits>]>([
  ['pauses', { silenceMs: 100 }],
  ['drips', { windowMs: 200, windowBytes: 1_000 }],
])('a file that %s is ended with a 408, and its account may send again', async (what, limits) => {
  const { open, post, dataDir } = await start(limits)
  const socket = await open('ada', 10_000)
  const answer = await (what === 'drips' ? drip(socket, 'x', Number.POSITIVE_INFINITY) : answerOf(socket))
  expect(answer).toContain('HTTP/1.1 408 Request Timeout')
  expect(answer).toContain('"code":"REQUEST_TIMEOUT","message":"The file arrived too slowly: ')
  expect(answer).toMatch(/^retry-after: 10\r$/im)
  expect(readdirSync(dataDir)).toEqual([])
  expect(await (await post('ada', 'xx')).json()).toEqual({ bytes: 4, files: [] })
})

it('a file that is too large is refused with its limit, as soon as that is known', async () => {
  const { open, post } = await start()
  const refusal = '"code":"PAYLOAD_TOO_LARGE","message":"The file is larger than '
  expect(await answerOf(await open('ada', 100_001))).toContain(refusal)
  const chunked = await open('ada', 'chunked')
  const size = (60_000).toString(16)
  for (let part = 0; part < 2; part++) chunked.write(`${size}\r\n${'x'.repeat(60_000)}\r\n`)
  expect(await answerOf(chunked)).toContain(refusal)
  expect(await (await post('ada', 'x'.repeat(100_000))).json()).toEqual({ bytes: 200_000, files: [] })
})

it('an account sends one file at a time, and those of others do not wait for it', async () => {
  const { open, post } = await start()
  const slow = await open('ada', 2)
  slow.write('x')
  const refused = await post('ada', 'x')
  expect([refused.headers.get('retry-after'), (await refused.json()) as object]).toMatchObject([
    '10',
    {
      error: { code: 'CONFLICT', message: 'Another import of this account is under way. Try again when it has ended.' },
    },
  ])
  expect((await post('bob', 'x')).status).toBe(200)
  slow.write('y')
  expect(await answerOf(slow)).toContain('{"bytes":4,"files":[]}')
})

it('a file that is cut off, or under way at a stop, leaves nothing', async () => {
  const { open, post, stopping, dataDir } = await start()
  const cut = await open('ada', 10)
  cut.write('x')
  cut.destroy()
  await expect.poll(async () => (await post('ada', 'x')).status).toBe(200)
  const stopped = answerOf(await open('ada', 10))
  stopping.abort(new Error('stopping'))
  expect(await stopped).toContain('HTTP/1.1 500')
  expect(readdirSync(dataDir)).toEqual([])
})
