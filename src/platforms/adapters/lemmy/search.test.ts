import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import { failuresIn } from '../round-robin.ts'
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
} from '../testing.ts'
import { createLemmy } from './search.ts'

// Holds (Platforms): forums tell what became of a wish and omit what is removed or private

const sitePath = '/api/v4/site'

/** `received` has what is sent to the search alone; the instance has version 3 of the API, unless `site` says more. */
async function setUp(handler: Handler, paths = [''], site: { version?: string } = {}) {
  const received: Received[] = []
  const siteRequests: Received[] = []
  const { baseUrl } = await startServer((response, one, request) => {
    const isSite = one.path.endsWith(sitePath)
    ;(isSite ? siteRequests : received).push(one)
    if (isSite) sendJson(response, site, site.version === undefined ? 404 : 200)
    else handler(response, one, request)
  })
  const clock = testClock()
  const urls = paths.map((path) => `${baseUrl}${path}`)
  const lemmy = createLemmy({ client: testClient(clock), clock, openBudget: openTestBudget, urls })
  return { received, siteRequests, clock, lemmy, host: new URL(baseUrl).host }
}
const list = (posts: unknown[]) => ({ type_: 'Posts', comments: [], posts, communities: [], users: [] })
const postsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    post: { ap_id: `https://a.example/post/${first + index}`, name: 'Tabs' },
  }))
const placeOf = (path: string) => path.split('/')[1]

describe('the search on Lemmy', () => {
  it('queries posts with a phrase before the words, because the order counts', async () => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list([])))
    await fetchPage(lemmy)
    expect(received).toMatchObject([{ path: '/api/v3/search' }])
    expect(received[0]!.query).toEqual({
      q: 'feature request dark mode',
      type_: 'Posts',
      listing_type: 'All',
      sort: 'TopAll',
      limit: '50',
      page: '1',
    })
  })

  it.each([
    ['!tech@lemmy.world', 'feature request !tech@lemmy.world'],
    ['https://lemmy.world/post/1', 'feature request https //lemmy.world/post/1'],
    ['"dark" (mode) %_', 'feature request dark mode'],
  ])('never reads the topic %s as a reference to look up', async (topic, query) => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list([])))
    await fetchPage(lemmy, topic)
    expect(received[0]!.query.q).toBe(query)
  })

  it('sends no request when the topic has no words', async () => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list([])))
    expect(await fetchPageOrNull(lemmy, { topic: '"" :' })).toBeNull()
    expect(received).toEqual([])
  })

  it('queries all instances for the first phrase before any for the next one', async () => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list([])), ['/a', '/b'])
    let cursor: Json = null
    do cursor = (await fetchPageOrNull(lemmy, { topic: 'tabs', cursor, pagesBefore: 3 }))!.nextCursor
    while (cursor !== null)
    expect(received.map(({ path, query }) => `${placeOf(path)} ${query.q}`)).toEqual([
      'b feature request tabs',
      'a tabs feature request',
      'b tabs feature request',
      'a I wish tabs',
      'b I wish tabs',
      'a would be nice if tabs',
      'b would be nice if tabs',
      'a please add tabs',
      'b please add tabs',
      'a feature request tabs',
    ])
  })

  it('queries each instance for each phrase in the first pages of as many jobs, newest first', async () => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list([])), ['/a', '/b'])
    const newestSince = new Date('2026-01-01T00:00:00Z')
    for (let pagesBefore = 0; pagesBefore < 10; pagesBefore++)
      await fetchPageOrNull(lemmy, { pagesBefore, newestSince })
    expect(new Set(received.map(({ path, query }) => `${placeOf(path)} ${query.q}`)).size).toBe(10)
  })

  it('goes on while pages are full, to a short or empty one', async () => {
    for (const lastCount of [0, 49]) {
      const { lemmy, received } = await setUp((response, { query }) => {
        const count = query.q!.startsWith('feature') ? (query.page === '3' ? lastCount : 50) : 0
        sendJson(response, list(postsFrom(Number(query.page) * 50, count)))
      })
      let cursor: Json = null
      let found = 0
      do {
        const page = await fetchPage(lemmy, 'tabs', cursor)
        found += page.requests.length
        cursor = JSON.parse(JSON.stringify(page.nextCursor))
      } while (cursor !== null)
      expect(found).toBe(100 + lastCount)
      expect(received.filter(({ query }) => query.q === 'feature request tabs').map(({ query }) => query.page)).toEqual(
        ['1', '2', '3'],
      )
    }
  })

  it('ends when an instance repeats a page', async () => {
    const { lemmy, received } = await setUp((response) => sendJson(response, list(postsFrom(1, 50))))
    let cursor: Json = null
    do cursor = (await fetchPage(lemmy, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received).toHaveLength(10)
  })

  it('has a cursor that the database can keep, whatever the first post is called', async () => {
    const hostile = { post: { ap_id: `\0${'a'.repeat(291)}\u{1f600}` } }
    const { lemmy } = await setUp((response) => sendJson(response, list([hostile, ...postsFrom(0, 49)])))
    const cursor = JSON.stringify((await fetchPage(lemmy)).nextCursor)
    expect(cursor).toContain('"page":2')
    expect(cursor).not.toMatch(/(?<!\\)\\u/)
  })

  it('goes on with the other instances when one fails', async () => {
    const { lemmy, received } = await setUp(
      (response, { path }) => (placeOf(path) === 'a' ? sendJson(response, {}, 404) : sendJson(response, list([]))),
      ['/a', '/b'],
    )
    let last: Json = null
    for (let page = await fetchPageOrNull(lemmy, { topic: 'tabs' }); page; ) {
      last = page.nextCursor
      page = last === null ? null : await fetchPageOrNull(lemmy, { topic: 'tabs', cursor: last })
    }
    expect(failuresIn(last)?.message).toMatch(/^lemmy \(.*\/a\)/)
    expect(received.filter(({ path }) => placeOf(path) === 'b')).toHaveLength(5)
  })
})

describe('version 4 of the API, of Lemmy 1.0', () => {
  const views = (first: number, count: number, next: string | null) => ({
    posts: postsFrom(first, count),
    next_page: next,
  })

  it('is searched by its list, which has an order, with the cursor that it gives', async () => {
    const { lemmy, received, siteRequests } = await setUp(
      (response, { query }) => sendJson(response, query.page_cursor ? views(50, 3, null) : views(0, 50, 'P2')),
      [''],
      { version: '1.0.0' },
    )
    const first = await fetchPage(lemmy, 'dark mode', { turn: 0, next: {}, ended: [] })
    let cursor: Json = first.nextCursor
    while (cursor !== null) cursor = (await fetchPage(lemmy, 'dark mode', cursor)).nextCursor
    expect(received[0]).toMatchObject({ path: '/api/v4/post/list' })
    expect(received[0]!.query).toEqual({
      search_term: 'feature request dark mode',
      type_: 'all',
      sort: 'top',
      limit: '50',
    })
    const pages = received.filter(({ query }) => query.search_term === 'feature request dark mode')
    expect(pages.map(({ query }) => query.page_cursor)).toEqual([undefined, 'P2'])
    expect(siteRequests).toHaveLength(1)
  })

  it('may call its list items, and ends when a cursor or a page repeats', async () => {
    const repeating = [
      { items: postsFrom(0, 50), next_page: 'P2' },
      { posts: [], next_page: 'P9' },
    ]
    for (const body of repeating) {
      const { lemmy, received } = await setUp((response) => sendJson(response, body), [''], { version: '1.0.0' })
      let cursor: Json = null
      do cursor = (await fetchPage(lemmy, 'tabs', cursor)).nextCursor
      while (cursor !== null)
      expect(received.length).toBeLessThanOrEqual(10)
    }
  })

  it('is looked for again after a day, and while an instance does not answer', async () => {
    const { lemmy, siteRequests, clock } = await setUp((response) => sendJson(response, list([])))
    await fetchPage(lemmy)
    await fetchPage(lemmy, 'tabs')
    expect(siteRequests).toHaveLength(1)
    clock.advance(86_400_000)
    await fetchPage(lemmy)
    expect(siteRequests).toHaveLength(2)
  })

  it('that answers version 3 with things of all kinds has a single page', async () => {
    const mixed = { ...list(postsFrom(0, 50)), type_: 'All', communities: [{ community: { id: 1 } }] }
    const { lemmy, received } = await setUp((response) => sendJson(response, mixed))
    let cursor: Json = null
    do cursor = (await fetchPage(lemmy, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received).toHaveLength(5)
  })
})

describe('what is left out of a page of Lemmy', () => {
  it('is counted by reason', async () => {
    const named = { post: { ap_id: 'https://a.example/post/1', name: 'Tabs' } }
    const views = [
      named,
      { post: { ...named.post, removed: true } },
      { post: { ...named.post, deleted: true } },
      { ...named, community: { name: 'apps', visibility: 'Private' } },
      { ...named, comment: { id: 1 } },
      { post: { ap_id: 'https://a.example/post/2', name: ' ' } },
    ]
    const { lemmy } = await setUp((response) => sendJson(response, list(views)))
    expect((await fetchPage(lemmy)).discarded).toEqual({ removed: 2, notPublic: 1, reply: 1, noText: 1 })
  })
})

describe('a post on Lemmy', () => {
  const read = async (...posts: unknown[]) => {
    const { lemmy } = await setUp((response) => sendJson(response, list(posts)))
    return (await fetchPage(lemmy)).requests
  }
  const view = {
    post: {
      id: 7,
      name: '[Feature request] Dark mode & "more"',
      body: 'I **wish** it had [one](https://example.org).',
      ap_id: 'https://lemmy.example/post/99',
      published: '2023-09-23T10:41:41.254290Z',
      deleted: false,
      removed: false,
    },
    creator: { name: 'bob', display_name: 'Bob B.', actor_id: 'https://lemmy.example/u/bob' },
    community: { name: 'apps', title: 'All apps', removed: false, actor_id: 'https://lemmy.example/c/apps' },
    counts: { score: 12, upvotes: 14, downvotes: 2, comments: 3 },
  }
  const expected = {
    sourceId: 'https://lemmy.example/post/99',
    title: '[Feature request] Dark mode & "more"',
    description: 'I wish it had one.',
    votes: 12,
    tags: ['apps'],
    stars: null,
    commentCount: 3,
    sourceUrl: 'https://lemmy.example/post/99',
    authorName: 'Bob B.',
    authorHandle: 'bob@lemmy.example',
    authorProfileUrl: 'https://lemmy.example/u/bob',
    license: null,
    originalCreatedAt: new Date('2023-09-23T10:41:41.254Z'),
    status: null,
    statusChangedAt: null,
    excerpt: false,
    sourceName: '!apps@lemmy.example',
    refreshHandle: null,
    ownSource: null,
  }

  it('of version 0.19 is read field by field', async () => {
    expect(await read(view)).toEqual([expected])
  })

  it('of version 0.18 has a time without a zone, which is UTC', async () => {
    const published = '2023-09-23T10:41:41.254290'
    expect(await read({ ...view, post: { ...view.post, published } })).toEqual([expected])
  })

  it('of version 1.0 has its counts in itself, and tags', async () => {
    const { id, name, body, ap_id, published } = view.post
    const post = { id, name, body, ap_id, published_at: published, score: 12, comments: 3 }
    const creator = { name: 'bob', display_name: 'Bob B.', ap_id: 'https://lemmy.example/u/bob' }
    const tags = [{ id: 1, name: 'ui', display_name: 'UI' }, { name: 'new' }, null]
    expect(await read({ post, creator, community: view.community, tags })).toEqual([
      { ...expected, tags: ['apps', 'UI', 'new'] },
    ])
  })

  it('is found in the list of version 4 too, where a comment has its post', async () => {
    const search = [{ type_: 'comment', comment: { id: 1 }, ...view }, { type_: 'post', ...view }, { type_: 'person' }]
    const { lemmy } = await setUp((response) => sendJson(response, { search, next_page: 'P1' }))
    expect((await fetchPage(lemmy)).requests).toEqual([expected])
  })

  it('may lack everything but its address and title', async () => {
    const address = 'https://b.example/post/1'
    const nulls = {
      post: { ap_id: address, name: 'Tabs', body: null },
      creator: { name: 'bob' },
      community: null,
      counts: 'x',
    }
    const empty = {
      title: 'Tabs',
      description: '',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
      authorProfileUrl: null,
    }
    expect(await read({ post: { ap_id: address, name: 'Tabs' } }, { post: { ap_id: address } }, nulls)).toMatchObject([
      { ...empty, sourceId: address, authorName: null, authorHandle: null, originalCreatedAt: null },
      { ...empty, sourceId: address, authorName: 'bob', authorHandle: 'bob' },
    ])
  })

  it('has the same id on every instance that has a copy', async () => {
    const copy = { ...view, post: { ...view.post, id: 8123 } }
    expect(new Set((await read(view, copy)).map(({ sourceId }) => sourceId)).size).toBe(1)
  })

  it('that was deleted or removed, or that has no address, is left out', async () => {
    const without = (change: object) => ({ ...view, post: { ...view.post, ...change } })
    expect(
      await read(
        without({ deleted: true }),
        without({ removed: true }),
        without({ ap_id: null }),
        without({ ap_id: 'javascript:alert(1)' }),
        { ...view, community: { name: 'apps', removed: true } },
        { ...view, community: { name: 'apps', deleted: true } },
        { ...view, post: 'x' },
        {},
        null,
      ),
    ).toEqual([])
  })
})

describe('the limits of Lemmy', () => {
  it('hold for each instance: 60 in ten minutes', async () => {
    const { lemmy, received, clock } = await setUp((response) => sendJson(response, list([])), ['/a', '/b'])
    for (let asked = 0; asked < 120; asked += 1) await fetchPageOrNull(lemmy, { pagesBefore: asked })
    const retryAt = new Date(clock.now().getTime() + 600_000)
    expect((await platformError(fetchPage(lemmy), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(received.filter(({ path }) => placeOf(path) === 'a')).toHaveLength(60)
    expect(received).toHaveLength(120)
  })

  it.each([
    [400, '{"error":"rate_limit_error"}', {}, 60],
    [400, '', {}, 60],
    [429, '{"error":"rate_limit_error"}', {}, 60],
    [429, '{"error":"too_many_requests"}', { 'retry-after': '12' }, 12],
    [429, '<html>', { 'content-type': 'text/html' }, 60],
    [200, '{"error":"rate_limit_error"}', {}, 60],
  ])('are used up after %s and %s', async (status, body, headers, seconds) => {
    const { lemmy, received, clock } = await setUp((response) => response.writeHead(status, { ...headers }).end(body))
    const retryAt = new Date(clock.now().getTime() + seconds * 1000)
    expect((await platformError(fetchPage(lemmy), 'rate_limited')).retryAt).toEqual(retryAt)
    expect((await platformError(fetchPage(lemmy), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(received).toHaveLength(1)
  })
})

describe('an error of Lemmy', () => {
  it.each([
    [400, '{"error":"instance_is_private"}', 'unauthorized', 'LEMMY_URLS'],
    [401, '{"error":"not_logged_in"}', 'unauthorized', 'LEMMY_URLS'],
    [404, '', 'bad_response', 'LEMMY_URLS'],
    [400, '{"error":"couldnt_get_posts"}', 'bad_response', '400'],
    [400, '<html>secret', 'bad_response', '400'],
    [403, '<html>secret', 'blocked', '403'],
    [502, '<html>secret', 'unavailable', '502'],
    [200, '<html>secret', 'bad_response', 'text/html'],
    [200, '{}', 'bad_response', 'list of posts'],
    [200, '[]', 'bad_response', 'list of posts'],
    [200, 'null', 'bad_response', 'list of posts'],
    [200, '{"posts":{"a":1}}', 'bad_response', 'list of posts'],
  ] as const)('%s with %s is %s and names the instance', async (status, body, code, text) => {
    const { lemmy, host } = await setUp((response) => {
      const type = body.startsWith('<') ? 'text/html' : 'application/json'
      response.writeHead(status, { 'content-type': type }).end(body)
    })
    const { message, retryAt } = await platformError(fetchPage(lemmy), code)
    expect(message).toContain(`lemmy (${host})`)
    expect(message).toContain(text)
    expect(message).not.toMatch(/secret|dark|couldnt|api\/v3/)
    expect(retryAt === null).toBe(code !== 'unavailable')
  })
})
