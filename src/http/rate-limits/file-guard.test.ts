import { fastify } from 'fastify'
import { afterEach, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { prepareAnswer } from '../compression.ts'
import { handleErrors } from '../error-handler.ts'
import { createSlidingLog } from './limiter.ts'
import { createFileGuard, createRateLimits, guardLimits, maxPerAddress } from './rate-limits.ts'

let app = fastify()
/** How many calls have passed the guard. */
let passed = 0
afterEach(() => app.close())

async function serve({ files = guardLimits.files, until }: { files?: number; until?: Promise<void> }) {
  const limiter = createSlidingLog({ clock: systemClock })
  const limits = { ...guardLimits, files, ofTier: () => 0 }
  const guard = createFileGuard(createRateLimits({ clock: systemClock, limiter, limits }))
  let made = 0
  passed = 0
  const send = prepareAnswer(() => `${++made} ${'text '.repeat(1_000)}`)
  app = fastify()
  handleErrors(app)
  app.get('/file', { onRequest: guard }, async (request, reply) => {
    passed++
    await until
    return send(request, reply.type('text/plain'))
  })
  const url = `${await app.listen({ port: 0 })}/file`
  return (headers: Record<string, string> = {}) => fetch(url, { headers })
}

it('a text that does not change is made once, and sent compressed, or not at all to a caller that has it', async () => {
  const get = await serve({})
  const [first, second] = [await get({ 'accept-encoding': 'gzip' }), await get({ 'accept-encoding': 'br' })]
  expect([first.headers.get('content-encoding'), second.headers.get('content-encoding')]).toEqual(['gzip', 'br'])
  const text = await first.text()
  expect(text).toMatch(/^1 text text/)
  expect(await second.text()).toBe(text)
  expect(Number(first.headers.get('content-length'))).toBeLessThan(text.length / 10)
  expect(first.headers.get('cache-control')).toBe('no-cache')
  expect(first.headers.get('vary')).toBe('Accept-Encoding')
  const etag = first.headers.get('etag')!
  for (const known of [etag, etag.replace('W/', ''), `"other", ${etag}`]) {
    const again = await get({ 'if-none-match': known })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
  expect((await get({ 'if-none-match': '"other"' })).status).toBe(200)
})

it('an address gets so many files in a minute', async () => {
  const get = await serve({ files: 2 })
  expect([(await get()).status, (await get()).status]).toEqual([200, 200])
  const refused = await get()
  expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"files";q=2;w=60'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
})

it('an address reads a few files at once, and more when they are sent', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const get = await serve({ until: promise })
  const reading = Array.from({ length: maxPerAddress }, () => get())
  await expect.poll(() => passed).toBe(maxPerAddress)
  expect((await get()).status).toBe(503)
  resolve()
  for (const answer of await Promise.all(reading))
    expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)])
  await expect.poll(async () => (await get()).status).toBe(200)
})
