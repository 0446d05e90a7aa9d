import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget as openBudget,
  platformError,
  type Received,
  sendJson,
  startServer,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { blueskyWords, createBluesky } from './search.ts'

const clockStart = Date.parse('2026-05-05T12:00:00Z')
const sessionPath = '/xrpc/com.atproto.server.createSession'
const searchPath = '/xrpc/app.bsky.feed.searchPosts'
// People write their handle with an @; the server wants it without.
const credentials = { handle: '@zoe.bsky.social', appPassword: 'abcd-efgh' }

const jwt = (claims: object) => `h.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`
const isSession = ({ path }: Received) => path === sessionPath
/** Answers a session, with `token1`, `token2`, … unless the test overrides it, and the search as the test defines it. */
async function setUp(
  search: Handler,
  { path = '', session }: { path?: string; session?: (response: ServerResponse, count: number) => void } = {},
) {
  let sessionCount = 0
  const server = await startServer((response, received, request) => {
    if (!isSession(received)) return search(response, received, request)
    sessionCount += 1
    if (session) session(response, sessionCount)
    else sendJson(response, { accessJwt: `token${sessionCount}`, refreshJwt: 'r', did: 'did:plc:z' })
  })
  const clock = testClock()
  const client = testClient(clock)
  const bluesky = createBluesky({ client, clock, openBudget, baseUrl: server.baseUrl + path, ...credentials })
  const searches = () => server.received.filter((received) => !isSession(received))
  const sessions = () => server.received.filter(isSession)
  return { ...server, clock, bluesky, searches, sessions }
}
const empty: Handler = (response) => sendJson(response, { posts: [] })

const did = 'did:plc:abc234'
const post = {
  uri: `at://${did}/app.bsky.feed.post/3lpk2u6`,
  cid: 'bafy',
  author: { did, handle: 'zoe.bsky.social', displayName: 'Zoë', labels: [] },
  record: {
    $type: 'app.bsky.feed.post',
    text: 'I wish it had dark mode. Really!\n#ui',
    createdAt: '2026-01-02T03:04:05.678901+00:00',
    facets: [
      { features: [{ $type: 'app.bsky.richtext.facet#tag', tag: 'ui' }] },
      { features: [{ $type: 'app.bsky.richtext.facet#link', uri: 'https://a.example' }, null] },
    ],
    tags: ['wish', 'ui'],
  },
  replyCount: 2,
  likeCount: 9,
  indexedAt: '2026-01-02T03:04:06.000Z',
  labels: [],
}

describe('the search on Bluesky', () => {
  it('signs in once and queries the wish phrases round-robin', async () => {
    const { bluesky, searches, sessions } = await setUp(empty)
    let cursor: Json = null
    do cursor = (await fetchPage(bluesky, 'dark mode', cursor)).nextCursor
    while (cursor !== null)
    const common = { sort: 'latest', limit: '100' }
    expect(searches().map(({ path, query }) => [path, query])).toEqual(
      ['feature request', 'I wish', 'would be nice if', 'please add'].map((phrase) => [
        searchPath,
        { ...common, q: `dark mode "${phrase}"` },
      ]),
    )
    expect(searches().every(({ headers }) => headers.authorization === 'Bearer token1')).toBe(true)
    expect(sessions().map(({ body }) => JSON.parse(body))).toEqual([
      { identifier: 'zoe.bsky.social', password: 'abcd-efgh' },
    ])
  })

  it.each(['/xrpc', '/xrpc/', '/'])('accepts a base address that ends in %s', async (path) => {
    const { bluesky, received } = await setUp(empty, { path })
    await fetchPage(bluesky)
    expect(received.map((request) => request.path)).toEqual([sessionPath, searchPath])
  })

  it.each([
    ['from:zoe dark "mode" -light', 'from zoe dark mode light'],
    ['#tag @zoe.bsky.social wild*', 'tag "zoe.bsky.social" wild'],
    ['C++ C# node.js', '"C++" "C#" "node.js"'],
    ['a && b || c OR d', 'a b c or d'],
    ['+OR', '"OR"'],
    ['暗い 🎉', '暗い "🎉"'],
    ['"" []', ''],
  ])('removes the operators of a topic: %s', (topic, words) => {
    expect(blueskyWords(topic)).toBe(words)
  })

  it('sends no request, not even for a session, when the topic has no words', async () => {
    const { bluesky, received } = await setUp(empty)
    expect(await fetchPageOrNull(bluesky, { topic: '## []' })).toBeNull()
    expect(received).toEqual([])
  })

  it('names the missing variables', async () => {
    const clock = testClock()
    const bluesky = createBluesky({ client: testClient(clock), clock, openBudget, baseUrl: 'http://localhost:1' })
    const error = await platformError(fetchPage(bluesky), 'not_configured')
    expect(error.message).toContain('BLUESKY_HANDLE and BLUESKY_APP_PASSWORD')
  })
})

describe('the pages of Bluesky', () => {
  const nextOf = async (next: unknown, sent: string | null = null, posts: unknown[] = [post]) => {
    const { bluesky, searches } = await setUp((response) => sendJson(response, { posts, cursor: next }))
    const cursor: Json = sent === null ? null : { turn: 0, next: { 'feature request': sent }, ended: [] }
    const { nextCursor } = await fetchPage(bluesky, 'tabs', cursor)
    expect(searches()[0]!.query.cursor ?? null).toBe(sent)
    return (nextCursor as { next?: Record<string, Json> } | null)?.next?.['feature request'] ?? null
  }

  it('go on with the cursor of the answer, whatever its form', async () => {
    expect(await nextOf('100')).toBe('100')
    expect(await nextOf('200', '100')).toBe('200')
    expect(await nextOf('opaque::x', '100')).toBe('opaque::x')
  })

  it('end without a cursor, with an invalid one, and with an empty page', async () => {
    for (const none of [undefined, null, '', 100, {}, 'x'.repeat(3000)]) expect(await nextOf(none)).toBeNull()
    expect(await nextOf('100', null, [])).toBeNull()
  })

  it('end with a cursor that the database cannot store', async () => {
    for (const hostile of ['a\0b', '\ud83d', 'a\nb']) expect(await nextOf(hostile)).toBeNull()
  })

  it('end when the cursor repeats or decreases', async () => {
    expect(await nextOf('100', '100')).toBeNull()
    expect(await nextOf('100', '200')).toBeNull()
    expect(await nextOf('opaque', 'opaque')).toBeNull()
  })

  it('end after ten thousand posts', async () => {
    expect(await nextOf('9900', '9800')).toBe('9900')
    expect(await nextOf('10000', '9900')).toBeNull()
  })
})

const labelled = (...labels: unknown[]) => ({ ...post, labels })

describe('a post of Bluesky', () => {
  const read = async (...posts: unknown[]) => {
    const { bluesky } = await setUp((response) => sendJson(response, { posts }))
    return (await fetchPage(bluesky)).requests
  }
  it('is read field by field', async () => {
    expect(await read(post)).toEqual([
      {
        sourceId: 'at://did:plc:abc234/app.bsky.feed.post/3lpk2u6',
        title: 'I wish it had dark mode.',
        description: 'I wish it had dark mode. Really!\n#ui',
        votes: 9,
        tags: ['ui', 'wish'],
        stars: null,
        commentCount: 2,
        sourceUrl: 'https://bsky.app/profile/zoe.bsky.social/post/3lpk2u6',
        authorName: 'Zoë',
        authorHandle: 'zoe.bsky.social',
        authorProfileUrl: 'https://bsky.app/profile/zoe.bsky.social',
        license: null,
        originalCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
        ...unsaidFields,
        refreshHandle: 'at://did:plc:abc234/app.bsky.feed.post/3lpk2u6',
      },
    ])
  })

  it('has the permanent address of its author where the handle is invalid or missing', async () => {
    const expected = {
      authorHandle: null,
      authorProfileUrl: `https://bsky.app/profile/${did}`,
      sourceUrl: `https://bsky.app/profile/${did}/post/3lpk2u6`,
    }
    const handles = ['handle.invalid', undefined, '../../evil', 7]
    const posts = handles.map((handle) => ({ ...post, author: { ...post.author, handle } }))
    expect(await read(...posts, { ...post, author: null })).toMatchObject(Array(5).fill(expected))
  })

  it('has the date of its author, but never one in the future', async () => {
    const at = (createdAt: unknown, indexedAt: unknown) => ({
      ...post,
      indexedAt,
      record: { ...post.record, createdAt },
    })
    const dates = await read(
      at('2020-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
      at('2999-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
      at('no date', '2026-01-01T00:00:00Z'),
      at('2999-01-01T00:00:00Z', null),
    )
    expect(dates.map(({ originalCreatedAt }) => originalCreatedAt?.getUTCFullYear())).toEqual([
      2020,
      2026,
      2026,
      undefined,
    ])
  })

  it('may lack everything but its address and text', async () => {
    const bare = { uri: post.uri, record: { text: 'Tabs' } }
    const odd = {
      ...bare,
      record: { text: 'Tabs', facets: 'x', tags: {} },
      likeCount: '3',
      replyCount: null,
      author: 'z',
    }
    const nothing = {
      title: 'Tabs',
      description: 'Tabs',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
      authorName: null,
    }
    expect(await read(bare, odd, { ...bare, record: {} }, { ...bare, record: { text: 1 } })).toMatchObject([
      nothing,
      nothing,
    ])
  })

  it('is left out when it is deleted, blocked, of another kind, or without an address', async () => {
    const left = [
      { $type: 'app.bsky.feed.defs#notFoundPost', uri: post.uri, notFound: true },
      { $type: 'app.bsky.feed.defs#blockedPost', uri: post.uri, blocked: true, author: { did } },
      { ...post, uri: `at://${did}/app.bsky.feed.repost/3lpk2u6` },
      { ...post, uri: 'at://javascript:alert(1)/app.bsky.feed.post/x' },
      { ...post, uri: null },
      null,
    ]
    expect(await read(...left, post)).toHaveLength(1)
  })

  it('is left out when moderators or its author have hidden it, unless they withdrew that', async () => {
    const suspended = { ...post, author: { ...post.author, labels: [{ val: '!suspend' }] } }
    const left = [labelled({ val: '!hide' }), labelled({ val: '!takedown' }), labelled({ val: 'spam' }), suspended]
    expect(await read(...left)).toEqual([])
    const { bluesky } = await setUp((response) => sendJson(response, { posts: left }))
    expect((await fetchPage(bluesky)).discarded).toEqual({ removed: 4 })
    const kept = [labelled({ val: '!hide' }, { val: '!hide', neg: true }), labelled({ val: 'rude' }, null, 'x')]
    const odd = [labelled({ val: { toString: 1, valueOf: 1 } }), { ...post, labels: 'none' }]
    expect(await read(...kept, ...odd)).toHaveLength(4)
  })
})

describe('posts of Bluesky that are read again', () => {
  const { signal } = new AbortController()

  it('are read by their addresses, up to 25 in one call', async () => {
    const { bluesky, searches } = await setUp((response) => sendJson(response, { posts: [post] }))
    const handles = [post.uri, `at://${did}/app.bsky.feed.post/other`]
    expect(await bluesky.refresh!.read(handles, signal)).toMatchObject([
      { handle: handles[0], state: 'found', request: { votes: 9, sourceId: post.uri } },
      { handle: handles[1], state: 'missing' },
    ])
    expect(searches()[0]!.path).toBe('/xrpc/app.bsky.feed.getPosts')
    expect(searches()[0]!.url.searchParams.getAll('uris')).toEqual(handles)
    expect(bluesky.refresh!.maxHandles).toBe(25)
  })

  it('are gone when moderators have hidden them', async () => {
    const { bluesky } = await setUp((response) => sendJson(response, { posts: [labelled({ val: '!takedown' })] }))
    expect(await bluesky.refresh!.read([post.uri], signal)).toEqual([{ handle: post.uri, state: 'gone' }])
  })
})

describe('the session of Bluesky', () => {
  const give = (claims: object) => (response: ServerResponse, count: number) =>
    sendJson(response, { accessJwt: jwt({ ...claims, count }) })

  it('is opened again shortly before its token expires', async () => {
    const exp = clockStart / 1000 + 600
    const { bluesky, clock, sessions } = await setUp(empty, { session: give({ exp }) })
    await fetchPage(bluesky)
    clock.advance(530_000)
    await fetchPage(bluesky)
    expect(sessions()).toHaveLength(1)
    clock.advance(15_000)
    await fetchPage(bluesky)
    expect(sessions()).toHaveLength(2)
  })

  it.each([['an expiry that is over'], ['no expiry']])('lasts two hours with %s', async (what) => {
    const session = give(what === 'no expiry' ? {} : { exp: 1 })
    const { bluesky, clock, sessions } = await setUp(empty, { session })
    await fetchPage(bluesky)
    clock.advance(118 * 60_000)
    await fetchPage(bluesky)
    expect(sessions()).toHaveLength(1)
    clock.advance(2 * 60_000)
    await fetchPage(bluesky)
    expect(sessions()).toHaveLength(2)
  })

  it.each([
    [400, 'ExpiredToken'],
    [400, 'InvalidToken'],
    [401, 'AuthMissing'],
    [401, 'AuthenticationRequired'],
  ])('that is refused with %i %s is opened again once', async (status, error) => {
    const { bluesky, sessions } = await setUp((response, { headers }) =>
      headers.authorization === 'Bearer token1'
        ? sendJson(response, { error, message: 'secret' }, status)
        : sendJson(response, { posts: [post] }),
    )
    expect((await fetchPage(bluesky)).requests).toHaveLength(1)
    expect(sessions()).toHaveLength(2)
  })

  it('that is refused twice is an error that names the credentials', async () => {
    const { bluesky, sessions, searches } = await setUp((response) =>
      sendJson(response, { error: 'ExpiredToken', message: 'Token has been revoked' }, 400),
    )
    expect((await platformError(fetchPage(bluesky), 'unauthorized')).message).toContain('BLUESKY_APP_PASSWORD')
    expect([sessions().length, searches().length]).toEqual([2, 2])
  })

  it.each([
    [
      401,
      { error: 'AuthenticationRequired', message: 'Invalid identifier or password' },
      'unauthorized',
      'APP_PASSWORD',
    ],
    [401, { error: 'AuthFactorTokenRequired' }, 'unauthorized', 'app password'],
    [401, { error: 'AccountTakedown' }, 'unauthorized', 'taken down'],
    [400, { error: 'InvalidRequest' }, 'bad_response', 'BLUESKY_HANDLE'],
    [501, { error: 'MethodNotImplemented' }, 'bad_response', 'BLUESKY_API_URL'],
    [404, '<html>', 'bad_response', 'BLUESKY_API_URL'],
    [403, '<html>Request forbidden by administrative rules.</html>', 'blocked', '403'],
    [502, { error: 'UpstreamFailure' }, 'unavailable', '502'],
    [200, { did: 'did:plc:z' }, 'bad_response', 'without a token'],
    [200, { accessJwt: 'a\r\nb' }, 'bad_response', 'without a token'],
    [200, '<html>', 'bad_response', 'JSON'],
  ] as const)('answered with %i %j is %s', async (status, body, code, advice) => {
    const session = (response: ServerResponse) =>
      typeof body === 'string' ? response.writeHead(status).end(body) : sendJson(response, body, status)
    const { bluesky, searches, sessions } = await setUp(empty, { session })
    const error = await platformError(fetchPage(bluesky), code)
    if (code !== 'unavailable') expect(sessions()).toHaveLength(1)
    expect(error.message).toContain(advice)
    expect(error.message).not.toContain('abcd-efgh')
    expect(searches()).toEqual([])
  })

  it('is not opened again before the time of its own limit', async () => {
    const reset = clockStart / 1000 + 3 * 3600
    const headers = { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'ratelimit-reset': String(reset) }
    const session = (response: ServerResponse) =>
      sendJson(response, { error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' }, 429, headers)
    const { bluesky, clock, sessions } = await setUp(empty, { session })
    const error = await platformError(fetchPage(bluesky), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(reset * 1000))
    clock.advance(3600_000)
    await platformError(fetchPage(bluesky), 'rate_limited')
    expect(sessions()).toHaveLength(1)
  })
})

describe('the limits of Bluesky', () => {
  it('are read from headers in seconds since 1970', async () => {
    const reset = clockStart / 1000 + 120
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(reset) }
    const { bluesky, searches } = await setUp((response) => sendJson(response, { posts: [] }, 200, headers))
    await fetchPage(bluesky)
    expect((await platformError(fetchPage(bluesky), 'rate_limited')).retryAt).toEqual(new Date(reset * 1000))
    expect(searches()).toHaveLength(1)
  })

  it.each([
    ['Retry-After', { 'retry-after': '17' }, 17],
    ['a reset', { 'ratelimit-remaining': '0', 'ratelimit-reset': String(clockStart / 1000 + 40) }, 40],
    ['a reset that counts from 1970', { 'ratelimit-remaining': '0', 'ratelimit-reset': '30' }, 60],
    ['nothing', {}, 60],
  ])('that are exceeded delay for the announced time: %s', async (_, headers, seconds) => {
    const body = { error: 'RateLimitExceeded', message: 'Rate Limit Exceeded' }
    const { bluesky, clock } = await setUp((response) => sendJson(response, body, 429, headers))
    const error = await platformError(fetchPage(bluesky), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + seconds * 1000))
  })
})

describe('an error of the search on Bluesky', () => {
  it.each([
    [400, { error: 'InvalidRequest', message: 'Error: Params must have' }, 'bad_response', 'refused the search'],
    [400, { error: 'BadQueryString' }, 'bad_response', 'refused the search'],
    [400, { error: 'AccountDeactivated' }, 'unauthorized', 'BLUESKY_HANDLE'],
    [403, '<html>403 Forbidden</html>', 'blocked', 'https://bsky.social'],
    [501, { error: 'MethodNotImplemented' }, 'bad_response', 'BLUESKY_API_URL'],
    [500, { error: 'InternalServerError' }, 'unavailable', '500'],
    [502, { error: 'UpstreamFailure' }, 'unavailable', '502'],
    [200, { error: 'InternalServerError' }, 'bad_response', 'list of posts'],
    [200, { posts: null }, 'bad_response', 'list of posts'],
    [200, '<html>', 'bad_response', 'JSON'],
  ] as const)('%i %j is %s', async (status, body, code, advice) => {
    const { bluesky } = await setUp((response) =>
      typeof body === 'string' ? response.writeHead(status).end(body) : sendJson(response, body, status),
    )
    const error = await platformError(fetchPage(bluesky), code)
    expect(error.message).toContain(advice)
    expect(error.message).not.toMatch(/token1|dark|Params/)
  })
})
