import { describe, expect, it } from 'vitest'
import { prepareLiveService, refusing } from './testing.ts'

const live = prepareLiveService()

describe('a list with source=realtime', () => {
  it('collects a page of its topic from each platform, then answers with the list, for one credit', async () => {
    const { status, body, headers } = await live.realtime('dark mode', '&sortBy=votes&limit=3')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body.meta).toEqual({ newResultsFound: 4, scrapingTimeMs: expect.any(Number), errors: [] })
    expect([body.data.results.length, body.data.hasMore]).toEqual([3, true])
    expect(body.usage.credits.used).toBe(1)
    // The pages after it are read from the cache.
    const next = `/api/v1/requests?topic=dark%20mode&sortBy=votes&limit=3&cursor=${body.data.cursor}&platforms=github,hackernews`
    const second = await live.service.client.get(next)
    expect([second.body.data.results.length, second.body.meta]).toEqual([1, undefined])
    const list = await live.service.client.get('/api/v1/requests?topic=dark%20mode&source=cached')
    expect(list.body.data.results).toHaveLength(4)
    expect(await live.used()).toBe(1)
  })

  it('costs nothing when its topic is fresh, or no platform could be used', async () => {
    await live.realtime('dark mode')
    expect((await live.realtime('DARK mode')).body.meta).toMatchObject({ newResultsFound: 0, errors: [] })
    Object.assign(live.scripts, { github: refusing, hackernews: refusing })
    const { body } = await live.realtime('another topic')
    expect(body.meta.errors).toMatchObject([
      { platform: 'github', topic: 'another topic', code: 'blocked' },
      { platform: 'hackernews', topic: 'another topic', code: 'blocked' },
    ])
    expect(await live.used()).toBe(1)
  })

  it.each([
    ['no topic', '/api/v1/requests?source=realtime', 'topic'],
    ['a cursor', '/api/v1/requests?source=realtime&topic=dark%20mode&cursor=abc', 'cursor'],
    ['a topic without a word', '/api/v1/requests?source=realtime&topic=%21%3F', 'topic'],
  ])('is refused with %s', async (_what, path, field) => {
    const { status, body } = await live.service.client.get(path)
    expect([status, body.error.details[0].path]).toEqual([400, field])
  })
})
