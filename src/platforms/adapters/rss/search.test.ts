import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SourceRefusedError } from '../../platform.ts'
import { failuresIn } from '../round-robin.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget,
  platformError,
  privateTargets,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createRss } from './search.ts'
import { rssSources } from './source.ts'

// Holds (Platforms): a forum named by an account is public and shares one set of limits across jobs

const { signal } = new AbortController()
const feedOf = (title: string) => ({
  version: 'https://jsonfeed.org/version/1.1',
  title: 'Larkspur',
  items: [{ id: title, url: 'https://larkspur.example/1', title }],
})
const feed: Handler = (response, { path }) => sendJson(response, feedOf(`Tabs ${path}`))
const send =
  (status: number, text: string, type = 'text/html', headers: object = {}): Handler =>
  (response) =>
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)

async function setUp(handler: Handler, paths = ['/feed.xml?key=s3cret'], isForeign = false) {
  const { baseUrl, received } = await startServer(handler)
  const clock = testClock()
  const urls = paths.map((path) => `${baseUrl}${path}`)
  const make = (options: object) =>
    createRss({
      client: testClient(clock, options),
      clock,
      openBudget: openTestBudget,
      urls: isForeign ? ['https://feeds.example/all.xml'] : urls,
    })
  return { rss: make(privateTargets), guarded: make({}), received, urls, source: urls[0]! }
}

describe('a page of feeds', () => {
  it('is one feed, at its own address, as readers of feeds ask for it', async () => {
    const { rss, received } = await setUp(feed)
    expect(await fetchPage(rss)).toMatchObject({ requests: [{ title: 'Tabs /feed.xml' }], nextCursor: null })
    expect(received).toMatchObject([{ path: '/feed.xml', query: { key: 's3cret' } }])
    expect(received[0]!.headers.accept).toMatch(
      /^application\/atom\+xml, application\/rss\+xml, application\/feed\+json/,
    )
  })

  it('comes from each feed in turn, and one that ended costs only itself', async () => {
    const { rss, received } = await setUp(
      (response, one, request) =>
        one.path === '/b' ? send(410, 'Gone')(response, one, request) : feed(response, one, request),
      ['/a', '/b', '/c'],
    )
    const first = await fetchPage(rss)
    const second = await fetchPage(rss, 'dark mode', first.nextCursor)
    expect([first, second].flatMap(({ requests }) => requests.map(({ title }) => title))).toEqual([
      'Tabs /a',
      'Tabs /c',
    ])
    expect(failuresIn(second.nextCursor)?.message).toMatch(/^rss \(.*\/b\) is here no more\./)
    expect(await fetchPageOrNull(rss, { cursor: second.nextCursor })).toBeNull()
    expect(received.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
  })

  it('has the newest items of a feed that is larger than is read, and counts the others', async () => {
    // Twelve hundred episodes with thirty members each, the oldest first.
    const item = (at: number) =>
      `<item><guid>${at}</guid><title>Dark ${at}</title><pubDate>${new Date(Date.UTC(2020, 0, 1 + at)).toUTCString()}</pubDate>${'<x a="1"/>'.repeat(13)}</item>`
    const large = `<rss><channel><title>Talks</title>${Array.from({ length: 1_200 }, (_, at) => item(at)).join('')}</channel></rss>`
    const { rss } = await setUp(send(200, large, 'application/rss+xml'))
    const { requests, discarded } = await fetchPage(rss)
    expect(requests.map(({ title }) => title)).toEqual(Array.from({ length: 1_000 }, (_, at) => `Dark ${200 + at}`))
    expect(requests.at(-1)).toMatchObject({ originalCreatedAt: new Date(Date.UTC(2020, 0, 1_200)) })
    expect(discarded).toEqual({ beyondLimit: 200 })
  })

  it('needs a topic with words', async () => {
    const { rss, received } = await setUp(feed)
    expect(await fetchPageOrNull(rss, { topic: '"" :' })).toBeNull()
    expect(received).toEqual([])
  })

  it('is read where it is compressed without saying so', async () => {
    const { rss } = await setUp((response) => response.end(gzipSync(JSON.stringify(feedOf('Tabs')))))
    expect((await fetchPage(rss)).requests).toMatchObject([{ title: 'Tabs' }])
  })

  it('has all items, also where only what is new is wanted: a feed has no order that it keeps to', async () => {
    const { rss } = await setUp(feed)
    expect((await fetchPageOrNull(rss, { newestSince: new Date('2026-05-01') }))!.requests).toHaveLength(1)
  })

  it('never follows what a feed calls its next page', async () => {
    const { rss, received } = await setUp((response) => sendJson(response, { ...feedOf('Tabs'), next_url: '/2' }))
    expect((await fetchPage(rss)).nextCursor).toBeNull()
    expect(received).toHaveLength(1)
  })
})

describe('an answer that is no feed', () => {
  it.each<[string, Handler, Parameters<typeof platformError>[1], RegExp]>([
    [
      'a web page',
      send(200, '<!DOCTYPE html><p>Sign in'),
      'bad_response',
      /is a web page, not a feed\. Find the address/,
    ],
    ['a text', send(200, 'ok', 'text/plain'), 'bad_response', /answered no feed that can be read\./],
    ['404', send(404, 'x'), 'bad_response', /is here no more\./],
    ['410', send(410, 'x'), 'bad_response', /is here no more\./],
    ['401', send(401, 'x'), 'unauthorized', /asks for a password\./],
    ['403', send(403, 'x'), 'blocked', /answered 403/],
    ['429', send(429, 'x', 'text/html', { 'retry-after': '30' }), 'rate_limited', /answered 429/],
    ['503', send(503, 'x'), 'unavailable', /answered 503/],
    [
      'another host',
      send(301, '', 'text/html', { location: 'https://other.example/f' }),
      'bad_response',
      /redirects to/,
    ],
    ['too large', send(200, ' '.repeat(5 * 1024 * 1024 + 1)), 'bad_response', /a body of more than 5242880 bytes/],
  ])('%s', async (_name, handler, code, message) => {
    const { rss } = await setUp(handler)
    const error = await platformError(fetchPage(rss), code)
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/^rss \(127\.0\.0\.1:\d+\/feed\.xml\)/)
    expect(error.message).not.toMatch(/s3cret|dark/)
  })
})

describe('a feed that an account names', () => {
  it.each([
    ['https://Example.com/feed.xml#top', 'https://example.com/feed.xml'],
    ['example.com/feed?tag=a', 'https://example.com/feed?tag=a'],
    ['feed:https://example.com./f', 'https://example.com/f'],
    ['feed://https://example.com/f', 'https://example.com/f'],
    ['http://example.com:8080', 'http://example.com:8080/'],
    ['https://user:pass@example.com/f', null],
    ['ftp://example.com/f', null],
    ['file:///etc/passwd', null],
    ['javascript:alert(1)', null],
    ['example', null],
    ['', null],
    [`https://example.com/${'a'.repeat(300)}`, null],
    [`https://example.com/${'ö'.repeat(100)}`, null],
  ])('%j is %j', (text, normal) => {
    expect(rssSources.normalise(text)).toBe(normal)
    if (normal !== null) expect(rssSources.normalise(normal)).toBe(normal)
  })

  it('is read instead of those of the operator, and each request says so', async () => {
    const { rss, source } = await setUp(feed, ['/f'], true)
    expect(await fetchPageOrNull(rss, { sources: [source] })).toMatchObject({ requests: [{ ownSource: source }] })
  })

  it('is not reached at a private address', async () => {
    const { guarded, source, received } = await setUp(feed, ['/f'], true)
    await expect(guarded.verifySource!(source, signal)).rejects.toBeInstanceOf(SourceRefusedError)
    await platformError(fetchPageOrNull(guarded, { sources: [source] }), 'bad_response')
    expect(received).toEqual([])
  })

  it('is verified by reading it, up to 2 MB', async () => {
    const { rss, source, received } = await setUp(feed, ['/f'], true)
    await rss.verifySource!(source, signal)
    expect(received).toHaveLength(1)
    const large = await setUp((response) => sendJson(response, feedOf('x'.repeat(2 * 1024 * 1024))), ['/f'], true)
    await expect(large.rss.verifySource!(large.source, signal)).rejects.toThrow('a body of more than 2097152 bytes')
  })

  it.each<[string, Handler]>([
    ['a web page', send(200, '<html>')],
    ['absent', send(404, 'x')],
    ['behind a password', send(401, 'x')],
  ])('is refused when it is %s, with what the caller can do', async (_name, handler) => {
    const { rss, source } = await setUp(handler, ['/f'], true)
    const error = await rss.verifySource!(source, signal).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SourceRefusedError)
    expect((error as Error).message).toMatch(/Name another source\.$/)
  })

  it.each([429, 503])('that answers %i cannot be verified now', async (status) => {
    const { rss, source } = await setUp(send(status, 'x'), ['/f'], true)
    const error = await rss.verifySource!(source, signal).catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(SourceRefusedError)
    expect(error).toMatchObject({ retryAt: expect.any(Date) })
  })
})
