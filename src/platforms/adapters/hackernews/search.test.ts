import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createHackernews } from './search.ts'

async function setUp(handler: Handler) {
  const server = await startServer(handler)
  return {
    ...server,
    hackernews: createHackernews({ client: testClient(testClock()), openBudget, baseUrl: `${server.baseUrl}/api/v1` }),
  }
}
const page = (hits: unknown[], nbPages = 1, more: object = {}) => ({ hits, nbPages, hitsPerPage: 100, ...more })

describe('the search on Hacker News', () => {
  it('queries stories and comments with the words and a phrase, never by points', async () => {
    const { hackernews, received } = await setUp((response) => sendJson(response, page([])))
    await fetchPage(hackernews, 'dark -mode "x')
    expect(received).toMatchObject([{ path: '/api/v1/search' }])
    expect(received[0]!.query).toEqual({
      query: 'dark mode x "feature request"',
      tags: '(story,comment)',
      hitsPerPage: '100',
      page: '0',
    })
  })

  it('queries the phrases round-robin, each up to its last page', async () => {
    const pagesOf: Record<string, number> = {
      'feature request': 2,
      'I wish': 1,
      'would be nice if': 0,
      'please add': 3,
    }
    const { hackernews, received } = await setUp((response, { query }) => {
      const nbPages = pagesOf[/"(.*)"$/.exec(query.query!)![1]!]!
      sendJson(response, page(nbPages > 0 ? [{ objectID: '1' }] : [], nbPages))
    })
    let cursor: Json = null
    do cursor = (await fetchPage(hackernews, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received.map(({ query }) => `${query.query} ${query.page}`)).toEqual([
      'tabs "feature request" 0',
      'tabs "I wish" 0',
      'tabs "would be nice if" 0',
      'tabs "please add" 0',
      'tabs "feature request" 1',
      'tabs "please add" 1',
      'tabs "please add" 2',
    ])
  })

  it('goes on without a page count only while pages are full', async () => {
    const hits = (count: number) => Array.from({ length: count }, (_, index) => ({ objectID: String(index) }))
    for (const [count, expected] of [
      [100, { next: { 'feature request': { page: 1 } }, ended: [] }],
      [99, { next: {}, ended: ['feature request'] }],
    ] as const) {
      const { hackernews } = await setUp((response) => sendJson(response, { hits: hits(count) }))
      expect((await fetchPage(hackernews)).nextCursor).toMatchObject(expected)
    }
  })

  it('sends no request when the topic has no words', async () => {
    const { hackernews, received } = await setUp((response) => sendJson(response, page([])))
    expect(await fetchPageOrNull(hackernews, { topic: '""' })).toBeNull()
    expect(received).toEqual([])
  })
})

describe('a hit of Hacker News', () => {
  const read = async (...hits: unknown[]) => {
    const { hackernews } = await setUp((response) => sendJson(response, page(hits)))
    return (await fetchPage(hackernews)).requests
  }
  const story = {
    objectID: '101',
    title: "Ask HN: Why isn't there Array<bool> & co?",
    story_text: 'I&#x27;d <i>like</i> it.<p>Really.',
    author: 'bob_b',
    points: 12,
    num_comments: 4,
    created_at: '2024-01-02T03:04:05Z',
    created_at_i: 1,
    _tags: ['story', 'author_bob_b', 'story_101', 'ask_hn'],
  }

  it('that is a story is read field by field', async () => {
    expect(await read(story)).toEqual([
      {
        sourceId: '101',
        title: "Ask HN: Why isn't there Array<bool> & co?",
        description: "I'd like it.\n\nReally.",
        votes: 12,
        tags: ['story', 'ask_hn'],
        commentCount: 4,
        sourceUrl: 'https://news.ycombinator.com/item?id=101',
        authorName: null,
        authorHandle: 'bob_b',
        authorProfileUrl: 'https://news.ycombinator.com/user?id=bob_b',
        license: null,
        originalCreatedAt: new Date('2024-01-02T03:04:05Z'),
      },
    ])
  })

  it('that is a comment has the title of its story, whether its own is null or missing', async () => {
    const comment = { objectID: '102', story_title: 'Editors', comment_text: 'I wish it had tabs.', author: 'c' }
    const nulls = {
      ...comment,
      title: null,
      url: null,
      points: null,
      story_text: null,
      num_comments: null,
      _tags: null,
    }
    const expected = { title: 'Editors', description: 'I wish it had tabs.', votes: 0, tags: [], commentCount: null }
    expect(await read(comment, nulls)).toMatchObject([expected, expected])
  })

  it('links to the discussion, not to what the discussion is about', async () => {
    const [request] = await read({ objectID: '103', title: 'Show HN: X', url: 'https://x.example', story_text: '' })
    expect(request).toMatchObject({ sourceUrl: 'https://news.ycombinator.com/item?id=103', description: '' })
  })

  it('may lack everything but its id and title', async () => {
    expect(
      await read(
        { objectID: '1', title: 'Tabs' },
        { objectID: '3' },
        { objectID: '2', comment_text: 'Add tabs. Now.', created_at_i: 86_400 },
      ),
    ).toMatchObject([
      { title: 'Tabs', authorHandle: null, authorProfileUrl: null, originalCreatedAt: null },
      { title: 'Add tabs.', originalCreatedAt: new Date(86_400_000) },
    ])
  })

  it('keeps what can be read of it beside tags that are none', async () => {
    const { hackernews } = await setUp((response) =>
      sendJson(
        response,
        page([{ objectID: '1', title: 'Tabs', _tags: ['story', { toString: 1, valueOf: 1 }, [null], 'author_x'] }]),
      ),
    )
    expect((await fetchPage(hackernews)).requests).toMatchObject([{ sourceId: '1', tags: ['story'] }])
  })

  it('without an id is left out', async () => {
    expect(await read({}, null, 'x', { ...story, objectID: null }, story)).toHaveLength(1)
  })
})

describe('an error of Hacker News', () => {
  it.each([
    [400, { code: 400, message: 'invalid numeric attribute(points)' }, 'bad_response'],
    [429, { message: 'Too many requests' }, 'rate_limited'],
    [403, { message: 'Forbidden' }, 'blocked'],
    [500, { message: 'x' }, 'unavailable'],
    [200, { message: 'x' }, 'bad_response'],
    [200, [], 'bad_response'],
  ] as const)('%i %j is %s', async (status, body, code) => {
    const { hackernews } = await setUp((response) => sendJson(response, body, status))
    await platformError(fetchPage(hackernews), code)
  })
})
