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
  unsaidFields,
} from '../testing.ts'
import { createHackernews } from './search.ts'

// Holds (Platforms): Hacker News is searched for exact words, whether it obeys, ignores or refuses the parameters

async function setUp(handler: Handler) {
  const server = await startServer(handler)
  return {
    ...server,
    hackernews: createHackernews({
      client: testClient(testClock()),
      openBudget,
      baseUrl: `${server.baseUrl}/api/v1`,
      webUrl: 'https://news.ycombinator.com',
    }),
  }
}
const exactness = {
  typoTolerance: 'false',
  queryType: 'prefixNone',
  restrictSearchableAttributes: 'title,story_text,comment_text',
  advancedSyntax: 'true',
}
const page = (hits: unknown[], nbPages = 1, more: object = {}) => ({ hits, nbPages, hitsPerPage: 100, ...more })

describe('the search on Hacker News', () => {
  it('queries stories and comments with the words and a phrase, never by points', async () => {
    const { hackernews, received } = await setUp((response) => sendJson(response, page([])))
    await fetchPage(hackernews, 'dark -mode "x')
    expect(received).toMatchObject([{ path: '/api/v1/search' }])
    expect(received[0]!.query).toEqual({
      query: '"dark" "mode" "x" "feature request"',
      tags: '(story,comment)',
      hitsPerPage: '100',
      page: '0',
      ...exactness,
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
      const nbPages = pagesOf[/"([^"]*)"$/.exec(query.query!)![1]!]!
      sendJson(response, page(nbPages > 0 ? [{ objectID: '1' }] : [], nbPages))
    })
    let cursor: Json = null
    do cursor = (await fetchPage(hackernews, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received.map(({ query }) => `${query.query} ${query.page}`)).toEqual([
      '"tabs" "feature request" 0',
      '"tabs" "I wish" 0',
      '"tabs" "would be nice if" 0',
      '"tabs" "please add" 0',
      '"tabs" "feature request" 1',
      '"tabs" "please add" 1',
      '"tabs" "please add" 2',
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

describe('the parameters that make a search exact', () => {
  const extrasOf = (query: Record<string, string>) => Object.keys(exactness).filter((name) => name in query)

  it.each([
    ['as the message names them', (name: string) => `Unknown parameter: ${name}`, 3],
    ['one after the other without a name', () => 'Bad request', 4],
  ])('are left out when they are refused, %s, and the process remembers it', async (_, message, requests) => {
    const refused = ['restrictSearchableAttributes', 'queryType']
    const { hackernews, received } = await setUp((response, { query }) => {
      const name = refused.find((candidate) => candidate in query)
      if (name) sendJson(response, { code: 400, message: message(name) }, 400)
      else sendJson(response, page([{ objectID: '1', title: 'Tabs' }]))
    })
    expect((await fetchPage(hackernews)).requests).toHaveLength(1)
    expect(received).toHaveLength(requests)
    const accepted = extrasOf(received.at(-1)!.query)
    expect(accepted).not.toEqual(expect.arrayContaining([expect.stringMatching(/restrict|queryType/)]))
    // Its quotes still exclude near-spellings.
    expect(received.at(-1)!.query.query).toBe('"dark" "mode" "feature request"')
    await fetchPage(hackernews)
    expect(received.slice(requests).map(({ query }) => extrasOf(query))).toEqual([accepted])
  })

  it('are sent again after a query that is refused without them too', async () => {
    const { hackernews, received } = await setUp((response, { query }) =>
      query.query!.includes('bad') ? sendJson(response, { message: 'x' }, 400) : sendJson(response, page([])),
    )
    await platformError(fetchPage(hackernews, 'bad'), 'bad_response')
    expect(received.map(({ query }) => extrasOf(query).length)).toEqual([4, 3, 2, 1, 0])
    await fetchPage(hackernews, 'good')
    expect(extrasOf(received.at(-1)!.query)).toHaveLength(4)
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
        tags: ['ask_hn'],
        stars: null,
        commentCount: 4,
        sourceUrl: 'https://news.ycombinator.com/item?id=101',
        authorName: null,
        authorHandle: 'bob_b',
        authorProfileUrl: 'https://news.ycombinator.com/user?id=bob_b',
        license: null,
        originalCreatedAt: new Date('2024-01-02T03:04:05Z'),
        ...unsaidFields,
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
    const expected = {
      title: 'Editors',
      description: 'I wish it had tabs.',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
    }
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
    expect((await fetchPage(hackernews)).requests).toMatchObject([{ sourceId: '1', tags: [] }])
  })

  it('has no tags that only mark its kind, author or story', async () => {
    const marks = ['story', 'comment', 'poll', 'pollopt', 'job', 'front_page', 'author_x', 'story_1', 'poll_2']
    const [request] = await read({ objectID: '1', title: 'Tabs', _tags: [...marks, 'ask_hn', 'show_hn'] })
    expect(request!.tags).toEqual(['ask_hn', 'show_hn'])
  })

  it('shows the whole address of a link that Hacker News cuts short', async () => {
    const comment_text =
      'I wish <a href="https:&#x2F;&#x2F;a.example&#x2F;a&#x2F;long&#x2F;path" rel="nofollow">https:&#x2F;&#x2F;a.example&#x2F;a&#x2F;lo...</a> had tabs'
    const [request] = await read({ objectID: '1', comment_text })
    expect(request!.description).toBe('I wish https://a.example/a/long/path had tabs')
  })

  it('that is deleted or dead, or has no text, is left out and counted', async () => {
    const { hackernews } = await setUp((response) =>
      sendJson(
        response,
        page([
          { ...story, deleted: true },
          { ...story, dead: true },
          { ...story, objectID: '7', comment_text: '[flagged]' },
          { objectID: '8' },
          story,
        ]),
      ),
    )
    const { requests, discarded } = await fetchPage(hackernews)
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ status: null, statusChangedAt: null, excerpt: false, sourceName: null })
    expect(discarded).toEqual({ removed: 3, noText: 1 })
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
