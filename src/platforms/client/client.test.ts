import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../../runtime/clock.ts'
import { parseRemovalContact } from '../../runtime/removal-contact.ts'
import {
  type Handler,
  openTestBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../adapters/testing.ts'
import type { Budget } from '../budget/budget.ts'
import { PlatformError } from '../platform.ts'
import { type ClientOptions, endpointUrl, userAgentFor } from './client.ts'
import type { Answer, JsonRequest } from './messages.ts'

const minuteMs = 60_000
const budgetOf = (limit: number, concurrency = 5) =>
  openTestBudget({ name: 'api.example', windows: [{ limit, windowMs: minuteMs }], concurrency })

interface Setup {
  options?: Partial<ClientOptions>
  budget?: Budget
  request?: Partial<JsonRequest>
}

async function setUp(handler: Handler, { options = {}, budget = budgetOf(1_000, 10), request = {} }: Setup = {}) {
  const server = await startServer(handler)
  const clock = testClock()
  const client = testClient(clock, options)
  const url = endpointUrl(`${server.baseUrl}/api`, '/search', { q: 'secret words', key: 'secret-key' })
  const signal = new AbortController().signal
  const get = (more: Partial<JsonRequest> = {}): Promise<Answer> =>
    client.getJson({ platform: 'github', url, budget, signal, ...request, ...more })
  return { ...server, clock, budget, get }
}

/** Answers each request with the next handler, the last one again and again. */
function inTurn(...handlers: Handler[]): Handler {
  let index = 0
  return (...parts) => handlers[Math.min(index++, handlers.length - 1)]!(...parts)
}

const ok: Handler = (response) => sendJson(response, { ok: true })
const status =
  (code: number, headers: object = {}): Handler =>
  (response) =>
    sendJson(response, { message: 'secret words' }, code, headers)

describe('a request', () => {
  it.each(['removal@wishwell.example', 'https://wishwell.example/removal?by=(author)\\', "o'hara+x@example.org"])(
    'names the removal contact in one comment of the User-Agent: %s',
    async (text) => {
      const contact = parseRemovalContact(text)!.text
      const { get, received } = await setUp(ok, { options: { userAgent: userAgentFor('1.2.3', contact) } })
      await get({})
      const agent = String(received[0]!.headers['user-agent'])
      expect(agent).toBe(
        `Wishwell/1.2.3 (+https://github.com/wishwell/wishwell; feature request collector; contact: ${contact})`,
      )
      expect(agent.match(/[()\\]/g)).toEqual(['(', ')'])
    },
  )

  it('has the User-Agent of the service, and the headers and query of the adapter', async () => {
    const { get, received } = await setUp(ok, { options: { userAgent: userAgentFor('1.2.3') } })
    const answer = await get({ headers: { authorization: 'Bearer t', 'user-agent': 'other' } })
    expect(answer).toMatchObject({ status: 200, body: { ok: true } })
    expect(received).toMatchObject([
      {
        path: '/api/search',
        query: { q: 'secret words', key: 'secret-key' },
        headers: {
          'user-agent': 'Wishwell/1.2.3 (+https://github.com/wishwell/wishwell; feature request collector)',
          authorization: 'Bearer t',
        },
      },
    ])
  })
})

it('goes through the proxy of the network', async () => {
  const { baseUrl: httpProxy } = await startServer(ok)
  const client = testClient(testClock(), { proxies: { httpProxy, httpsProxy: '', noProxy: '' } })
  const url = new URL('http://platform.example/search')
  const signal = new AbortController().signal
  expect((await client.getJson({ platform: 'github', url, budget: budgetOf(10), signal })).body).toEqual({ ok: true })
})

/** A frame of zstd without content (RFC 8878, 3.1.2). */
const skippable = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 1, 2])

describe('a compressed body', () => {
  const json = JSON.stringify({ text: 'ä'.repeat(5_000) })
  it.each([
    ['gzip', gzipSync(json)],
    ['x-gzip', gzipSync(json)],
    ['deflate', deflateSync(json)],
    ['BR', brotliCompressSync(json)],
    ['zstd', zstdCompressSync(json)],
    ['identity', Buffer.from(json)],
    // What browsers forgive: raw data, no or a wrong checksum, something behind, parts, several codings, words that are none.
    ['deflate', deflateRawSync(json)],
    ['deflate', gzipSync(json)],
    ['gzip', gzipSync(json).subarray(0, -8)],
    ['gzip', gzipSync(json).with(-6, 7)],
    ['gzip', Buffer.concat([gzipSync(json), Buffer.from('<!-- cached -->')])],
    ['gzip', Buffer.concat([gzipSync(json.slice(0, 50)), gzipSync(json.slice(50))])],
    ['br', Buffer.concat([brotliCompressSync(json), Buffer.from('\n')])],
    ['zstd', Buffer.concat([skippable, zstdCompressSync(json.slice(0, 50)), zstdCompressSync(json.slice(50))])],
    ['gzip, br', brotliCompressSync(gzipSync(json))],
    [', gzip', gzipSync(json)],
    ['identity, gzip', gzipSync(json)],
    ['utf-8', Buffer.from(json)],
    ['constructor', Buffer.from(json)],
    ['utf-8', gzipSync(json)],
  ])('in %s is read', async (encoding, bytes) => {
    const { get } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.write(bytes.subarray(0, 7))
      setImmediate(() => response.end(bytes.subarray(7)))
    })
    expect((await get()).body).toEqual({ text: 'ä'.repeat(5_000) })
  })

  it('of an error is read too', async () => {
    const { get } = await setUp((response) => {
      response.writeHead(400, { 'content-encoding': 'gzip' })
      response.end(gzipSync('{"error_id":7}'))
    })
    const answers: Answer[] = []
    await platformError(get({ readLimits: (answer) => void answers.push(answer) }), 'bad_response')
    expect(answers).toMatchObject([{ status: 400, body: { error_id: 7 } }])
  })

  it.each([
    ['cut off', 'gzip', gzipSync(json).subarray(0, 40)],
    ['damaged', 'gzip', Buffer.from(json)],
    ['cut off', 'br', brotliCompressSync(json).subarray(0, 20)],
    ['cut off', 'zstd', zstdCompressSync(json).subarray(0, 10)],
    ['coded six times', 'gzip, gzip, gzip, gzip, gzip, gzip', Buffer.from(json)],
    ['an empty one', 'gzip', Buffer.alloc(0)],
  ])('that is %s is a bad response (%s)', async (_how, encoding, bytes) => {
    const { get, received } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': encoding })
      response.end(bytes)
    })
    expect((await platformError(get(), 'bad_response')).retryAt).toBeNull()
    expect(received).toHaveLength(1)
  })
})

describe('a body', () => {
  it('of 50 MB is not read to its end', async () => {
    let sent = 0
    const { get } = await setUp((response) => {
      const more = () => {
        while (sent < 50e6 && !response.destroyed) {
          sent += 100_000
          if (!response.write(Buffer.alloc(100_000, 'x'))) return
        }
        response.end()
      }
      response.on('drain', more)
      more()
    })
    const error = await platformError(get(), 'bad_response')
    expect(error.message).toContain('more than 10485760 bytes')
    expect(sent).toBeLessThan(30e6)
  })

  it('that decompresses to more than the cap is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(30e6, ' '))
    expect(bomb.length).toBeLessThan(100_000)
    const { get } = await setUp((response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(bomb)
    })
    expect((await platformError(get(), 'bad_response')).message).toContain('more than 10485760 bytes')
  })

  it.each(['<!doctype html><p>secret words</p>', '{"items": ["secret words"', ''])(
    'that is not JSON is a bad response that does not quote it: %s',
    async (body) => {
      const { get, received } = await setUp((response) => {
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
        response.end(body)
      })
      const error = await platformError(get(), 'bad_response')
      expect(error.message).toBe(
        'github answered with a body of type text/html that is not JSON. Check its base address.',
      )
      expect(error.cause).toBeUndefined()
      expect(received).toHaveLength(1)
    },
  )

  it('that ends before its announced length is fetched again', async () => {
    const cut: Handler = (response) => {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"ok":')
      setImmediate(() => response.destroy())
    }
    const { get, received } = await setUp(inTurn(cut, ok))
    expect((await get()).body).toEqual({ ok: true })
    expect(received).toHaveLength(2)
  })
})

describe('a redirect', () => {
  const redirect =
    (location: string): Handler =>
    (response) => {
      response.writeHead(302, { location })
      response.end('moved')
    }

  it('within the configured origin is followed, with the headers', async () => {
    const { get, received } = await setUp(inTurn(redirect('/elsewhere?x=1'), redirect('again'), ok))
    await get({ headers: { authorization: 'Bearer t' } })
    expect(received.map(({ path, headers }) => [path, headers.authorization])).toEqual([
      ['/api/search', 'Bearer t'],
      ['/elsewhere', 'Bearer t'],
      ['/again', 'Bearer t'],
    ])
  })

  it('does not block its connection with an unread body', async () => {
    const large: Handler = (response) => void response.writeHead(302, { location: '/' }).end('x'.repeat(1_000_000))
    const dispatcher = new Agent({ connections: 1 })
    const { get } = await setUp(inTurn(large, ok), { options: { dispatcher, timeouts: { deadlineMs: 60_000 } } })
    expect((await get()).status).toBe(200)
  })

  it('to any other origin is refused, and nothing is sent there', async () => {
    const other = await startServer(ok)
    for (const location of [`${other.baseUrl}/x?token=secret`, 'file:///etc/passwd', 'http://[', '//127.0.0.1:1/']) {
      const { get } = await setUp(redirect(location))
      const error = await platformError(get(), 'bad_response')
      expect(error.message).not.toContain('secret')
    }
    expect(other.received).toEqual([])
  })

  it('waits for the budget between two steps, instead of starting again for ever', async () => {
    const budget = () => openTestBudget({ name: 'slow.example', windows: [{ limit: 1, windowMs: 30 }], concurrency: 1 })
    const options = { clock: systemClock }
    const twice = await setUp(inTurn(redirect('/b'), redirect('/c'), ok), { options, budget: budget() })
    expect((await twice.get()).status).toBe(200)
    const loop = await setUp(redirect('/again'), { options, budget: budget() })
    await platformError(loop.get(), 'bad_response')
    expect(loop.received).toHaveLength(4)
  })

  it('in a circle ends after three', async () => {
    const { get, received } = await setUp(redirect('/api/search'))
    await platformError(get(), 'bad_response')
    expect(received).toHaveLength(4)
  })
})

describe('a transient fault', () => {
  const reset: Handler = (_response, _received, request) => request.socket.destroy()

  it.each([
    ['503', status(503)],
    ['a reset connection', reset],
    [
      '500 with a damaged body',
      ((response) => {
        response.writeHead(500, { 'content-encoding': 'gzip' })
        response.end('x')
      }) satisfies Handler,
    ],
  ])('is cured by another try: %s', async (_name, fault) => {
    const { get, received } = await setUp(inTurn(fault, fault, ok))
    expect((await get()).body).toEqual({ ok: true })
    expect(received).toHaveLength(3)
  })

  it('that stays ends after three tries, to be tried again later', async () => {
    const { get, received, clock } = await setUp(status(502))
    const error = await platformError(get(), 'unavailable')
    expect(error.retryAt!.getTime()).toBeGreaterThan(clock.now().getTime())
    expect(received).toHaveLength(3)
  })

  it('waits a random time before the next try, and logs nothing secret', async () => {
    const lines: object[] = []
    const { get } = await setUp(inTurn(status(503), ok), {
      options: { random: () => 0.2, log: { warn: (fields) => lines.push(fields) } },
    })
    const before = performance.now()
    await get({ headers: { authorization: 'Bearer secret' } })
    expect(performance.now() - before).toBeGreaterThan(95)
    expect(lines).toEqual([{ platform: 'github', code: 'unavailable', attempt: 0, delayMs: 100 }])
  })

  it('with a Retry-After is not tried again before it, by any task', async () => {
    const { get, received, clock } = await setUp(status(503, { 'retry-after': '20' }))
    const error = await platformError(get(), 'unavailable')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 20_000))
    await platformError(get(), 'rate_limited')
    expect(received).toHaveLength(1)
  })

  it('of a host that does not exist or listen is unavailable', async () => {
    const { get } = await setUp(ok)
    const error = await platformError(get({ url: new URL('http://127.0.0.1:1/?q=secret') }), 'unavailable')
    expect(error.message).toBe(
      'The connection to github failed (ECONNREFUSED). Check the network and its base address.',
    )
    expect(error.retryAt).not.toBeNull()
  })
})

describe('a platform that stalls', () => {
  const stalls: Array<[string, Handler]> = [
    ['before its headers', () => {}],
    ['in its body', (response) => void response.write('{"ok":')],
  ]

  it.each(stalls)('%s ends at the deadline, all tries together', async (_where, handler) => {
    const budget = budgetOf(1, 1)
    // Every other limit is longer than a test may take.
    const timeouts = { headersMs: 600_000, bodyMs: 600_000, deadlineMs: 150 }
    const { get, clock } = await setUp(handler, { budget, options: { timeouts } })
    const error = await platformError(get(), 'timeout')
    expect(error.retryAt!.getTime()).toBeGreaterThan(clock.now().getTime())
  })

  it.each(stalls)('%s is queried again when a try has timed out', async (_where, handler) => {
    const timeouts = { headersMs: 1_000, bodyMs: 1_000, deadlineMs: 60_000 }
    const { get, received } = await setUp(inTurn(handler, ok), { options: { timeouts } })
    expect((await get()).body).toEqual({ ok: true })
    // On a slow machine also the second one may time out.
    expect(received.length).toBeGreaterThanOrEqual(2)
  })
})

describe('cancelling', () => {
  it('ends a request at once, also while it stalls', async () => {
    const controller = new AbortController()
    const { get, received } = await setUp(() => setImmediate(() => controller.abort()))
    expect((await platformError(get({ signal: controller.signal }), 'cancelled')).retryAt).toBeNull()
    expect(received).toHaveLength(1)
  })

  it('ends the wait before another try', async () => {
    const controller = new AbortController()
    const log = { warn: () => controller.abort() }
    const { get, received } = await setUp(status(503), { options: { random: () => 100, log } })
    await platformError(get({ signal: controller.signal }), 'cancelled')
    expect(received).toHaveLength(1)
  })

  it('ends the wait for a slot, and sends nothing', async () => {
    const budget = budgetOf(1_000, 1)
    await budget.enter(new AbortController().signal)
    const controller = new AbortController()
    const { get, received } = await setUp(ok, { budget })
    const waiting = get({ signal: controller.signal })
    controller.abort()
    await platformError(waiting, 'cancelled')
    await platformError(get({ signal: controller.signal }), 'cancelled')
    expect(received).toEqual([])
  })
})

describe('the budget', () => {
  it('refuses without sending anything, and with the time of the next try', async () => {
    const budget = budgetOf(1, 5)
    const { get, received, clock } = await setUp(ok, { budget })
    await get()
    const error = await platformError(get(), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + minuteMs))
    clock.advance(minuteMs)
    await get()
    expect(received).toHaveLength(2)
  })

  it('ends a task when the daily quota is used up', async () => {
    const budget = openTestBudget({
      name: 'api.example',
      windows: [{ limit: 100, windowMs: minuteMs }],
      concurrency: 5,
      quota: { limit: 1, periodEnd: (now) => new Date(now.getTime() + minuteMs) },
    })
    const { get } = await setUp(ok, { budget })
    await get()
    expect((await platformError(get(), 'quota_exhausted')).retryAt).toBeNull()
  })

  it('counts every try and every redirect', async () => {
    const budget = budgetOf(2, 5)
    const tries = await setUp(status(503), { budget })
    const fault = await platformError(tries.get(), 'unavailable')
    expect(fault.retryAt).toEqual(new Date(tries.clock.now().getTime() + minuteMs))
    expect(budget.state(tries.clock.now())).toMatchObject({ failures: 1, lastError: { code: 'unavailable' } })
    expect(tries.received).toHaveLength(2)

    const again = budgetOf(2, 5)
    const redirects = await setUp((response) => void response.writeHead(302, { location: '/' }).end(), {
      budget: again,
    })
    await platformError(redirects.get(), 'rate_limited')
    expect(redirects.received).toHaveLength(2)
  })

  it('never has more requests under way than its concurrency, also after faults', async () => {
    let underWay = 0
    let most = 0
    const budget = budgetOf(1_000, 2)
    const handler: Handler = (response) => {
      underWay += 1
      most = Math.max(most, underWay)
      setTimeout(() => {
        underWay -= 1
        sendJson(response, {}, most === 2 ? 200 : 503)
      }, 20)
    }
    const { get } = await setUp(handler, { budget })
    await Promise.all(Array.from({ length: 4 }, () => get()))
    expect(most).toBe(2)
  })

  it('has a bounded queue, so that a slow host occupies few workers', async () => {
    const { get, clock } = await setUp((response) => void setTimeout(() => sendJson(response, {}), 50), {
      budget: budgetOf(1_000, 1),
    })
    const calls = [get(), get(), get(), get()]
    const late = await Promise.all(calls.slice(2).map((call) => platformError(call, 'rate_limited')))
    expect(late.map(({ retryAt }) => retryAt)).toEqual(Array(2).fill(new Date(clock.now().getTime() + 1_500)))
    await Promise.all(calls.slice(0, 2))
  })

  it('pauses all tasks after a refusal', async () => {
    const { get, received, clock } = await setUp(inTurn(status(429, { 'retry-after': '7' }), ok))
    const first = await platformError(get(), 'rate_limited')
    const second = await platformError(get(), 'rate_limited')
    expect([first.retryAt, second.retryAt]).toEqual(Array(2).fill(new Date(clock.now().getTime() + 7_000)))
    expect(received).toHaveLength(1)
    clock.advance(7_000)
    await get()
  })
})

describe('the time limit of a caller', () => {
  const timeIsOver = () => new DOMException('over', 'TimeoutError')

  it('counts as a failure of a host that stayed silent until then', async () => {
    const controller = new AbortController()
    const budget = budgetOf(1_000, 1)
    const { get } = await setUp(() => setImmediate(() => controller.abort(timeIsOver())), { budget })
    const error = await platformError(get({ signal: controller.signal }), 'timeout')
    expect(error.message).toMatch(/did not answer in time/)
    expect(budget.state(new Date())).toMatchObject({ failures: 1, lastError: { code: 'timeout' } })
  })

  it('does not count against a host that was not queried', async () => {
    const budget = budgetOf(1_000, 1)
    const leave = await budget.enter(new AbortController().signal)
    const controller = new AbortController()
    const { get, received } = await setUp(ok, { budget })
    const waiting = get({ signal: controller.signal })
    controller.abort(timeIsOver())
    await platformError(waiting, 'timeout')
    leave?.()
    expect(received).toEqual([])
    expect(budget.state(new Date())).toMatchObject({ failures: 0, lastError: null })
  })
})

describe('a host that keeps failing', () => {
  const ask = async (handler: Handler, times: number) => {
    const { get, received, clock } = await setUp(handler)
    const codes: string[] = []
    for (let time = 0; time < times; time++) {
      codes.push(
        await get().then(
          () => 'ok',
          (error: PlatformError) => error.code,
        ),
      )
    }
    return { get, received, clock, codes }
  }

  it('is not queried for a while, then by one request, and by all when that succeeds', async () => {
    let isUp = false
    const { get, received, clock, codes } = await ask(
      (response, ...rest) => (isUp ? ok : status(500))(response, ...rest),
      7,
    )
    expect(codes).toEqual(Array(7).fill('unavailable'))
    expect(received).toHaveLength(5 * 3)
    expect((await platformError(get(), 'unavailable')).message).toMatch(/keeps failing .* paused until/)
    clock.advance(minuteMs)
    isUp = true
    await Promise.all([get(), platformError(get(), 'unavailable')])
    await get()
    expect(received).toHaveLength(5 * 3 + 2)
  })

  it('is one that answers with pages instead of JSON, not one that explains each refusal', async () => {
    const pages = await ask((response) => response.end('<html>'), 7)
    expect(pages.received).toHaveLength(5)
    const refusals = await ask(status(404), 7)
    expect(refusals.received).toHaveLength(7)
  })
})

describe('an error status', () => {
  it.each([
    [400, 'bad_response'],
    [401, 'unauthorized'],
    [403, 'blocked'],
    [404, 'bad_response'],
    [429, 'rate_limited'],
    [451, 'blocked'],
  ] as const)('%i is %s, whatever the body, tried once', async (code, expected) => {
    for (const body of ['{"message":"secret words"}', '<p>secret words</p>']) {
      const { get, received } = await setUp((response) => response.writeHead(code).end(body))
      const error = await platformError(get(), expected)
      expect(error.message).not.toMatch(/secret/)
      expect(error.retryAt === null).toBe(expected !== 'rate_limited')
      expect(received).toHaveLength(1)
    }
  })

  it('is read by the adapter first, also when the status is 200', async () => {
    const readError = (answer: Answer) => new PlatformError('unauthorized', `said ${answer.status}`)
    for (const code of [200, 503]) {
      const { get } = await setUp(status(code))
      expect((await platformError(get({ readError }), 'unauthorized')).message).toBe(`said ${code}`)
    }
  })

  it('starts the cooldown that it demands, whichever error the adapter reads', async () => {
    for (const code of ['unavailable', 'bad_response'] as const) {
      const { get, received, clock } = await setUp(status(503, { 'retry-after': '20' }))
      const readError = () => new PlatformError(code, 'a form of its own')
      const { retryAt } = await platformError(get({ readError }), code)
      const cooldownUntil = new Date(clock.now().getTime() + 20_000)
      expect(retryAt).toEqual(code === 'unavailable' ? cooldownUntil : null)
      expect((await platformError(get({ readError }), 'rate_limited')).retryAt).toEqual(cooldownUntil)
      expect(received).toHaveLength(1)
    }
  })

  it('that the adapter accepts is returned', async () => {
    const { get } = await setUp(status(422))
    expect((await get({ acceptStatuses: [422] })).status).toBe(422)
  })
})

it('an error in the code of an adapter is not changed', async () => {
  const { get } = await setUp(ok)
  const broken = () => {
    throw new TypeError('a mistake')
  }
  await expect(get({ readLimits: broken })).rejects.toThrow('a mistake')
})

it('the address of a method keeps the path of its base', () => {
  const parameters = { q: 'a&b c', page: 2 }
  expect(endpointUrl('https://h.example/api/v3/', '/search', parameters).href).toBe(
    'https://h.example/api/v3/search?q=a%26b+c&page=2',
  )
  expect(endpointUrl('https://h.example', '/search', {}).href).toBe('https://h.example/search')
})
