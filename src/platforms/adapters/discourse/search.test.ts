import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import { failuresIn } from '../round-robin.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createDiscourse } from './search.ts'

// Holds (Platforms): forums tell what became of a wish and omit what is removed or private

async function setUp(handler: Handler, paths = ['/c/ideas/5']) {
  const server = await startServer(handler)
  const clock = testClock()
  const urls = paths.map((path) => `${server.baseUrl}${path}`)
  const discourse = createDiscourse({ client: testClient(clock), clock, openBudget: openTestBudget, urls })
  return { ...server, clock, discourse, host: new URL(server.baseUrl).host }
}
const found = (posts: unknown[], topics: unknown[] = [], more: object = {}) => ({
  posts,
  topics,
  grouped_search_result: { more_full_page_results: null, error: null, ...more },
})
const nothing = found([])

describe('the search on a Discourse forum', () => {
  it('queries first posts with the words, in the category of the address', async () => {
    const { discourse, received } = await setUp((response) => sendJson(response, nothing))
    await fetchPage(discourse)
    expect(received).toMatchObject([{ path: '/search.json', query: { q: 'dark mode category:5 in:first', page: '1' } }])
    expect(received[0]!.headers['user-agent']).toContain('Wishwell')
  })

  it.each([
    ['', '/search.json', 'feature request'],
    ['/', '/search.json', 'feature request'],
    ['/forum', '/forum/search.json', 'feature request'],
    ['/forum/c/ideas/5', '/forum/search.json', 'category:5'],
    ['/c/feature-requests', '/search.json', '#feature-requests'],
    ['/c/product/ideas/5/', '/search.json', 'category:5'],
    ['/c/product/ideas', '/search.json', '#product:ideas'],
    ['/c/ideas/5/l/votes', '/search.json', 'category:5'],
    ['/c/-/5', '/search.json', 'category:5'],
    ['/c/%E6%8F%90%E6%A1%88', '/search.json', '#提案'],
    ['/tag/feature-request', '/search.json', 'tags:feature-request'],
    ['/tag/feature-request/12', '/search.json', 'tags:feature-request'],
    ['/c/in:all', '/search.json', 'feature request'],
    ['/c/%E0', '/search.json', 'feature request'],
  ])('of the address %s queries %s for %s', async (address, path, filter) => {
    const { discourse, received } = await setUp((response) => sendJson(response, nothing), [address])
    await fetchPage(discourse, 'tabs')
    expect(received).toMatchObject([{ path, query: { q: `tabs ${filter} in:first` } }])
  })

  it.each([
    ['#staff dark @sam mode', 'staff dark sam mode'],
    ['in:title "dark" order:likes', 'in title dark order likes'],
    ["'#staff' tags:a l T f' l\u200b", "staff' tags a"],
    ['\u200b#staff \u2019@sam -#x', 'staff sam x'],
    ['C# C++ .NET node.js', 'C# C++ .NET node.js'],
  ])('reads no filter from the topic %s', async (topic, words) => {
    const { discourse, received } = await setUp((response) => sendJson(response, nothing))
    await fetchPage(discourse, topic)
    expect(received[0]!.query.q).toBe(`${words} category:5 in:first`)
  })

  it('sends no request when the topic has no words', async () => {
    const { discourse, received } = await setUp((response) => sendJson(response, nothing))
    expect(await fetchPageOrNull(discourse, { topic: '#" l @' })).toBeNull()
    expect(received).toEqual([])
  })

  it('queries the forums round-robin, each to page 10 at most', async () => {
    const pagesOf: Record<string, number> = { '/a': 2, '/b': 99, '/c2': 0 }
    const { discourse, received, clock } = await setUp(
      (response, { path, query }) => {
        const pages = pagesOf[path.replace('/search.json', '')]!
        const posts = pages === 0 ? [] : [{ topic_id: Number(query.page) }]
        sendJson(response, found(posts, [], { more_full_page_results: Number(query.page) < pages || null }))
      },
      ['/a', '/b', '/c2'],
    )
    let cursor: Json = null
    do {
      cursor = (await fetchPage(discourse, 'tabs', cursor)).nextCursor
      clock.advance(4_000)
    } while (cursor !== null)
    expect(received.map(({ path, query }) => `${path.split('/')[1]}${query.page}`)).toEqual([
      ...['a1', 'b1', 'c21', 'a2', 'b2', 'b3', 'b4', 'b5', 'b6', 'b7', 'b8', 'b9', 'b10'],
    ])
  })

  it('ends at a page without posts, even if it announces more', async () => {
    const { discourse } = await setUp((response) => sendJson(response, found([], [], { more_full_page_results: true })))
    expect((await fetchPage(discourse)).nextCursor).toBeNull()
  })

  it('goes on with the other forums when one fails', async () => {
    const { discourse, received } = await setUp(
      (response, { path }) =>
        sendJson(response, path.startsWith('/a') ? {} : nothing, path.startsWith('/a') ? 404 : 200),
      ['/a', '/b'],
    )
    const { nextCursor } = await fetchPage(discourse)
    expect(failuresIn(nextCursor)?.message).toMatch(/\/a\) has nothing at this address/)
    expect(received.map(({ path }) => path)).toEqual(['/a/search.json', '/b/search.json'])
  })

  it('has nothing, and is no failure, where a short word is refused or ignored', async () => {
    for (const [body, status] of [
      [{ errors: ['invalid'], error_type: 'invalid_parameters' }, 400],
      [null, 200],
    ] as const) {
      const { discourse } = await setUp((response) => sendJson(response, body, status))
      expect(await fetchPage(discourse, 'AI')).toEqual({ requests: [], nextCursor: null })
      await platformError(fetchPage(discourse, 'long enough'), 'bad_response')
    }
  })
})

describe('a topic of a Discourse forum', () => {
  const read = async (posts: unknown[], topics: unknown[], address = '/c/ideas/5') => {
    const { discourse, host } = await setUp((response) => sendJson(response, found(posts, topics)), [address])
    return { ...(await fetchPage(discourse)), host }
  }
  const post = {
    id: 900,
    topic_id: 55,
    post_number: 1,
    username: 'bob_b',
    name: 'Bob B.',
    like_count: 7,
    blurb: 'Please &lt;b&gt; add <span class="search-highlight">dark</span> mode &amp; more...',
    created_at: '2024-01-02T03:04:05.678Z',
    topic_title_headline: 'Add <span class="search-highlight">dark</span> mode &amp; more',
  }
  const topic = {
    id: 55,
    title: "Add dark mode & <more>, don't wait",
    fancy_title: 'Add dark mode &amp; more',
    slug: 'add-dark-mode',
    posts_count: 4,
    tags: ['ui', { id: 1, name: 'Theme', slug: 'theme' }, null],
    visible: true,
    closed: false,
    archived: false,
  }

  it('is read field by field, joined with its post', async () => {
    const { requests, host } = await read([post], [{ id: 1 }, topic], '/forum/c/ideas/5')
    expect(requests).toEqual([
      {
        sourceId: `${host}/forum:55`,
        title: "Add dark mode & <more>, don't wait",
        description: 'Please <b> add dark mode & more...',
        votes: 7,
        tags: ['ui', 'Theme'],
        stars: null,
        commentCount: 3,
        sourceUrl: `http://${host}/forum/t/add-dark-mode/55/1`,
        authorName: 'Bob B.',
        authorHandle: 'bob_b',
        authorProfileUrl: `http://${host}/forum/u/bob_b`,
        license: null,
        originalCreatedAt: new Date('2024-01-02T03:04:05.678Z'),
        status: 'open',
        statusChangedAt: null,
        excerpt: true,
        sourceName: `${host}/forum: ideas`,
        refreshHandle: null,
        ownSource: null,
      },
    ])
  })

  it('has the votes of the voting plugin where its category has them', async () => {
    const votesWith = async (more: object) => (await read([post], [{ ...topic, ...more }])).requests[0]!.votes
    expect(await votesWith({ vote_count: 31, can_vote: true })).toBe(31)
    expect(await votesWith({ vote_count: 31 })).toBe(31)
    expect(await votesWith({ vote_count: 0, can_vote: false })).toBe(7)
    expect(await votesWith({ vote_count: null })).toBe(7)
  })

  it('may lack everything but its number and title', async () => {
    const { requests, host } = await read(
      [{ topic_id: 1 }, { topic_id: 3 }, { topic_id: 2, name: '', tags: 3, blurb: null, post_number: 'x' }],
      [null, 7, { id: 1, title: 'Tabs' }, { id: 2, title: 'Tabs' }],
    )
    const empty = {
      title: 'Tabs',
      description: '',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
      authorName: null,
      authorHandle: null,
    }
    expect(requests).toMatchObject([
      {
        ...empty,
        sourceId: `${host}:1`,
        sourceUrl: `http://${host}/t/1/1`,
        authorProfileUrl: null,
        originalCreatedAt: null,
      },
      { ...empty, sourceId: `${host}:2`, sourceUrl: `http://${host}/t/2/1` },
    ])
  })

  it('has a link whatever its slug is, also where a long one is cut within a character', async () => {
    const slug = `${'a'.repeat(299)}\u{1f600}`
    const { requests } = await read([post], [{ ...topic, slug }])
    expect(URL.canParse(requests[0]!.sourceUrl)).toBe(true)
  })

  it('has the title of its post when it is missing', async () => {
    expect((await read([post], [])).requests).toMatchObject([{ title: 'Add dark mode & more' }])
  })

  it('is one request, however many of its posts are found', async () => {
    expect((await read([post, { ...post, id: 901, post_number: 2 }], [topic])).requests).toHaveLength(1)
  })

  it('that was deleted or hidden, or that describes its category, is left out', async () => {
    const gone = [
      await read([{ ...post, blurb: '(topic deleted by author)' }], [topic]),
      await read([{ ...post, blurb: '(post withdrawn by author, will be deleted in 24 hours)' }], [topic]),
      await read([{ ...post, user_deleted: true }], [topic]),
      await read([post], [{ ...topic, visible: false }]),
      await read([post], [{ ...topic, deleted_at: '2024-01-01T00:00:00Z' }]),
      await read([post], [{ ...topic, title: 'About the Feature Requests category' }]),
      await read([{ ...post, topic_id: null }, null, 'x', {}], [topic]),
    ]
    expect(gone.flatMap(({ requests }) => requests)).toEqual([])
    expect(gone.slice(0, 5).map(({ discarded }) => discarded)).toEqual(Array(5).fill({ removed: 1 }))
  })

  it('tells by its tags and marks what became of it', async () => {
    const marks = [{}, { tags: ['planned'] }, { archived: true }, { closed: true, tags: ['declined'] }]
    const found = await Promise.all(marks.map((more) => read([post], [{ ...topic, ...more }])))
    expect(found.map(({ requests }) => requests[0]!.status)).toEqual(['open', 'planned', 'closed', 'declined'])
  })
})

describe('the limits of Discourse', () => {
  it('hold for each forum: 15 a minute, two a second', async () => {
    const { discourse, received, clock } = await setUp((response) => sendJson(response, nothing), ['/a'])
    await fetchPage(discourse)
    await fetchPage(discourse)
    expect((await platformError(fetchPage(discourse), 'rate_limited')).retryAt).toEqual(
      new Date(clock.now().getTime() + 1_000),
    )
    for (let asked = 2; asked < 15; asked += 1) {
      clock.advance(1_000)
      await fetchPage(discourse)
    }
    clock.advance(1_000)
    expect((await platformError(fetchPage(discourse), 'rate_limited')).retryAt).toEqual(
      new Date(clock.now().getTime() + 46_000),
    )
    expect(received).toHaveLength(15)
  })

  it('are shared by two categories of one forum, and by no other forum', async () => {
    const { discourse, received } = await setUp((response) => sendJson(response, nothing), ['/a/c/x', '/a/c/y', '/b'])
    let cursor: Json = null
    for (let page = 0; page < 3; page += 1) cursor = (await fetchPage(discourse, 'tabs', cursor)).nextCursor
    expect(received.map(({ path }) => path)).toEqual(['/a/search.json', '/a/search.json', '/b/search.json'])
    await fetchPage(discourse, 'dark mode', { turn: 0, next: {}, ended: [] })
    expect(received.at(-1)!.path).toBe('/b/search.json')
  })

  const limited = (extras: object) => ({ errors: ['Slow down'], error_type: 'rate_limit', extras })
  it.each([
    [429, limited({ wait_seconds: 39, time_left: '39 seconds' }), {}, 39],
    [429, limited({ wait_seconds: 39 }), { 'retry-after': '41' }, 41],
    [429, { failed: 'FAILED', message: 'Slow down' }, {}, 60],
    [429, 'Slow down', { 'retry-after': '7' }, 7],
    [422, limited({ wait_seconds: 5 }), {}, 5],
    [200, found([], [], { error: 'You have done this too often.' }), {}, 60],
    [200, { grouped_search_result: { error: 'Too much load.' } }, {}, 60],
  ])('demand a cooldown with %s %j %j', async (status, body, headers, seconds) => {
    const { discourse, received, clock } = await setUp((response) => sendJson(response, body, status, headers))
    const retryAt = new Date(clock.now().getTime() + seconds * 1000)
    const error = await platformError(fetchPage(discourse), 'rate_limited')
    expect(error.retryAt).toEqual(retryAt)
    expect(error.message).not.toMatch(/dark|Slow/)
    expect((await platformError(fetchPage(discourse), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(received).toHaveLength(1)
  })
})

describe('an error of a Discourse forum', () => {
  it.each([
    [403, { errors: ['Log in'], error_type: 'not_logged_in' }, 'unauthorized', 'DISCOURSE_URLS'],
    [403, { errors: ['No'], error_type: 'invalid_access' }, 'unauthorized', 'DISCOURSE_URLS'],
    [404, { errors: ['No'], error_type: 'not_found' }, 'bad_response', 'DISCOURSE_URLS'],
    [400, { errors: ['No'], error_type: 'invalid_parameters' }, 'bad_response', '400'],
    [403, undefined, 'blocked', '403'],
    [503, undefined, 'unavailable', '503'],
    [200, undefined, 'bad_response', 'text/html'],
    [200, null, 'bad_response', 'list of posts'],
    [200, [], 'bad_response', 'list of posts'],
    [200, {}, 'bad_response', 'list of posts'],
    [200, { posts: 'x', grouped_search_result: {} }, 'bad_response', 'list of posts'],
    [200, { posts: null, topics: null }, 'bad_response', 'list of posts'],
  ] as const)('%s with %j is %s and names the forum', async (status, body, code, text) => {
    const { discourse, host, clock } = await setUp((response) => {
      clock.advance(1_000)
      if (body !== undefined) return sendJson(response, body, status)
      response.writeHead(status, { 'content-type': 'text/html' }).end('<html>secret</html>')
    })
    const { message, retryAt } = await platformError(fetchPage(discourse), code)
    expect(message).toContain(`discourse (${host})`)
    expect(message).toContain(text)
    expect(message).not.toMatch(/secret|dark|search\.json/)
    expect(retryAt === null).toBe(code !== 'unavailable')
  })

  it('is none when lists are missing because nothing matches', async () => {
    for (const body of [{ grouped_search_result: {} }, { posts: null, grouped_search_result: { error: null } }]) {
      const { discourse } = await setUp((response) => sendJson(response, body))
      expect(await fetchPage(discourse)).toEqual({ requests: [], discarded: {}, nextCursor: null })
    }
  })
})
