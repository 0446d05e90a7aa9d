import { describe, expect, it } from 'vitest'
import { readEvents } from '../../cli/api.ts'
import { createGate, pageOf, prepareLiveService, refusing } from './testing.ts'

// Takes seconds: a service stops and starts again, with its database.

const live = prepareLiveService()

interface StreamedEvent {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: tests read any answer of the service, to check it.
  data: any
}

function open(body: object, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${live.service.url}/api/v1/requests/search`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${live.service.apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ expand: true, platforms: ['github', 'hackernews'], ...body }),
    ...(signal ? { signal } : {}),
  })
}
async function read(response: Response): Promise<StreamedEvent[]> {
  const events: StreamedEvent[] = []
  if (response.body === null) return events
  for await (const { event = 'message', data } of readEvents(response.body))
    events.push({ event, data: JSON.parse(data) })
  return events
}
const openCalls = () => live.service.database.selectFrom('live_calls').selectAll().execute()

describe('the events of an expanded search', () => {
  it('are the topics, each collection when it waits and when it has ended, and then the answer', async () => {
    live.related = ['night light']
    live.scripts.hackernews = refusing
    await live.expand('night light', { platforms: ['github'] })
    live.related = ['night light']
    const response = await open({ query: 'dark mode' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = await read(response)
    expect(events[0]).toEqual({ event: 'topics', data: { topics: ['dark mode', 'night light'] } })
    const collections = events.filter(({ event }) => event === 'collection').map(({ data }) => data)
    const statesOf = (topic: string, platform: string) =>
      collections.filter((it) => it.topic === topic && it.platform === platform).map(({ state }) => state)
    expect(statesOf('dark mode', 'github')).toEqual(['waiting', 'done'])
    expect(statesOf('dark mode', 'hackernews')).toEqual(['waiting', 'error'])
    expect(statesOf('night light', 'github')).toEqual(['fresh'])
    expect(collections).toContainEqual({ topic: 'dark mode', platform: 'github', state: 'done', newRequests: 2 })
    const last = events.at(-1)
    expect(last?.event).toBe('result')
    expect(last?.data.meta).toMatchObject({ topicsScraped: 1, newResultsFound: 2, expanded: true })
    expect(last?.data.data.results).toHaveLength(4)
    expect(events.filter(({ event }) => event === 'result')).toHaveLength(1)
  })

  it('do not begin when the call is refused, which has its own status', async () => {
    const refused = await open({ query: '' })
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8'])
    await refused.text()
  })

  it('are for the first call with a key; a repeated call gets the answer alone', async () => {
    const first = (await read(await open({ query: 'dark mode' }, { 'idempotency-key': 'k' }))).at(-1)
    const again = await open({ query: 'dark mode' }, { 'idempotency-key': 'k' })
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(await read(again)).toEqual([first])
    expect(await live.used()).toBe(1)
  })
})

describe('a caller that hangs up', () => {
  it('pays for the collections that were begun when they deliver', async () => {
    const gate = createGate()
    for (const name of ['github', 'hackernews'] as const) {
      live.scripts[name] = async (_call, request) => {
        await gate.passed
        return pageOf(name)(request)
      }
    }
    const caller = new AbortController()
    const response = await open({ query: 'dark mode' }, {}, caller.signal)
    expect(response.status).toBe(200)
    await expect.poll(() => live.github.calls.length, { timeout: 30_000 }).toBe(1)
    caller.abort()
    await response.text().catch(() => {})
    gate.open()
    await live.settle()
    await expect.poll(openCalls, { timeout: 30_000 }).toEqual([])
    expect(await live.used()).toBe(1)
    expect((await live.expand('dark mode')).body.meta).toMatchObject({ topicsSkipped: 1, cachedResults: 4 })
  })

  it('during the expansion begins no collection and pays nothing', async () => {
    const isExpanding = createGate()
    live.beforeExpansion = (signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        isExpanding.open()
      })
    const caller = new AbortController()
    const response = open({ query: 'dark mode' }, {}, caller.signal)
    await isExpanding.passed
    expect(await openCalls()).toHaveLength(1)
    caller.abort()
    await expect(response).rejects.toThrow()
    await expect.poll(openCalls, { timeout: 30_000 }).toEqual([])
    expect([live.github.calls, await live.used()]).toEqual([[], 0])
  })

  it('has its call closed and its key freed before the service stops', async () => {
    const isExpanding = createGate()
    const { url } = live.service
    const isStopping = async () => (await fetch(`${url}/readyz`).catch(() => null))?.status !== 200
    let hasEnded = false
    live.beforeExpansion = async (signal) => {
      isExpanding.open()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      // The stop has begun, and waits for this call.
      await expect.poll(isStopping).toBe(true)
      hasEnded = true
    }
    const caller = new AbortController()
    const response = open({ query: 'dark mode' }, { 'idempotency-key': 'k' }, caller.signal)
    await isExpanding.passed
    caller.abort()
    await expect(response).rejects.toThrow()
    await live.service.restart()
    expect([hasEnded, await openCalls(), await live.used()]).toEqual([true, [], 0])
    // No answer without topics was stored: the key is free, and the next call with it collects.
    live.beforeExpansion = async () => {}
    const events = await read(await open({ query: 'dark mode' }, { 'idempotency-key': 'k' }))
    expect(events.at(-1)).toMatchObject({ event: 'result', data: { meta: { topicsScraped: 1, newResultsFound: 4 } } })
  })

  it('gets the answer when it repeats its Idempotency-Key, and pays once', async () => {
    const gate = createGate()
    live.scripts.github = async (_call, request) => {
      await gate.passed
      return pageOf('github')(request)
    }
    const caller = new AbortController()
    const response = await open({ query: 'dark mode' }, { 'idempotency-key': 'k' }, caller.signal)
    expect(response.status).toBe(200)
    await expect.poll(() => live.github.calls.length, { timeout: 30_000 }).toBe(1)
    caller.abort()
    const again = open({ query: 'dark mode' }, { 'idempotency-key': 'k' })
    gate.open()
    const events = await read(await again)
    expect(events).toMatchObject([{ event: 'result', data: { meta: { topicsScraped: 1, newResultsFound: 4 } } }])
    expect([live.github.calls.length, await live.used()]).toEqual([1, 1])
  })
})
