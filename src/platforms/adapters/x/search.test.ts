import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
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
import { createX, xQuery } from './search.ts'

const wishes = '("feature request" OR "I wish" OR "would be nice if" OR "please add") -is:retweet'

async function setUp(handler: Handler, bearerToken: string | undefined = 'b1') {
  const server = await startServer(handler)
  const clock = testClock()
  const x = createX({ client: testClient(clock), clock, openBudget, baseUrl: `${server.baseUrl}/2`, bearerToken })
  return { ...server, clock, x }
}

const answer = (posts: unknown[], users: unknown[] = [], nextToken?: string) => ({
  data: posts,
  includes: { users },
  meta: { result_count: posts.length, next_token: nextToken },
})
const nothing = { meta: { result_count: 0 } }

describe('the search on X', () => {
  it('queries posts of the last days with every word and a phrase, with all fields', async () => {
    const { x, received } = await setUp((response) => sendJson(response, nothing))
    expect(await fetchPage(x, 'dark mode')).toEqual({ requests: [], discarded: {}, nextCursor: null })
    expect(received[0]).toMatchObject({ path: '/2/tweets/search/recent', headers: { authorization: 'Bearer b1' } })
    expect(received[0]!.query).toEqual({
      query: `"dark" "mode" ${wishes}`,
      max_results: '100',
      'tweet.fields': 'author_id,created_at,entities,note_tweet,public_metrics,referenced_tweets,withheld',
      expansions: 'author_id',
      'user.fields': 'name,username,protected,withheld',
    })
  })

  it('pages by token until there is none', async () => {
    const { x, received } = await setUp((response, { query }) => {
      const next = { undefined: 'one', one: 'two' }[String(query.next_token)]
      sendJson(response, answer([{ id: '1' }], [], next))
    })
    let cursor: Json = null
    do cursor = (await fetchPage(x, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received.map(({ query }) => query.next_token)).toEqual([undefined, 'one', 'two'])
  })

  it('ends where the same token comes again, since every post is billed', async () => {
    const { x } = await setUp((response) => sendJson(response, answer([{ id: '1' }], [], 'same')))
    expect((await fetchPage(x, 'tabs', { token: 'same' })).nextCursor).toBeNull()
  })

  it('goes on after a page from which X has filtered every post', async () => {
    const { x } = await setUp((response) => sendJson(response, { meta: { result_count: 0, next_token: 'more' } }))
    expect(await fetchPage(x)).toEqual({ requests: [], discarded: {}, nextCursor: { token: 'more' } })
  })

  it('sends no request when the topic has no words', async () => {
    const { x, received } = await setUp((response) => sendJson(response, nothing))
    expect(await fetchPageOrNull(x, { topic: '" -: ()' })).toBeNull()
    expect(received).toEqual([])
  })

  it('never reads a topic as operators', () => {
    expect(xQuery('from:me OR #a and $b @c "x" (-is:reply)')).toBe(
      `"from" "me" "or" "#a" "and" "$b" "@c" "x" "is" "reply" ${wishes}`,
    )
  })

  it('leaves out words, never parts of them, beyond 512 characters', () => {
    const query = xQuery(Array.from({ length: 60 }, (_, index) => `word${index + 10}`).join(' '))!
    expect(query.length).toBeLessThanOrEqual(512)
    expect(query.length).toBeGreaterThan(490)
    expect(query).toMatch(/^("word\d\d" )+\("feature request"/)
    const emoji = xQuery('🎉 '.repeat(200))!
    expect(emoji.isWellFormed()).toBe(true)
    expect(emoji.length).toBeLessThanOrEqual(512)
  })

  it('needs a token, which the message names', async () => {
    const clock = testClock()
    const x = createX({ client: testClient(clock), clock, openBudget, baseUrl: 'https://x.example/2' })
    expect((await platformError(fetchPage(x), 'not_configured')).message).toContain('X_BEARER_TOKEN')
  })
})

describe('a post of X', () => {
  const read = async (posts: unknown[], users: unknown[] = [{ id: '9', name: 'Zoë', username: 'zoe_9' }]) => {
    const { x } = await setUp((response) => sendJson(response, answer(posts, users)))
    return (await fetchPage(x)).requests
  }
  const post = {
    id: '1440716895355764743',
    text: 'Please add dark mode. R&amp;D needs it &lt;3 &amp;lt;\n#Wish #wish2',
    author_id: '9',
    created_at: '2026-11-18T10:30:00.000Z',
    public_metrics: { retweet_count: 5, reply_count: 2, like_count: 42, quote_count: 1 },
    entities: { hashtags: [{ start: 1, end: 2, tag: 'Wish' }, { tag: 'wish2' }, { tag: 7 }, null] },
    edit_history_tweet_ids: ['1440716895355764743'],
  }

  it('is read field by field, with a title from its text', async () => {
    expect(await read([post])).toEqual([
      {
        sourceId: '1440716895355764743',
        title: 'Please add dark mode.',
        description: 'Please add dark mode. R&D needs it <3 &lt;\n#Wish #wish2',
        votes: 42,
        tags: ['Wish', 'wish2'],
        stars: null,
        commentCount: 2,
        sourceUrl: 'https://x.com/zoe_9/status/1440716895355764743',
        authorName: 'Zoë',
        authorHandle: 'zoe_9',
        authorProfileUrl: 'https://x.com/zoe_9',
        license: null,
        originalCreatedAt: new Date('2026-11-18T10:30:00Z'),
        ...unsaidFields,
      },
    ])
  })

  it('has the whole of a long text, with its hashtags', async () => {
    const note = { text: 'A long text &amp; more #Late', entities: { hashtags: [{ tag: 'Late' }] } }
    expect(
      await read([
        { ...post, note_tweet: note },
        { ...post, note_tweet: { text: '' } },
      ]),
    ).toMatchObject([
      { description: 'A long text & more #Late', tags: ['Wish', 'wish2', 'Late'] },
      { description: expect.stringMatching(/^Please add dark mode/) },
    ])
  })

  it('has no short link in its title, and the real address in its text', async () => {
    const entities = {
      urls: [
        { url: 'https://t.co/abc1', expanded_url: 'https://a.example/tabs', display_url: 'a.example/tabs' },
        { url: 'https://t.co/pic2', expanded_url: 'https://twitter.com/zoe/status/1/photo/1' },
        null,
        { url: 'https://t.co/odd3', expanded_url: 'javascript:alert(1)' },
      ],
    }
    const texts = [
      'I wish https://t.co/abc1 had tabs https://t.co/pic2',
      'https://t.co/abc1 Please add tabs. https://t.co/odd3',
      'https://t.co/abc1',
      'https://t.co/odd3 https://t.co/pic2',
    ]
    const posts = texts.map((text, index) => ({ ...post, id: `${index + 1}`, text, entities }))
    expect((await read(posts)).map(({ title, description }) => [title, description])).toEqual([
      ['I wish had tabs', 'I wish https://a.example/tabs had tabs'],
      ['Please add tabs.', 'https://a.example/tabs Please add tabs. https://t.co/odd3'],
      ['https://a.example/tabs', 'https://a.example/tabs'],
    ])
  })

  it('that is withheld, or of a protected or withheld account, is left out and counted', async () => {
    const users = [
      { id: '9', username: 'a' },
      { id: '8', username: 'b', protected: true },
      { id: '7', username: 'c', withheld: { country_codes: ['DE'] } },
    ]
    const posts = [
      post,
      { ...post, withheld: { copyright: false, country_codes: ['DE', 'FR'] } },
      { ...post, author_id: '8' },
      { ...post, author_id: '7' },
      { ...post, text: '' },
    ]
    const { x } = await setUp((response) => sendJson(response, answer(posts, users)))
    const { requests, discarded } = await fetchPage(x)
    expect(requests).toHaveLength(1)
    expect(discarded).toEqual({ removed: 2, notPublic: 1, noText: 1 })
  })

  it('of a user who is suspended or has no handle has an address that works', async () => {
    const unknownAuthor = { authorName: null, authorHandle: null, authorProfileUrl: null }
    const sourceUrl = 'https://x.com/i/status/1440716895355764743'
    expect(await read([post], [])).toMatchObject([{ ...unknownAuthor, sourceUrl }])
    expect(await read([{ ...post, author_id: null }])).toMatchObject([{ ...unknownAuthor, sourceUrl }])
    expect(await read([post], [{ id: '9', name: 'Zoë' }])).toMatchObject([
      { ...unknownAuthor, authorName: 'Zoë', sourceUrl },
    ])
    expect(await read([post], [{ id: '9', username: '../a b' }])).toMatchObject([
      { authorProfileUrl: 'https://x.com/..%2Fa%20b' },
    ])
  })

  it('that is a retweet is not stored, by its references or its text', async () => {
    const retweet = { ...post, referenced_tweets: [null, { type: 'retweeted', id: '1' }] }
    const quote = {
      ...post,
      referenced_tweets: [
        { type: 'quoted', id: '1' },
        { type: 'replied_to', id: '2' },
      ],
    }
    expect(await read([retweet, { ...post, text: 'RT @zoe_9: dark mode' }, quote])).toHaveLength(1)
  })

  it('may lack everything but its id and text', async () => {
    const bare = {
      sourceId: '5',
      title: 'Tabs',
      description: 'Tabs',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
    }
    expect(
      await read([
        { id: '5', text: 'Tabs' },
        { id: '5', text: 'Tabs', entities: [], public_metrics: { like_count: 'x' } },
        { id: '5', text: 7 },
      ]),
    ).toMatchObject([{ ...bare, originalCreatedAt: null }, bare])
    expect(
      await read([null, 7, {}, { id: null }, { id: '5' }, { id: '5', text: 'Tabs' }], [null, {}, { id: {} }]),
    ).toHaveLength(1)
  })

  it('is read although other things in the answer are errors', async () => {
    const errors = [{ title: 'Forbidden', detail: 'User has been suspended: [9].', resource_type: 'user' }]
    const { x } = await setUp((response) => sendJson(response, { ...answer([post]), errors, includes: null }))
    expect((await fetchPage(x)).requests).toHaveLength(1)
  })
})

describe('the limits of X', () => {
  it('are read in seconds since 1970', async () => {
    const { x, clock, received } = await setUp((response) => {
      const reset = String(clock.now().getTime() / 1000 + 500)
      sendJson(response, nothing, 200, { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset })
    })
    await fetchPage(x)
    const { retryAt } = await platformError(fetchPage(x), 'rate_limited')
    expect(retryAt).toEqual(new Date(clock.now().getTime() + 500_000))
    clock.advance(500_000)
    await fetchPage(x)
    expect(received).toHaveLength(2)
  })

  it('are 450 requests in 15 minutes before its first answer', async () => {
    const { x, clock, received } = await setUp((response) => sendJson(response, nothing))
    for (let count = 0; count < 450; count++) await fetchPage(x)
    const { retryAt } = await platformError(fetchPage(x), 'rate_limited')
    expect(retryAt).toEqual(new Date(clock.now().getTime() + 900_000))
    expect(received).toHaveLength(450)
  })

  it.each([
    ['when the window ends', 321, 321],
    ['nothing', null, 60],
    ['a moment in the past', -5, 60],
  ])('delay all tasks after a 429 that names %s', async (_name, resetSeconds, seconds) => {
    const { x, clock, received } = await setUp((response) => {
      const reset = String(clock.now().getTime() / 1000 + (resetSeconds ?? 0))
      const headers = resetSeconds === null ? {} : { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': reset }
      sendJson(response, { title: 'Too Many Requests', type: 'about:blank', status: 429 }, 429, headers)
    })
    const retryAt = new Date(clock.now().getTime() + seconds * 1000)
    expect((await platformError(fetchPage(x), 'rate_limited')).retryAt).toEqual(retryAt)
    expect((await platformError(fetchPage(x, 'tabs'), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(received).toHaveLength(1)
  })
})

describe('an error of X', () => {
  const problem = (status: number, type: string, title = 'secret dark') =>
    [status, { title, type, detail: 'b1' }] as const
  const capped = 'https://api.twitter.com/2/problems/usage-capped'

  it.each<[number, unknown, PlatformErrorCode, RegExp]>([
    [...problem(429, capped, 'UsageCapExceeded'), 'quota_exhausted', /console\.x\.com/],
    [...problem(403, 'https://api.x.com/2/problems/usage-capped'), 'quota_exhausted', /console\.x\.com/],
    [...problem(402, 'https://api.x.com/2/problems/credits', 'CreditsDepleted'), 'quota_exhausted', /credits/],
    [...problem(403, 'https://api.x.com/2/problems/credits-depleted'), 'quota_exhausted', /credits/],
    [402, null, 'quota_exhausted', /credits/],
    [...problem(403, 'about:blank', 'SpendCapReached'), 'quota_exhausted', /spending limit/],
    [
      403,
      { title: 'Forbidden', detail: 'Your account has hit its spending limit.' },
      'quota_exhausted',
      /spending limit/,
    ],
    [400, { title: 'Invalid Request', detail: 'the query "credits" is wrong' }, 'bad_response', /query/],
    [...problem(401, 'about:blank', 'Unauthorized'), 'unauthorized', /X_BEARER_TOKEN/],
    [...problem(403, 'https://api.x.com/2/problems/client-forbidden'), 'unauthorized', /X_BEARER_TOKEN/],
    [...problem(400, 'https://api.x.com/2/problems/invalid-request'), 'bad_response', /query/],
    [...problem(404, 'about:blank'), 'bad_response', /address/],
    [...problem(503, 'about:blank', 'Service Unavailable'), 'unavailable', /503/],
    [200, {}, 'bad_response', /list/],
    [200, null, 'bad_response', /list/],
    [200, { data: {}, meta: { result_count: 0 } }, 'bad_response', /list/],
    [200, { meta: { result_count: 3 } }, 'bad_response', /list/],
    [200, { errors: [{ title: 'Not Found Error' }] }, 'bad_response', /list/],
  ])('%i %j is %s', async (status, body, code, message) => {
    const { x, received } = await setUp((response) => sendJson(response, body, status))
    const error = await platformError(fetchPage(x), code)
    expect(error.message).toMatch(message)
    expect(error.message).not.toMatch(/b1|dark/)
    expect(error.retryAt !== null).toBe(code === 'unavailable')
    expect(received).toHaveLength(code === 'unavailable' ? 3 : 1)
  })

  it.each([
    [403, 'blocked'],
    [200, 'bad_response'],
  ] as const)('in HTML with status %i is %s', async (status, code) => {
    const { x } = await setUp((response) =>
      response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>No</h1>'),
    )
    await platformError(fetchPage(x), code)
  })
})
