import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Api, createApi } from './api.ts'
import { readClientConfig } from './client-config.ts'
import { exitCodes } from './exit-codes.ts'
import { type FakeAnswer, failure, startFakeService, testKey, usage } from './fake-service-testing.ts'

const config = (url: string) => ({ url, apiKey: testKey, keyFrom: 'WISHWELL_API_KEY', movesCursor: true })

async function apiThatAnswers(answer: FakeAnswer): Promise<Api> {
  const { url } = await startFakeService(() => answer)
  return createApi(config(url), { timeoutMs: answer === 'never' ? 300 : 30_000 })
}

const search = (api: Api) => api.POST('/api/v1/requests/search', { body: { query: 'dark mode' } })

const unsaved = { XDG_CONFIG_HOME: '/nonexistent' }

describe('the configuration of a client', () => {
  it('is the local service unless WISHWELL_URL says otherwise', () => {
    expect(readClientConfig({ ...unsaved, WISHWELL_API_KEY: testKey }).url).toBe('http://127.0.0.1:4680')
    const elsewhere = readClientConfig({
      ...unsaved,
      WISHWELL_API_KEY: testKey,
      WISHWELL_URL: ' https://wishes.example/base/ ',
    })
    expect(elsewhere.url).toBe('https://wishes.example/base')
  })

  it.each([
    ['no key', {}, /no API key: run "wishwell login".*"wishwell serve"/s],
    ['an empty key', { WISHWELL_API_KEY: ' ' }, /no API key/],
    ['a key that no header can hold', { WISHWELL_API_KEY: 'secret\nsecret' }, /WISHWELL_API_KEY: is not an API key/],
    ['no scheme', { WISHWELL_API_KEY: testKey, WISHWELL_URL: 'localhost:4680' }, /WISHWELL_URL: must be the address/],
    ['a password', { WISHWELL_API_KEY: testKey, WISHWELL_URL: 'http://me:secret@host' }, /WISHWELL_URL: must not hold/],
  ])('with %s is a usage error that does not repeat the value', (_what, environment, message) => {
    const read = () => readClientConfig({ ...unsaved, ...environment })
    expect(read).toThrow(
      expect.objectContaining({ exitCode: exitCodes.usage, message: expect.stringMatching(message) }),
    )
    expect(read).not.toThrow(/secret|localhost/)
  })
})

describe('a client', () => {
  it('asks for no path of another call, also as a stream', async () => {
    const service = await startFakeService(() => ({ body: { data: {} } }))
    const api = createApi(config(service.url))
    const notFound = (message: string) => ({ code: 'NOT_FOUND', exitCode: exitCodes.failed, message })
    for (const id of ['export', '..', '', '../usage', '%2e%2e']) {
      const reading = api.GET('/api/v1/requests/{requestId}', { params: { path: { requestId: id } } })
      await expect(reading).rejects.toMatchObject(notFound('Request not found.'))
      await expect(api.readBriefFile(id, 'markdown')).rejects.toMatchObject(notFound('Brief not found.'))
    }
    expect(service.received).toEqual([])
  })

  it('sends its key and a JSON body', async () => {
    const service = await startFakeService(() => ({ body: { data: { results: [] }, usage } }))
    const body = { query: 'dark mode', limit: 3 }
    await createApi(config(service.url)).POST('/api/v1/requests/search', { body })
    expect(service.received).toEqual([
      {
        call: 'POST /api/v1/requests/search',
        authorization: `Bearer ${testKey}`,
        body: '{"query":"dark mode","limit":3}',
      },
    ])
  })

  it('sends the parts of a path and a query as they are, to an address that has a path', async () => {
    const service = await startFakeService(() => ({ body: { data: {} } }))
    const api = createApi(config(`${service.url}/base`))
    await api.GET('/api/v1/topics/{topic}', { params: { path: { topic: 'a/b é?' } } })
    await api.GET('/api/v1/wishes', { params: { query: { topic: 'a&b', tag: ['x', 'y'], starred: true } } })
    expect(service.received.map(({ call }) => call)).toEqual([
      'GET /base/api/v1/topics/a%2Fb%20%C3%A9%3F',
      'GET /base/api/v1/wishes?topic=a%26b&tag=x&tag=y&starred=true',
    ])
  })

  it('ends with the reason of its signal', async () => {
    const { url } = await startFakeService(() => 'never')
    const interruption = new AbortController()
    const call = createApi(config(url)).GET('/api/v1/usage', { signal: interruption.signal })
    const reason = new Error('Ctrl-C')
    interruption.abort(reason)
    await expect(call).rejects.toBe(reason)
  })

  it.each<[string, FakeAnswer, number, RegExp | string]>([
    ['401', failure(401, 'UNAUTHORIZED', 'A valid API key is required.'), exitCodes.failed, /WISHWELL_API_KEY/],
    ['400', failure(400, 'INVALID_REQUEST', 'topic: is short.'), exitCodes.failed, 'topic: is short.'],
    ['429', failure(429, 'RATE_LIMITED', 'Credit limit exceeded (9/9).'), exitCodes.limited, /^Credit limit exceeded/],
    ['503', failure(503, 'UNAVAILABLE', 'Starting.'), exitCodes.failed, 'Starting.'],
    ['HTML', { body: '<html>' }, exitCodes.failed, /answered 200 with something that is not Wishwell's JSON/],
    ['other JSON', { body: { hello: 'world' } }, exitCodes.failed, /not Wishwell's JSON/],
    ['a JSON null', { body: null }, exitCodes.failed, /not Wishwell's JSON/],
    ['HTML of a proxy', { status: 502, body: '<html>' }, exitCodes.failed, /answered 502 with something/],
    [
      'a redirect',
      { status: 301, headers: { location: 'https://a.example/' }, body: '' },
      exitCodes.failed,
      /https:\/\/a\.example/,
    ],
    ['nothing', 'hang up', exitCodes.unreachable, /cannot be reached/],
    ['too late', 'never', exitCodes.unreachable, /did not answer within 0\.3 s/],
  ])('that receives %s says so and ends with the right code', async (_what, answer, exitCode, message) => {
    const expected = { exitCode, message: typeof message === 'string' ? message : expect.stringMatching(message) }
    await expect(search(await apiThatAnswers(answer))).rejects.toMatchObject(expected)
  })

  it.each<[boolean, FakeAnswer]>([
    [true, failure(503, 'UNAVAILABLE', 'Starting.')],
    [true, failure(429, 'RATE_LIMITED', 'Slow.', { reason: 'rate' })],
    [true, { status: 504, body: '<html>' }],
    [true, 'hang up'],
    [true, 'never'],
    [false, failure(429, 'RATE_LIMITED', 'No credits.', { reason: 'credits' })],
    [false, failure(404, 'NOT_FOUND', 'Gone.')],
    [false, { body: '<html>' }],
  ])('says whether a retry may succeed: %s', async (temporary, answer) => {
    await expect(search(await apiThatAnswers(answer))).rejects.toMatchObject({ temporary })
  })

  it('reads the Retry-After of an answer', async () => {
    const api = await apiThatAnswers({
      status: 429,
      headers: { 'retry-after': '7' },
      body: { error: { message: 'Slow.' } },
    })
    await expect(search(api)).rejects.toMatchObject({ retryAfterMs: 7_000 })
  })

  it('shows every fault of a request, without control characters', async () => {
    const details = [
      { path: 'topic', message: 'is short' },
      { path: 'depth', message: '\x1b[2Jis large' },
    ]
    const api = await apiThatAnswers(failure(400, 'INVALID_REQUEST', 'topic: is short.', { details }))
    await expect(search(api)).rejects.toThrow('topic: is short.\n  depth: is large')
  })

  it('says how to start a service where none listens', async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const expected = {
      exitCode: exitCodes.unreachable,
      message: expect.stringMatching(/Nothing listens at .*wishwell serve/),
    }
    await expect(search(createApi(config(`http://127.0.0.1:${port}`)))).rejects.toMatchObject(expected)
  })
})

/** @returns the address of a service that answers each call with a part of a stream, which never ends. */
async function startEndlessStream(part: string): Promise<string> {
  const server = createHttpServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(part)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const read: Item[] = []
  for await (const item of items) read.push(item)
  return read
}

describe('a client of events', () => {
  const headers = { 'content-type': 'text/event-stream' }
  const expanded = async (answer: FakeAnswer) => {
    const events = (await apiThatAnswers(answer)).expandSearch({ query: 'dark mode' }, new AbortController().signal)
    return (await all(events)).map(({ event, data }) => [event, data])
  }
  const follow = async (answer: FakeAnswer, signal = new AbortController().signal) =>
    all((await apiThatAnswers(answer)).followJob('5f0c1f9e-0000-4000-8000-000000000001', null, signal))

  it('reads every event but comments, and no part of one', async () => {
    const body = ': alive\n\nid: 1\nevent: topics\ndata: {"a":\ndata: 1}\n\ndata: é\r\n\r\ndata: part\n'
    expect(await expanded({ headers, body })).toEqual([
      ['topics', '{"a":\n1}'],
      [undefined, 'é'],
    ])
  })

  it('takes an answer without events for the result of a search', async () => {
    expect(await expanded({ body: { data: { results: [] }, usage } })).toEqual([
      ['result', JSON.stringify({ data: { results: [] }, usage })],
    ])
    await expect(expanded({ body: '<html>' })).rejects.toMatchObject({ message: expect.stringMatching(/not Wishwell/) })
  })

  it('gives up at an event that does not end', async () => {
    const body = `data: ${'x'.repeat(300_000)}`
    await expect(follow({ headers, body })).rejects.toMatchObject({ temporary: true, exitCode: exitCodes.unreachable })
  })

  it('ends with the reason of its signal, however often garbage was collected since it began', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage: () => void = runInNewContext('gc')
    const url = await startEndlessStream('data: 1\n\n')
    const interruption = new AbortController()
    const events = createApi(config(url)).followJob('5f0c1f9e-0000-4000-8000-000000000001', null, interruption.signal)
    expect((await events.next()).value).toMatchObject({ data: '1' })
    const next = events.next()
    for (let round = 0; round < 5; round++) {
      await setImmediate()
      collectGarbage()
    }
    interruption.abort(new Error('Ctrl-C'))
    await expect(next).rejects.toThrow('Ctrl-C')
  })

  it('ends with the reason of its signal, or why the service refuses', async () => {
    const reason = new Error('Ctrl-C')
    await expect(follow('never', AbortSignal.abort(reason))).rejects.toBe(reason)
    await expect(follow(failure(404, 'NOT_FOUND', 'No such job.'))).rejects.toMatchObject({ message: 'No such job.' })
    await expect(follow('hang up')).rejects.toMatchObject({ temporary: true, exitCode: exitCodes.unreachable })
  })
})
