import { describe, expect, it } from 'vitest'
import { readConfig } from '../../../app/config.ts'
import { SourceRefusedError, SourceUnavailableError } from '../../platform.ts'
import { fetchPage, fetchPageOrNull, platformError, unsaidFields } from '../testing.ts'
import { feed, label, nextPage, paths, review, setUp } from './appstore-testing.ts'
import { appstoreSources } from './source.ts'

// Holds (Platforms): an app's reviews are read to the feed's end with every field, also when an account names it

const { signal } = new AbortController()

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
        stars: 4,
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
