import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import { fetchPage, fetchPageOrNull, platformError, sendJson } from '../testing.ts'
import { answering, comments, found, paths, refusal, setUp, thread } from './testing.ts'

describe('the search on YouTube', () => {
  it('caches the videos once, then queries the comments of each with a phrase', async () => {
    const { youtube, received } = await setUp(answering(['v1', 'v2'], () => comments([])))
    await fetchPage(youtube, 'dark -mode "x')
    expect(received.map(({ path, query }) => ({ path, query }))).toEqual([
      {
        path: '/youtube/v3/search',
        query: {
          part: 'snippet',
          type: 'video',
          q: 'dark mode x',
          order: 'relevance',
          maxResults: '50',
          key: 'secret-key',
        },
      },
      {
        path: '/youtube/v3/commentThreads',
        query: {
          part: 'snippet',
          videoId: 'v1',
          searchTerms: 'please add',
          order: 'relevance',
          textFormat: 'plainText',
          maxResults: '100',
          key: 'secret-key',
        },
      },
    ])
  })

  it.each([
    ['dark|light', 'dark light'],
    ['-dark', 'dark'],
    ['"dark" OR light', 'dark or light'],
    ['C++ c# node.js', 'C++ c# node.js'],
    ['a & b=c?key=x', 'a b=c?key=x'],
  ])('reads %s as words, never as an operator', async (topic, q) => {
    const { youtube, received } = await setUp(answering(['v1'], () => comments([])))
    await fetchPage(youtube, topic)
    expect(received[0]!.query).toMatchObject({ q, key: 'secret-key' })
  })

  it('queries every video for every phrase and follows the pages of each to the end', async () => {
    const long = 'p3'.repeat(400)
    const { youtube, received } = await setUp(
      answering(['v1', 'v2'], ({ videoId, searchTerms, pageToken }) => {
        const hasMore = videoId === 'v2' && searchTerms === 'please add' && pageToken !== long
        return comments([thread('c')], hasMore ? { nextPageToken: pageToken === undefined ? 'p2' : long } : {})
      }),
    )
    let cursor: Json = null
    let pages = 0
    do {
      const page = await fetchPageOrNull(youtube, { topic: 'tabs', cursor, pagesBefore: pages++ })
      cursor = page?.nextCursor ?? null
    } while (cursor !== null)
    const asked = received
      .slice(1)
      .map(({ query: { videoId, searchTerms, pageToken = '' } }) => `${videoId} ${searchTerms} ${pageToken}`.trim())
    expect(asked).toEqual([
      'v1 please add',
      'v2 please add',
      'v1 I wish',
      'v2 please add p2',
      'v1 would be nice',
      `v2 please add ${long}`,
      'v1 feature request',
      'v2 I wish',
      'v2 would be nice',
      'v2 feature request',
    ])
  })

  it('begins where earlier jobs stopped: with the next video, and with the next phrase after all videos', async () => {
    const { youtube, received } = await setUp(answering(['v1', 'v2', 'v3'], () => comments([])))
    for (const pagesBefore of [0, 2, 3, 13]) await fetchPageOrNull(youtube, { pagesBefore })
    expect(received.slice(1).map(({ query }) => `${query.videoId} ${query.searchTerms}`)).toEqual([
      'v1 please add',
      'v3 please add',
      'v1 I wish',
      'v2 please add',
    ])
  })

  it('ends a phrase at a page token that comes again, and at an empty page', async () => {
    for (const items of [[thread('c')], []]) {
      const { youtube, received } = await setUp(answering(['v1'], () => comments(items, { nextPageToken: 'same' })))
      let cursor: Json = null
      do cursor = (await fetchPage(youtube, 'tabs', cursor)).nextCursor
      while (cursor !== null)
      expect(received.length - 1).toBe(items.length === 0 ? 4 : 8)
    }
  })

  it('sends no request when the topic has no words, or no video is found', async () => {
    const { youtube, received } = await setUp(answering([], () => comments([])))
    expect(await fetchPageOrNull(youtube, { topic: '"|"' })).toBeNull()
    expect(received).toEqual([])
    for (let count = 0; count < 2; count++) expect(await fetchPageOrNull(youtube)).toBeNull()
    expect(paths(received)).toEqual(['search'])
  })

  it('needs a key, and names its variable', async () => {
    const { make, received } = await setUp(answering(['v1'], () => comments([])))
    expect((await platformError(fetchPage(make(null)), 'not_configured')).message).toContain('YOUTUBE_API_KEY')
    expect(received).toEqual([])
  })
})

describe('the result of a video search', () => {
  it('is cached for a day, for later pages, tasks and restarts', async () => {
    const { youtube, make, received, clock, cache } = await setUp(answering(['v1'], () => comments([])))
    await fetchPage(youtube, 'Dark  Mode')
    await fetchPage(youtube, 'dark mode')
    await fetchPage(make(), 'DARK MODE')
    expect(paths(received)).toEqual(['search', 'commentThreads', 'commentThreads', 'commentThreads'])
    expect([...cache.stored.keys()]).toEqual(['youtube dark mode'])
    clock.advance(24 * 60 * 60 * 1000)
    await fetchPage(youtube, 'dark mode')
    expect(paths(received).slice(4)).toEqual(['search', 'commentThreads'])
  })

  it('is fetched once for concurrent callers', async () => {
    const { youtube, received } = await setUp(answering(['v1'], () => comments([])))
    await Promise.all(Array.from({ length: 2 }, () => fetchPage(youtube, 'tabs')))
    expect(paths(received).filter((path) => path === 'search')).toHaveLength(1)
  })

  it('is fetched again when the first caller was cancelled', async () => {
    let isFirst = true
    const cancelled = new AbortController()
    const { youtube, received } = await setUp((response, { path }) => {
      if (path.endsWith('/search') && isFirst) {
        isFirst = false
        setImmediate(() => cancelled.abort())
        return
      }
      sendJson(response, path.endsWith('/search') ? found('v1') : comments([thread('c')]))
    })
    const first = fetchPageOrNull(youtube, { signal: cancelled.signal })
    const second = fetchPage(youtube)
    await platformError(first, 'cancelled')
    expect((await second).requests).toHaveLength(1)
    expect(paths(received)).toEqual(['search', 'search', 'commentThreads'])
  })

  it('leaves out what has no id, and reads titles that are escaped or missing', async () => {
    const { youtube, cache } = await setUp((response, { path }) =>
      sendJson(
        response,
        path.endsWith('/search')
          ? {
              items: [
                { id: { videoId: 'v1' }, snippet: { title: 'Tom &amp; Jo&#39;s &lt;b&gt; &quot;x&quot;' } },
                { id: { kind: 'youtube#channel', channelId: 'c' } },
                { id: 'v2' },
                null,
                { id: { videoId: 'v3' } },
              ],
            }
          : comments([]),
      ),
    )
    await fetchPage(youtube)
    expect([...cache.stored.values()].map(({ value }) => value)).toEqual([
      {
        videos: [
          { id: 'v1', title: 'Tom & Jo\'s <b> "x"' },
          { id: 'v3', title: '' },
        ],
        until: '2026-05-06T12:00:00.000Z',
      },
    ])
  })
})

describe('what is new on YouTube', () => {
  const newestSince = new Date('2026-05-01T00:00:00Z')
  const posted = (id: string, publishedAt: string) => {
    const { snippet } = thread(id)
    const { topLevelComment } = snippet
    const comment = { ...topLevelComment, snippet: { ...topLevelComment.snippet, publishedAt } }
    return { id, snippet: { ...snippet, topLevelComment: comment } }
  }

  it('ends a video at an older comment, not at one that is pinned before newer ones', async () => {
    const [pinned, newer, older] = ['2020-01-01', '2026-05-02', '2026-04-30'].map((day) => `${day}T00:00:00Z`)
    const { youtube, received } = await setUp(
      answering(['v1'], ({ pageToken }) =>
        pageToken === undefined
          ? comments([posted('a', pinned!), ...[1, 2, 3, 4].map((id) => posted(`b${id}`, newer!))], {
              nextPageToken: 'p2',
            })
          : comments([posted('c', newer!), posted('d', older!)], { nextPageToken: 'p3' }),
      ),
    )
    const first = await fetchPageOrNull(youtube, { newestSince })
    const second = await fetchPageOrNull(youtube, { newestSince, cursor: first!.nextCursor })
    expect(second!.requests.map(({ sourceId }) => sourceId)).toEqual(['c', 'd'])
    expect([first!.requests.length, second!.nextCursor]).toEqual([5, null])
    const reads = received.filter(({ path }) => path.endsWith('/commentThreads'))
    expect(reads.map(({ query }) => [query.order, query.searchTerms, query.pageToken])).toEqual([
      ['time', undefined, undefined],
      ['time', undefined, 'p2'],
    ])
  })

  it('is read on the videos that are known when the searches of the day are used up', async () => {
    const { status, ...body } = refusal(403, 'quotaExceeded', { domain: 'youtube.quota' })
    const { youtube, received } = await setUp((response, { path, query }) => {
      if (query.order === 'date') return sendJson(response, body, status)
      sendJson(response, path.endsWith('/search') ? found('v1') : comments([thread('c')]))
    })
    const page = await fetchPageOrNull(youtube, { newestSince })
    expect(page!.requests).toHaveLength(1)
    await fetchPageOrNull(youtube, { newestSince: new Date('2026-04-20T00:00:00Z') })
    expect(paths(received)).toEqual(['search', 'search', 'commentThreads', 'commentThreads'])
  })
})
