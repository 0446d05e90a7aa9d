import { describe, expect, it } from 'vitest'
import { newestFirst } from '../../../../simulator/newest-first-testing.ts'
import { readConfig } from '../../../app/config.ts'
import { SourceRefusedError, SourceUnavailableError } from '../../platform.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget,
  platformError,
  type Received,
  sendJson,
  startServer,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { createAppstore } from './search.ts'
import { appstoreSources } from './source.ts'

// Holds (Platforms): the reviews of an app are read to the end of its feed, and an empty feed of an app that people rated is an outage, never "no reviews"

const { signal } = new AbortController()
const label = (text: string) => ({ label: text })
const review = (id: number, more: object = {}) => ({
  id: label(String(id)),
  title: label('Dark &amp; mode'),
  content: { label: 'Please <b>add</b> it.\n\nAt night', attributes: { type: 'text' } },
  author: { name: label('Ada'), uri: label('https://itunes.apple.com/us/reviews/id5') },
  updated: label('2026-03-01T20:00:00-07:00'),
  'im:rating': label('4'),
  'im:version': label('2.1'),
  'im:voteSum': label('7'),
  'im:voteCount': label('9'),
  link: { attributes: { rel: 'related', href: 'https://itunes.apple.com/us/review?id=7&type=Purple%20Software' } },
  ...more,
})
const nextPage = (href: string) => [{ attributes: { rel: 'next', href } }]
const feed = (entry?: unknown, link?: unknown) => ({ feed: { entry, link } })
const app = (more: object = {}) => ({
  results: [{ wrapperType: 'software', trackId: 7, trackName: 'Larkspur', userRatingCount: 12, ...more }],
})

/** The pages of reviews by their paths; whatever else is asked for is the app. */
async function setUp(pages: (received: Received) => unknown, apps = ['us/7'], found: unknown = app()) {
  const handler: Handler = (response, received) => {
    const body = received.path.includes('/customerreviews/') ? pages(received) : found
    if (typeof body === 'number') response.writeHead(body, { 'content-type': 'text/html' }).end('no')
    else if (typeof body === 'string') response.writeHead(200, { 'content-type': 'text/xml' }).end(body)
    else sendJson(response, body, 200, { 'content-type': 'text/javascript; charset=utf-8' })
  }
  const { baseUrl, received } = await startServer(handler)
  const clock = testClock()
  const platform = createAppstore({ client: testClient(clock), clock, openBudget: openTestBudget, baseUrl, apps })
  const asked = () => received.filter(({ path }) => path.includes('/customerreviews/')).map(({ path }) => path)
  return { platform, clock, received, asked, baseUrl }
}

const paths = {
  usual: '/us/rss/customerreviews/page=1/id=7/sortby=mostrecent/json',
  other: '/us/rss/customerreviews/id=7/sortBy=mostRecent/page=1/json',
  xml: '/us/rss/customerreviews/page=1/id=7/sortby=mostrecent/xml',
}

describe('a page of reviews', () => {
  it('gives each field', async () => {
    const { platform, received } = await setUp(() => feed([review(11)]))
    const { requests, nextCursor } = await fetchPage(platform)
    expect(received.map(({ path, query }) => [path, query])).toEqual([
      [paths.usual, {}],
      ['/lookup', { id: '7', country: 'us' }],
    ])
    expect(nextCursor).toBeNull()
    expect(requests).toEqual([
      {
        ...unsaidFields,
        sourceId: '7:11',
        sourceUrl: 'https://itunes.apple.com/us/review?id=7&type=Purple%20Software',
        title: 'Dark &amp; mode',
        description: 'Please <b>add</b> it.\n\nAt night',
        votes: 0,
        tags: ['v2.1'],
        commentCount: null,
        authorName: 'Ada',
        authorHandle: null,
        authorProfileUrl: 'https://itunes.apple.com/us/reviews/id5',
        license: null,
        originalCreatedAt: new Date('2026-03-02T03:00:00Z'),
        sourceName: 'Larkspur (App Store us)',
      },
    ])
  })

  it('gives what is there of a review that has little else', async () => {
    const { platform } = await setUp(
      () => feed({ id: label('11'), 'im:rating': label('1'), title: label('Tabs'), link: [{ attributes: {} }] }),
      ['us/7'],
      500,
    )
    expect((await fetchPage(platform)).requests).toMatchObject([
      {
        ...{ sourceId: '7:11', title: 'Tabs', description: '', tags: [], authorName: null, originalCreatedAt: null },
        ...{ sourceUrl: 'https://apps.apple.com/us/app/id7', sourceName: 'App Store us/7' },
      },
    ])
  })

  const itself = { id: label('https://apps.apple.com/us/app/id7'), title: label('Larkspur'), 'im:name': label('L') }
  it.each<[string, unknown, string[]]>([
    ['a list', [review(1), review(2)], ['7:1', '7:2']],
    ['one object', review(1), ['7:1']],
    ['the app before its reviews', [itself, review(1)], ['7:1']],
    ['what is no entry', [null, 'x', 5, review(1), { 'im:rating': label('5') }], ['7:1']],
  ])('has as entries %s', async (_name, entry, ids) => {
    const { platform } = await setUp(() => feed(entry))
    expect((await fetchPage(platform)).requests.map(({ sourceId }) => sourceId)).toEqual(ids)
  })

  it('has text in HTML, or twice', async () => {
    const html = { label: '<p>Please &amp; thanks</p>', attributes: { type: 'html' } }
    const { platform } = await setUp(() =>
      feed([review(1, { content: html }), review(2, { content: [html, label('As it is')] })]),
    )
    const { requests } = await fetchPage(platform)
    expect(requests.map(({ description }) => description)).toEqual(['Please & thanks', 'As it is'])
  })

  it('needs a topic with words', async () => {
    const { platform, received } = await setUp(() => feed([review(1)]))
    expect(await fetchPageOrNull(platform, { topic: '"" :' })).toBeNull()
    expect(received).toEqual([])
  })
})

describe('the pages of an app', () => {
  const full = Array.from({ length: 50 }, (_, index) => review(index + 1))
  it.each<[string, unknown[], unknown, boolean]>([
    ['a link to the next one', [review(1)], nextPage('https://itunes.apple.com/us/rss/x/page=2/id=7/json'), true],
    ['a link to itself', full, nextPage('https://itunes.apple.com/us/rss/x/page=1/id=7/json?a=/page=9'), false],
    ['fifty and no link', full, undefined, true],
    ['fifty and an empty link', full, nextPage(''), true],
    ['fewer and no link', [review(1)], undefined, false],
  ])('with %s', async (_name, entries, link, hasNext) => {
    const { platform } = await setUp(() => feed(entries, link))
    expect((await fetchPage(platform)).nextCursor).toEqual(
      hasNext ? { turn: 0, next: { 'us/7': { page: 2 } }, ended: [] } : null,
    )
  })

  it('are ten at most, in turn with those of other apps', async () => {
    const { platform, asked, clock } = await setUp(() => feed(full), ['us/7', 'de/8'])
    let cursor = (await fetchPage(platform)).nextCursor
    while (cursor !== null) {
      clock.advance(6_000)
      cursor = (await fetchPage(platform, 'dark mode', cursor)).nextCursor
    }
    expect(asked()).toHaveLength(20)
    expect(asked().slice(0, 3)).toEqual([
      paths.usual,
      '/de/rss/customerreviews/page=1/id=8/sortby=mostrecent/json',
      paths.usual.replace('page=1', 'page=2'),
    ])
  })

  it('end where a further page is empty in every form', async () => {
    const { platform, asked } = await setUp(({ path }) => (path.includes('page=1') ? feed(full) : feed()))
    const { nextCursor } = await fetchPage(platform)
    expect(await fetchPage(platform, 'dark mode', nextCursor)).toMatchObject({ requests: [], nextCursor: null })
    expect(asked()).toEqual([paths.usual, ...Object.values(paths).map((path) => path.replace('page=1', 'page=2'))])
  })

  it('end with what is older than the instant', async () => {
    const { platform } = await setUp(() => feed(full))
    const page = await fetchPageOrNull(platform, { newestSince: new Date('2026-04-01') })
    expect(page).toMatchObject({ nextCursor: null, requests: { length: 50 } })
    expect((await fetchPageOrNull(platform, { newestSince: new Date('2026-02-01') }))!.nextCursor).not.toBeNull()
  })
})

describe('an empty first page', () => {
  const xml = `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns:im="http://itunes.apple.com/rss" xmlns="http://www.w3.org/2005/Atom"><id>x</id><title>Customer Reviews</title>
<link rel="next" href="https://itunes.apple.com/us/rss/customerreviews/page=2/id=7/xml"/>
<entry><id>https://apps.apple.com/us/app/id7</id><title>Larkspur</title><im:name>L</im:name></entry>
<entry><updated>2026-03-01T20:00:00-07:00</updated><id>11</id><title>Dark &amp; mode</title>
<content type="html">&lt;table&gt;&lt;b&gt;Larkspur&lt;/b&gt;</content><content type="text">Please &lt;b&gt;add&lt;/b&gt; it</content>
<im:rating>4</im:rating><im:version>2.1</im:version><im:voteSum>0</im:voteSum>
<author><name>Ada</name><uri>https://itunes.apple.com/us/reviews/id5</uri></author>
<link rel="related" href="https://itunes.apple.com/us/review?id=7&amp;type=Purple%20Software"/></entry></feed>`

  it.each<[string, unknown]>([
    ['without entries', feed()],
    ['with the app alone', feed({ id: label('x'), title: label('Larkspur') })],
    ['that is not there', 404],
    ['that is refused', 400],
  ])('%s is asked for at its other address', async (_name, empty) => {
    const { platform, asked } = await setUp(({ path }) => (path === paths.other ? feed([review(1)]) : empty))
    expect((await fetchPage(platform)).requests).toHaveLength(1)
    expect(asked()).toEqual([paths.usual, paths.other])
  })

  it('is read in XML, with the same fields', async () => {
    const inJson = await fetchPage((await setUp(() => feed([review(11)]))).platform)
    const { platform, asked } = await setUp(({ path }) => (path === paths.xml ? xml : feed()))
    const { requests, nextCursor } = await fetchPage(platform)
    const texts = { title: 'Dark & mode', description: 'Please <b>add</b> it' }
    expect(requests).toEqual([{ ...inJson.requests[0], ...texts }])
    expect(nextCursor).toMatchObject({ next: { 'us/7': { page: 2 } } })
    expect(asked()).toEqual(Object.values(paths))
  })

  it.each<[string, (path: string) => unknown]>([
    ['empty in every form', (path) => (path === paths.xml ? xml.replace(/<entry>[\s\S]*<\/entry>/, '') : feed())],
    ['refused in the others', (path) => (path === paths.usual ? feed() : 403)],
    ['a web page in the others', (path) => (path === paths.usual ? feed() : '<!doctype html><p>Hello')],
  ])('of an app that people rated is an outage: %s', async (_name, pages) => {
    const { platform, clock, asked } = await setUp(({ path }) => pages(path))
    const error = await platformError(fetchPage(platform), 'unavailable')
    expect(error).toBeInstanceOf(SourceUnavailableError)
    expect(error.message).toMatch(/^appstore \(us\/7\) has no reviews now, although people rated the app\. Try again/)
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 60_000))
    expect(asked()).toEqual(Object.values(paths))
  })

  it('costs no further request before it may have changed', async () => {
    const { platform, clock, asked } = await setUp(({ path }) => (path === paths.xml ? 'none' : feed()))
    await platformError(fetchPage(platform), 'unavailable')
    await platformError(fetchPage(platform), 'unavailable')
    expect(asked()).toEqual([...Object.values(paths), paths.xml])
    clock.advance(60_001)
    await platformError(fetchPage(platform), 'unavailable')
    expect(asked()).toHaveLength(7)
  })

  it('stops no other app', async () => {
    const { platform, clock } = await setUp(
      ({ path }) => (path.includes('id=8') ? feed([review(1)]) : feed()),
      ['us/7', 'us/8'],
    )
    const first = await fetchPage(platform)
    expect(first.requests).toMatchObject([{ sourceId: '8:1' }])
    await platformError(fetchPage(platform, 'dark mode', first.nextCursor), 'unavailable')
    clock.advance(60_001)
    await platformError(fetchPage(platform, 'dark mode', first.nextCursor), 'unavailable')
  })

  it.each([{ userRatingCount: 0 }, { userRatingCount: undefined }])(
    'of an app that nobody rated is true',
    async (more) => {
      const { platform, asked } = await setUp(() => feed(), ['us/7'], app(more))
      expect(await fetchPage(platform)).toEqual({ requests: [], discarded: {}, nextCursor: null })
      expect(asked()).toEqual([paths.usual])
    },
  )

  it.each<[string, unknown]>([
    ['no app', { resultCount: 0, results: [] }],
    ['a song', { results: [{ wrapperType: 'track', kind: 'song', trackId: 7 }] }],
    ['no country', 400],
  ])('of %s says so', async (_name, found) => {
    const { platform } = await setUp(() => feed(), ['us/7'], found)
    const error = await platformError(fetchPage(platform), 'bad_response')
    expect(error).toBeInstanceOf(SourceRefusedError)
    expect(error.message).toBe('appstore has no app 7 in the country us. Check APPSTORE_APPS.')
  })

  it.each(['usual', 'json'] as const)('costs no review in the simulated store: %s', async (empty) => {
    const whole = await newestFirst('appstore', { size: 60 })
    const { walk } = await newestFirst('appstore', { size: 60, behaviours: { appstore: { empty } } })
    const all = (await whole.walk(null)).found
    const found = (await walk(null)).found
    expect(found.length).toBeGreaterThan(100)
    const parts = (requests: typeof all) =>
      requests.map(({ sourceId, originalCreatedAt, tags }) => ({ sourceId, originalCreatedAt, tags }))
    expect(parts(found)).toEqual(parts(all))
  })
})

describe('an answer that is no page of reviews', () => {
  it.each<[string, unknown, Parameters<typeof platformError>[1]]>([
    ['a text', 'ok', 'bad_response'],
    ['without a feed', {}, 'bad_response'],
    ['with a text for its entries', feed('x'), 'bad_response'],
    ['a list', [], 'bad_response'],
    ['403', 403, 'blocked'],
    ['429', 429, 'rate_limited'],
    ['502', 502, 'unavailable'],
  ])('%s', async (_name, body, code) => {
    const { platform } = await setUp(() => body)
    const error = await platformError(fetchPage(platform), code)
    expect(error).not.toBeInstanceOf(SourceUnavailableError)
    expect(error.message).toMatch(/^appstore \(us\/7\) answered/)
  })
})

describe('an app that somebody names', () => {
  it.each([
    ['us/839285684', 'us/839285684'],
    [' US/id839285684 ', 'us/839285684'],
    ['https://apps.apple.com/us/app/name/id839285684', 'us/839285684'],
    ['https://apps.apple.com/de/app/id839285684?mt=8&l=en#reviews', 'de/839285684'],
    ['apps.apple.com/jp/app/%E3%83%A1%E3%83%A2/id839285684/', 'jp/839285684'],
    ['https://itunes.apple.com/GB/app/name/id839285684', 'gb/839285684'],
    ['https://apps.apple.com/app/name/id839285684', null],
    ['https://apps.apple.com/us/developer/name/id839285684', null],
    ['https://apps.example/us/app/name/id839285684', null],
    ['https://apps.apple.com.example/us/app/id1', null],
    ['839285684', null],
    ['usa/839285684', null],
    ['us/0', null],
    ['us/12a', null],
    ['us/1/2', null],
    ['../1', null],
    ['', null],
    [`us/${'9'.repeat(400)}`, null],
  ])('%j is %j', (text, normal) => {
    expect(appstoreSources.normalise(text)).toBe(normal)
    if (normal !== null) expect(appstoreSources.normalise(normal)).toBe(normal)
  })

  it('is refused at the start where it is none', () => {
    const config = (APPSTORE_APPS: string) => readConfig({ PLATFORMS: 'appstore', APPSTORE_APPS })
    expect(config('us/1, https://apps.apple.com/de/app/id2').platforms.enabled).toEqual(['appstore'])
    for (const apps of ['us/1,839285684', ',']) expect(() => config(apps)).toThrow(/^APPSTORE_APPS: /)
  })

  it('is read instead of those of the operator, and each request says so', async () => {
    const { platform, asked } = await setUp(() => feed([review(1)]), ['us/8'])
    const page = await fetchPageOrNull(platform, { sources: ['us/7', 'us/8'] })
    expect(page).toMatchObject({ requests: [{ ownSource: 'us/7' }] })
    expect(asked()).toEqual([paths.usual])
    const own = await fetchPageOrNull(platform, { sources: ['us/8'] })
    expect(own).toMatchObject({ requests: [{ ownSource: null }] })
  })

  it('is looked up before a job reads it', async () => {
    const { platform, received } = await setUp(() => feed())
    await platform.verifySource!('us/7', signal)
    expect(received.map(({ path }) => path)).toEqual(['/lookup'])
    const absent = await setUp(() => feed(), [], { results: [] })
    const error = await absent.platform.verifySource!('us/7', signal).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SourceRefusedError)
    expect((error as Error).message).toMatch(/Name another source\.$/)
  })

  it.each([403, 429, 503])('cannot be verified while the App Store answers %i', async (status) => {
    const { platform } = await setUp(() => feed(), [], status)
    const error = await platform.verifySource!('us/7', signal).catch((reason: unknown) => reason)
    expect(error).not.toBeInstanceOf(SourceRefusedError)
  })
})
