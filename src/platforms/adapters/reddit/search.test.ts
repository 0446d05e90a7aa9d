import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
import { userAgentFor } from '../../client/client.ts'
import { type Json, SourceRefusedError } from '../../platform.ts'
import { unreachedSources } from '../round-robin.ts'
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
} from '../testing.ts'
import { redditQuery } from './queries.ts'
import { createReddit } from './search.ts'
import { redditSources } from './source.ts'

// Holds (Jobs): a job names the sources it did not reach, and the next one begins there
// Holds (Jobs): what YouTube and Reddit omit from an answer is not deleted for that
// Holds (Platforms): forums tell what became of a wish and omit what is removed or private

const tokenPath = '/api/v1/access_token'
const wishes = '(flair:"feature request" OR "feature request" OR "I wish" OR "would be nice if" OR "please add")'

/** Gives the tokens t1, t2 and so on; searches are for the test. */
async function setUp(handler: Handler, answerToken: Handler = giveToken()) {
  const server = await startServer((response, received, request) =>
    (received.path === tokenPath ? answerToken : handler)(response, received, request),
  )
  const clock = testClock()
  const client = testClient(clock, { userAgent: userAgentFor('1.2.3') })
  const { baseUrl } = server
  const credentials = { clientId: 'app-1', clientSecret: 'hush' }
  const reddit = createReddit({ client, clock, openBudget, baseUrl, tokenUrl: baseUrl + tokenPath, ...credentials })
  const searches = () => server.received.filter(({ path }) => path !== tokenPath)
  const tokenRequests = () => server.received.filter(({ path }) => path === tokenPath)
  return { reddit, clock, searches, tokenRequests }
}

function giveToken(lifetimeSeconds = 86_400): Handler {
  let count = 0
  return (response) => {
    count += 1
    sendJson(response, { access_token: `t${count}`, token_type: 'bearer', expires_in: lifetimeSeconds, scope: '*' })
  }
}

const listing = (posts: unknown[], after: unknown = null) => ({
  kind: 'Listing',
  data: { after, dist: posts.length, children: posts.map((data) => ({ kind: 't3', data })), before: null },
})
const authorization = ({ headers }: Received) => headers.authorization

describe('the search on Reddit', () => {
  it('queries posts with every word and a flair or phrase of wishes, with raw texts', async () => {
    const { reddit, searches } = await setUp((response) => sendJson(response, listing([])))
    await fetchPage(reddit, 'dark mode')
    expect(searches().map(({ path, query }) => ({ path, ...query }))).toEqual([
      {
        path: '/search',
        q: `"dark" "mode" ${wishes}`,
        sort: 'relevance',
        t: 'all',
        type: 'link',
        limit: '100',
        raw_json: '1',
      },
    ])
  })

  it('pages by the cursor of the last answer, until there is none', async () => {
    const { reddit, searches } = await setUp((response, { query }) =>
      sendJson(
        response,
        listing([{ name: 't3_a' }], query.after === 't3_two' ? null : query.after ? 't3_two' : 't3_one'),
      ),
    )
    let cursor: Json = null
    do cursor = (await fetchPage(reddit, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    const asked = searches().map(({ query }) => [query.after, query.count])
    expect(asked).toEqual([
      [undefined, undefined],
      ['t3_one', '100'],
      ['t3_two', '200'],
    ])
  })

  it('ends after a thousand posts, at an empty page and when a cursor repeats', async () => {
    const endless = await setUp((response) => sendJson(response, listing([{ name: 't3_a' }], `t3_${Math.random()}`)))
    expect((await fetchPage(endless.reddit, 'tabs', { page: 9, after: 't3_x' })).nextCursor).not.toBeNull()
    expect((await fetchPage(endless.reddit, 'tabs', { page: 10, after: 't3_x' })).nextCursor).toBeNull()
    expect(await fetchPageOrNull(endless.reddit, { cursor: { page: 11, after: 't3_x' } })).toBeNull()
    expect(endless.searches()).toHaveLength(2)
    const empty = await setUp((response) => sendJson(response, listing([], 't3_next')))
    expect((await fetchPage(empty.reddit, 'tabs', { page: 2, after: 't3_x' })).nextCursor).toBeNull()
    const circle = await setUp((response) => sendJson(response, listing([{ name: 't3_a' }], 't3_same')))
    expect((await fetchPage(circle.reddit, 'tabs', { page: 2, after: 't3_same' })).nextCursor).toBeNull()
  })

  it('sends no request, not even for a token, when the topic has no words', async () => {
    const { reddit, searches, tokenRequests } = await setUp((response) => sendJson(response, listing([])))
    expect(await fetchPageOrNull(reddit, { topic: '" : ()' })).toBeNull()
    expect([...searches(), ...tokenRequests()]).toEqual([])
  })

  it('never reads a topic as operators', () => {
    expect(redditQuery('a" OR subreddit:x (NOT b) -c title:"d')).toBe(
      `"a" "or" "subreddit" "x" "not" "b" "c" "title" "d" ${wishes}`,
    )
  })

  it('leaves out words, never parts of them, beyond 512 characters', () => {
    const query = redditQuery(Array.from({ length: 60 }, (_, index) => `word${index + 10}`).join(' '))!
    expect(query.length).toBeLessThanOrEqual(512)
    expect(query.length).toBeGreaterThan(490)
    expect(query).toMatch(/^("word\d\d" )+\(flair/)
  })

  it('names the application in the form that Reddit demands, without inventing an account', async () => {
    const { reddit, searches, tokenRequests } = await setUp((response) => sendJson(response, listing([])))
    await fetchPage(reddit)
    const agents = [...searches(), ...tokenRequests()].map(({ headers }) => headers['user-agent'])
    expect(new Set(agents)).toEqual(new Set([`server:app-1:${userAgentFor('1.2.3')}`]))
  })
})

describe('a search of Reddit that reads operators as text', () => {
  const posts = (fields: object) =>
    Array.from({ length: 6 }, (_, index) => ({ name: `t3_${index}`, title: 'Tabs', ...fields }))
  const isGrouped = ({ query }: Received) => query.q!.includes(' OR ')
  async function collect(answer: (received: Received) => unknown[]) {
    const { reddit, searches, clock } = await setUp((response, received) =>
      sendJson(response, listing(answer(received))),
    )
    let cursor: Json = null
    do cursor = JSON.parse(JSON.stringify((await fetchPage(reddit, 'tabs', cursor)).nextCursor))
    while (cursor !== null)
    return { reddit, clock, searches, queries: () => searches().map(({ query }) => query.q) }
  }
  const plain = ['"feature request"', 'flair:"feature request"', '"I wish"', '"would be nice if"', '"please add"']

  it('is searched by plain queries, at once for a day', async () => {
    const { reddit, clock, queries } = await collect(() => posts({}))
    const grouped = `"tabs" ${wishes}`
    const asked = plain.map((query) => `"tabs" ${query}`)
    expect(queries()).toEqual([grouped, ...asked])
    await fetchPage(reddit, 'tabs')
    expect(queries().slice(6)).toEqual([asked[0]])
    clock.advance(86_400_000)
    await fetchPage(reddit, 'tabs')
    expect(queries().slice(7)).toEqual([grouped])
  })

  it('is recognised by a plain query that finds wishes where the first query found nothing', async () => {
    const { queries } = await collect((received) =>
      isGrouped(received) ? [] : posts({ selftext: 'Feature request: a' }),
    )
    expect(queries()).toHaveLength(6)
  })

  it('is not suspected where no post is about the topic: one further query an hour shows that', async () => {
    const { reddit, clock, queries } = await collect(() => [])
    expect(queries()).toEqual([`"tabs" ${wishes}`, '"tabs" "feature request"'])
    expect((await fetchPage(reddit, 'tabs')).nextCursor).toBeNull()
    clock.advance(3_600_000)
    expect((await fetchPage(reddit, 'tabs')).nextCursor).not.toBeNull()
  })

  it.each([{ link_flair_text: 'Feature Request' }, { title: 'I wish it had tabs' }])(
    'is not suspected where posts have a flair or phrase of wishes: %j',
    async (fields) => {
      const { queries } = await collect(() => posts(fields))
      expect(queries()).toHaveLength(1)
    },
  )

  it('is not paged further for a flair that no post has', async () => {
    const { reddit, searches } = await setUp((response) =>
      sendJson(response, listing(posts({ selftext: 'I wish' }), 't3_z')),
    )
    const flairNext = { isPlain: true, turn: 1, next: {}, ended: [] }
    const { nextCursor } = await fetchPage(reddit, 'tabs', flairNext)
    expect(searches()[0]!.query.q).toBe('"tabs" flair:"feature request"')
    expect(nextCursor).toMatchObject({ isPlain: true, ended: ['all flair'] })
  })
})

describe('the communities that a job names', () => {
  it('are searched instead of all, round-robin, and are the source of what is found', async () => {
    const post = { name: 't3_a', title: 'I wish for tabs' }
    const { reddit, searches } = await setUp((response) => sendJson(response, listing([post])))
    const sources = ['r/obsidianmd', 'r/notes']
    const first = await fetchPageOrNull(reddit, { sources, pagesBefore: 8 })
    const second = await fetchPageOrNull(reddit, { sources, cursor: first!.nextCursor })
    expect(searches().map(({ path, query }) => [path, query.restrict_sr])).toEqual([
      ['/r/obsidianmd/search', '1'],
      ['/r/notes/search', '1'],
    ])
    expect([first, second].flatMap((page) => page!.requests.map(({ ownSource }) => ownSource))).toEqual(sources)
  })

  it('begin where the last job of the same ones stopped', async () => {
    const { reddit, searches } = await setUp((response) =>
      sendJson(response, listing([{ name: 't3_a', title: 'I wish for tabs' }])),
    )
    const sources = ['r/a', 'r/b', 'r/c']
    const { nextCursor } = (await fetchPageOrNull(reddit, { sources, pagesBefore: 4 }))!
    expect(searches().map(({ path }) => path)).toEqual(['/r/b/search'])
    expect(unreachedSources(sources, nextCursor)).toEqual(['r/a', 'r/c'])
  })

  it('are each asked in each form in the first pages of as many jobs, newest first, where operators are text', async () => {
    const chatter = Array.from({ length: 6 }, (_, index) => ({ name: `t3_${index}`, title: 'Dark mode' }))
    const { reddit, searches } = await setUp((response, { query }) =>
      sendJson(response, listing(query.q!.includes('(') ? chatter : [{ name: 't3_a', title: 'I wish for tabs' }])),
    )
    const sources = ['r/a', 'r/b']
    await fetchPageOrNull(reddit, { sources })
    const newestSince = new Date('2026-01-01T00:00:00Z')
    for (let pagesBefore = 0; pagesBefore < 10; pagesBefore++) {
      await fetchPageOrNull(reddit, { sources, pagesBefore, newestSince })
    }
    const plain = searches().slice(1)
    expect(plain).toHaveLength(10)
    expect(new Set(plain.map(({ path, query }) => `${path} ${query.q}`)).size).toBe(10)
  })

  it('that had no page yet are known also where operators are text', async () => {
    const chatter = Array.from({ length: 6 }, (_, index) => ({ name: `t3_${index}`, title: 'Dark mode' }))
    const { reddit, searches } = await setUp((response, { query }) =>
      sendJson(response, listing(query.q!.includes('(') ? chatter : [{ name: 't3_a', title: 'I wish for tabs' }])),
    )
    const sources = ['r/a', 'r/b', 'r/c']
    const reached: string[][] = []
    let cursor: Json = null
    for (let page = 0; page < 4; page++) {
      cursor = (await fetchPageOrNull(reddit, { sources, cursor, pagesBefore: 1 }))!.nextCursor
      reached.push(unreachedSources(sources, cursor))
    }
    expect(searches().map(({ path }) => path.split('/')[2])).toEqual(['b', 'b', 'c', 'a'])
    expect(reached).toEqual([['r/a', 'r/c'], ['r/a', 'r/c'], ['r/a'], []])
  })

  it.each([
    [403, { reason: 'private', error: 403 }],
    [403, { message: 'Forbidden', error: 403 }],
    [404, { reason: 'banned', error: 404 }],
  ])('that are not public cost the others nothing: %i %j', async (status, body) => {
    const { reddit, searches } = await setUp((response, { path }) =>
      path.startsWith('/r/secret')
        ? sendJson(response, body, status)
        : sendJson(response, listing([{ name: 't3_a', title: 'I wish' }])),
    )
    const page = await fetchPageOrNull(reddit, { sources: ['r/secret', 'r/notes'] })
    expect(page!.requests).toHaveLength(1)
    expect(searches()).toHaveLength(2)
    const error = await platformError(
      fetchPageOrNull(reddit, { sources: ['r/secret'] }) as Promise<unknown>,
      'bad_response',
    )
    expect(error).toBeInstanceOf(SourceRefusedError)
    expect(error.message).toContain(String(status))
  })

  it.each([
    ['r/ObsidianMD', 'r/obsidianmd'],
    [' /r/notes/ ', 'r/notes'],
    ['https://www.reddit.com/r/Notes/comments/abc/x/', 'r/notes'],
    ['old.reddit.com/r/notes', 'r/notes'],
    ['r/all', null],
    ['r/a', null],
    ['notes', null],
    ['r/no-tes', null],
    ['https://reddit.example/r/notes', null],
  ])('are written %s, which is %s', (text, normal) => {
    expect(redditSources.normalise(text)).toBe(normal)
  })

  it.each([403, 404])('are verified: one that is refused with %i is not public', async (status) => {
    const { reddit } = await setUp((response) => sendJson(response, { reason: 'quarantined', error: status }, status))
    const verified = reddit.verifySource!('r/notes', new AbortController().signal)
    await expect(verified).rejects.toBeInstanceOf(SourceRefusedError)
  })

  const about = (data: object) => ({ kind: 't5', data })
  it.each([
    ['public', about({ subreddit_type: 'public' }), true],
    ['restricted', about({ subreddit_type: 'restricted' }), true],
    ['private', about({ subreddit_type: 'private' }), false],
    ['in quarantine', about({ subreddit_type: 'public', quarantine: true }), false],
    ['absent', listing([]), false],
  ])('are verified: one that is %s', async (_name, body, isPublic) => {
    const { reddit } = await setUp((response) => sendJson(response, body))
    const verified = reddit.verifySource!('r/notes', new AbortController().signal)
    if (isPublic) await verified
    else await expect(verified).rejects.toBeInstanceOf(SourceRefusedError)
  })
})

describe('posts of Reddit that are read again', () => {
  it('are found, gone or unreadable, from one request', async () => {
    const post = { title: 'Tabs', selftext: 'Please.' }
    const { reddit, searches } = await setUp((response) =>
      sendJson(
        response,
        listing([
          { ...post, name: 't3_b', removed_by_category: 'moderator' },
          { ...post, name: 't3_a', score: 9 },
          { ...post, name: 't3_c', selftext: '[deleted]', author: '[deleted]' },
          { ...post, name: 't3_d', subreddit_type: 'private' },
        ]),
      ),
    )
    const handles = ['t3_a', 't3_b', 't3_c', 't3_d', 't3_e']
    const read = await reddit.refresh!.read(handles, new AbortController().signal)
    expect(read.map(({ handle, state }) => [handle, state])).toEqual([
      ['t3_a', 'found'],
      ['t3_b', 'gone'],
      ['t3_c', 'gone'],
      ['t3_d', 'unreadable'],
      ['t3_e', 'unreadable'],
    ])
    expect(read[0]).toMatchObject({ request: { votes: 9, refreshHandle: 't3_a' } })
    expect(searches()).toMatchObject([{ path: '/api/info', query: { id: handles.join(','), raw_json: '1' } }])
    expect(new Set(handles.map(reddit.refresh!.groupOf)).size).toBe(1)
  })
})

describe('the token of Reddit', () => {
  const respond: Handler = (response) => sendJson(response, listing([]))

  it('is fetched with the credentials of the application, and used for many pages', async () => {
    const { reddit, searches, tokenRequests } = await setUp(respond)
    await Promise.all([fetchPage(reddit), fetchPage(reddit, 'tabs')])
    const basic = `Basic ${Buffer.from('app-1:hush').toString('base64')}`
    expect(tokenRequests().map(({ headers, body }) => [headers.authorization, body])).toEqual([
      [basic, 'grant_type=client_credentials'],
    ])
    expect(searches().map(authorization)).toEqual(['Bearer t1', 'Bearer t1'])
  })

  it('is fetched again a minute before it expires', async () => {
    const { reddit, clock, searches } = await setUp(respond, giveToken(3_600))
    await fetchPage(reddit)
    clock.advance(3_539_000)
    await fetchPage(reddit)
    clock.advance(1_000)
    await fetchPage(reddit)
    expect(searches().map(authorization)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2'])
  })

  it('lasts an hour if the answer does not say', async () => {
    for (const lifetime of [undefined, null, 'x', -5]) {
      const { reddit, clock, tokenRequests } = await setUp(respond, (response) =>
        sendJson(response, { access_token: 't', expires_in: lifetime }),
      )
      await fetchPage(reddit)
      clock.advance(3_539_000)
      await fetchPage(reddit)
      expect(tokenRequests()).toHaveLength(1)
    }
  })

  it('is fetched again once when it is refused', async () => {
    const { reddit, searches } = await setUp((response, received) =>
      authorization(received) === 'Bearer t1'
        ? sendJson(response, { message: 'Unauthorized', error: 401 }, 401)
        : sendJson(response, listing([])),
    )
    await fetchPage(reddit)
    expect(searches().map(authorization)).toEqual(['Bearer t1', 'Bearer t2'])
  })

  it('that is refused again ends as unauthorized', async () => {
    const { reddit, searches } = await setUp((response) => sendJson(response, { error: 401 }, 401))
    const error = await platformError(fetchPage(reddit), 'unauthorized')
    expect(error.message).toContain('REDDIT_CLIENT_SECRET')
    expect(error.retryAt).toBeNull()
    expect(searches()).toHaveLength(2)
  })

  it.each([
    ['a 200 that is an error', 200, { error: 'invalid_grant' }, 'unauthorized'],
    ['a 400 that is an error', 400, { error: 'unsupported_grant_type' }, 'unauthorized'],
    ['wrong credentials', 401, { message: 'Unauthorized', error: 401 }, 'unauthorized'],
    ['no approval', 403, { message: 'Forbidden', error: 403 }, 'blocked'],
    ['a 200 that is a refusal', 200, { message: 'Too Many Requests', error: 429 }, 'rate_limited'],
    ['a 429 without a time', 429, { message: 'Too Many Requests', error: 429 }, 'rate_limited'],
    ['nothing in it', 200, {}, 'bad_response'],
    ['a token of another type', 200, { access_token: 7 }, 'bad_response'],
    ['a token that cannot stand in a header', 200, { access_token: 'a\nb' }, 'bad_response'],
  ] as const)('cannot be fetched: %s', async (_name, status, body, code) => {
    const { reddit, searches } = await setUp(respond, (response) => sendJson(response, body, status))
    const error = await platformError(fetchPage(reddit), code)
    expect(error.retryAt !== null).toBe(code === 'rate_limited')
    expect(error.message).not.toMatch(/hush|invalid_grant|dark/)
    expect(searches()).toEqual([])
  })

  it('is missing without the credentials of an application, which the message names', async () => {
    const clock = testClock()
    const options = { client: testClient(clock), clock, openBudget, baseUrl: 'https://a.example', clientId: 'app-1' }
    const reddit = createReddit({ ...options, tokenUrl: 'https://a.example/token' })
    const { message } = await platformError(fetchPage(reddit), 'not_configured')
    expect(message).toContain('REDDIT_CLIENT_ID and REDDIT_CLIENT_SECRET')
  })
})

describe('a post of Reddit', () => {
  const read = async (...posts: unknown[]) => {
    const { reddit } = await setUp((response) => sendJson(response, listing(posts)))
    return (await fetchPage(reddit)).requests
  }
  const post = {
    name: 't3_abc',
    id: 'abc',
    title: 'Dark <b>mode</b> & more &amp;',
    selftext: 'It would be **nice**.\n\n- a < b',
    selftext_html: '<!-- SC_OFF --><div class="md"></div>',
    score: -4,
    num_comments: 0,
    link_flair_text: 'Feature Request',
    subreddit: 'obsidian',
    author: 'zoe_9',
    permalink: '/r/obsidian/comments/abc/dark_mode/',
    url: 'https://elsewhere.example/',
    created: 1_700_028_800,
    created_utc: 1_700_000_000.5,
    removed_by_category: null,
  }

  it('is read field by field', async () => {
    expect(await read(post)).toEqual([
      {
        sourceId: 't3_abc',
        title: 'Dark <b>mode</b> & more &amp;',
        description: 'It would be nice.\n\n- a < b',
        votes: -4,
        tags: ['Feature Request', 'obsidian'],
        stars: null,
        commentCount: 0,
        sourceUrl: 'https://www.reddit.com/r/obsidian/comments/abc/dark_mode/',
        authorName: null,
        authorHandle: 'zoe_9',
        authorProfileUrl: 'https://www.reddit.com/user/zoe_9',
        license: null,
        originalCreatedAt: new Date(1_700_000_000_500),
        status: null,
        statusChangedAt: null,
        excerpt: false,
        sourceName: 'r/obsidian',
        refreshHandle: 't3_abc',
        ownSource: null,
      },
    ])
  })

  it('is unescaped once when the server ignores raw_json', async () => {
    const escaped = {
      ...post,
      title: 'A &amp;lt; B &gt; C',
      selftext: '&gt; quoted\n\nR&amp;D',
      selftext_html: '&lt;!-- SC_OFF --&gt;',
      link_flair_text: 'Q&amp;A',
    }
    expect(await read(escaped, { ...escaped, name: 't3_link', selftext_html: null })).toMatchObject([
      { title: 'A &lt; B > C', description: expect.stringMatching(/quoted\s+R&D/), tags: ['Q&A', 'obsidian'] },
      { title: 'A &lt; B > C' },
    ])
  })

  it('has an address without what followed the link, and lines that are joined as Reddit shows them', async () => {
    const permalink = '/r/obsidian/comments/abc/dark_mode/?ref=search_posts#top'
    const selftext = 'It would\nbe nice.\n\n- one\n- two\n\nhard  \nbreak\n\n    code\n    more'
    const [found] = await read({ ...post, permalink, selftext })
    expect(found!.sourceUrl).toBe('https://www.reddit.com/r/obsidian/comments/abc/dark_mode/')
    expect(found!.description).toMatch(/^It would be nice\.\n+ ?- one\n ?- two\n+hard\nbreak\n+code\nmore$/)
  })

  it('may have lost its author', async () => {
    const unknownAuthor = { authorHandle: null, authorProfileUrl: null }
    expect(await read({ ...post, author: '[deleted]' }, { ...post, author: null })).toMatchObject([
      unknownAuthor,
      unknownAuthor,
    ])
  })

  it.each([
    { selftext: '[removed]' },
    { selftext: '[deleted]' },
    { selftext: ' [ Removed by Reddit ] ' },
    { selftext: '[ Removed by Reddit on account of violating the [content policy](/help/contentpolicy). ]' },
    { selftext: '', title: '[deleted by user]' },
    { removed_by_category: 'moderator' },
  ])('that was removed or deleted is not stored, and counted: %j', async (fields) => {
    const { reddit } = await setUp((response) => sendJson(response, listing([{ ...post, ...fields }, post])))
    const { requests, discarded } = await fetchPage(reddit)
    expect([requests.length, discarded]).toEqual([1, { removed: 1 }])
  })

  it('that only mentions removing is stored', async () => {
    expect(await read({ ...post, title: '[Deleted scenes] in [4K]', selftext: 'Why [removed] posts?' })).toHaveLength(1)
  })

  it('may lack everything but its id and title', async () => {
    expect(await read({ id: 'q1', title: 'Tabs', permalink: 'javascript:alert(1)' })).toEqual([
      {
        sourceId: 't3_q1',
        title: 'Tabs',
        description: '',
        votes: 0,
        tags: [],
        stars: null,
        commentCount: null,
        sourceUrl: 'https://www.reddit.com/comments/q1',
        authorName: null,
        authorHandle: null,
        authorProfileUrl: null,
        license: null,
        originalCreatedAt: null,
        status: null,
        statusChangedAt: null,
        excerpt: false,
        sourceName: null,
        refreshHandle: 't3_q1',
        ownSource: null,
      },
    ])
    expect(await read({ id: 'q1', title: ' ', selftext: '' })).toEqual([])
  })

  it('is left out when it is a community, a comment or without an id', async () => {
    const { reddit } = await setUp((response) => {
      const children = [
        null,
        7,
        { kind: 't3' },
        { kind: 't5', data: { name: 't5_x' } },
        { kind: 't1', data: { name: 't3_x' } },
        { kind: 'more', data: { count: 3 } },
        { kind: 't3', data: { ...post, score: '9', num_comments: {}, subreddit: 5, created_utc: 'x', selftext: [] } },
      ]
      sendJson(response, { kind: 'Listing', data: { children } })
    })
    expect((await fetchPage(reddit)).requests).toMatchObject([
      { votes: 0, stars: null, commentCount: null, description: '' },
    ])
  })
})

describe('the limits of Reddit', () => {
  it('are read as a float and as the remaining seconds', async () => {
    const { reddit, clock, searches } = await setUp((response) =>
      sendJson(response, listing([]), 200, { 'x-ratelimit-remaining': '1.0', 'x-ratelimit-reset': '42' }),
    )
    await fetchPage(reddit)
    clock.advance(1_000)
    await fetchPage(reddit)
    const told = await setUp((response) =>
      sendJson(response, listing([]), 200, { 'x-ratelimit-remaining': '0.9', 'x-ratelimit-reset': '42' }),
    )
    await fetchPage(told.reddit)
    const { retryAt } = await platformError(fetchPage(told.reddit), 'rate_limited')
    expect(retryAt).toEqual(new Date(told.clock.now().getTime() + 42_000))
    expect([searches().length, told.searches().length]).toEqual([2, 1])
  })

  it('are 1,000 requests in ten minutes before its first answer', async () => {
    const { reddit, searches, clock } = await setUp((response) => sendJson(response, listing([])))
    for (let count = 0; count < 1_000; count++) await fetchPage(reddit)
    const { retryAt } = await platformError(fetchPage(reddit), 'rate_limited')
    expect(retryAt).toEqual(new Date(clock.now().getTime() + 600_000))
    expect(searches()).toHaveLength(1_000)
  })

  it.each([
    ['a 429 in JSON that names no time', {}, 60],
    ['a 429 with the seconds that the window lasts', { 'x-ratelimit-remaining': '0.0', 'x-ratelimit-reset': '7.2' }, 8],
    ['a 429 with a time', { 'retry-after': '30' }, 30],
  ])('delay all tasks after %s', async (_name, headers, seconds) => {
    const { reddit, searches, clock } = await setUp((response) =>
      sendJson(response, { message: 'Too Many Requests', error: 429 }, 429, headers),
    )
    const retryAt = new Date(clock.now().getTime() + seconds * 1000)
    expect((await platformError(fetchPage(reddit), 'rate_limited')).retryAt).toEqual(retryAt)
    expect((await platformError(fetchPage(reddit, 'tabs'), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(searches()).toHaveLength(1)
  })
})

describe('an error of Reddit', () => {
  const html: Handler = (response) => response.writeHead(403, { 'content-type': 'text/html' }).end('<h1>whoa</h1>')
  const html429: Handler = (response) => response.writeHead(429, { 'retry-after': '9' }).end('<h1>whoa</h1>')

  it.each<[string, Handler, PlatformErrorCode]>([
    ['a 403 in HTML', html, 'blocked'],
    ['a 403', (response) => sendJson(response, { error: 403 }, 403), 'blocked'],
    ['a 403 with a reason', (response) => sendJson(response, { reason: 'private', error: 403 }, 403), 'blocked'],
    ['a 404 with a reason', (response) => sendJson(response, { reason: 'banned', error: 404 }, 404), 'blocked'],
    ['a 404', (response) => sendJson(response, { message: 'Not Found', error: 404 }, 404), 'bad_response'],
    [
      'a 404 of a page that does not exist',
      (response) => sendJson(response, { reason: 'PAGE_NOT_CREATED', message: 'Not Found', error: 404 }, 404),
      'bad_response',
    ],
    ['a 200 that is a 403', (response) => sendJson(response, { message: 'Forbidden', error: 403 }), 'blocked'],
    ['a 200 that is a 500', (response) => sendJson(response, { message: 'dark', error: 500 }), 'unavailable'],
    ['a 429 in HTML', html429, 'rate_limited'],
    ['a 503', (response) => response.writeHead(503).end('<h1>CDN</h1>'), 'unavailable'],
    ['a 200 in HTML', (response) => response.end('<h1>dark</h1>'), 'bad_response'],
    ['a body without a list', (response) => sendJson(response, { kind: 'Listing', data: {} }), 'bad_response'],
    ['a body that is null', (response) => sendJson(response, null), 'bad_response'],
  ])('is recognised: %s', async (_name, handler, code) => {
    const { reddit } = await setUp(handler)
    const error = await platformError(fetchPage(reddit), code)
    expect(error.message).not.toMatch(/dark|t1|whoa/)
    expect(error.retryAt !== null).toBe(code === 'rate_limited' || code === 'unavailable')
  })
})
