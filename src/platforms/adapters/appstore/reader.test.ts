import { describe, expect, it } from 'vitest'
import { newestFirst } from '../../../../simulator/newest-first-testing.ts'
import { SourceRefusedError, SourceUnavailableError } from '../../platform.ts'
import { fetchPage, platformError } from '../testing.ts'
import { app, feed, label, paths, review, setUp } from './appstore-testing.ts'

// Holds (Platforms): an empty review feed of a rated app is an outage of that app alone

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
