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
import { createStackexchange } from './search.ts'

async function setUp(handler: Handler, { key, sites = ['meta'] }: { key?: string; sites?: string[] } = {}) {
  const server = await startServer(handler)
  const clock = testClock()
  const baseUrl = `${server.baseUrl}/2.3`
  const stackexchange = createStackexchange({ client: testClient(clock), clock, openBudget, baseUrl, key, sites })
  return { ...server, clock, stackexchange }
}
const wrap = (items: unknown[], more: object = {}) => ({
  items,
  has_more: false,
  quota_max: 300,
  quota_remaining: 250,
  ...more,
})

it('a handle of Stack Exchange that cannot be parsed is unreadable, without a request', async () => {
  const { stackexchange, received } = await setUp((response) => sendJson(response, wrap([])))
  const results = await stackexchange.refresh!.read(['no handle at all'], new AbortController().signal)
  expect(results).toEqual([{ handle: 'no handle at all', state: 'unreadable' }])
  expect(received).toEqual([])
})

describe('the search on Stack Exchange', () => {
  it('queries feature requests on meta sites, and all questions elsewhere', async () => {
    const sites = ['meta', 'meta.stackoverflow', 'softwarerecs.meta', 'softwarerecs']
    const { stackexchange, received } = await setUp((response) => sendJson(response, wrap([])), { sites, key: 'k1' })
    let cursor: Json = null
    do cursor = (await fetchPage(stackexchange, 'dark [mode] user:1', cursor)).nextCursor
    while (cursor !== null)
    const common = {
      q: 'dark mode user 1',
      filter: 'withbody',
      sort: 'relevance',
      order: 'desc',
      pagesize: '100',
      page: '1',
      key: 'k1',
    }
    expect(received[0]!.path).toBe('/2.3/search/advanced')
    expect(received.map(({ query }) => query)).toEqual([
      { ...common, site: 'meta', tagged: 'feature-request' },
      { ...common, site: 'meta.stackoverflow', tagged: 'feature-request' },
      { ...common, site: 'softwarerecs.meta', tagged: 'feature-request' },
      { ...common, site: 'softwarerecs' },
    ])
  })

  it('queries the sites round-robin while they have more', async () => {
    const { stackexchange, received } = await setUp(
      (response, { query }) => sendJson(response, wrap([{}], { has_more: query.site === 'b' && query.page === '1' })),
      { sites: ['a', 'b'] },
    )
    let cursor: Json = null
    do cursor = (await fetchPage(stackexchange, 'tabs', cursor)).nextCursor
    while (cursor !== null)
    expect(received.map(({ query }) => `${query.site} ${query.page} ${query.key}`)).toEqual([
      'a 1 undefined',
      'b 1 undefined',
      'b 2 undefined',
    ])
  })

  it('ends at page 25 without a key', async () => {
    for (const [key, expected] of [
      [undefined, null],
      ['k1', { turn: 0, next: { meta: { page: 26 } }, ended: [] }],
    ] as const) {
      const { stackexchange, received } = await setUp(
        (response) => sendJson(response, wrap([{}], { has_more: true })),
        key ? { key } : {},
      )
      const { nextCursor } = await fetchPage(stackexchange, 'tabs', {
        turn: 0,
        next: { meta: { page: 25 } },
        ended: [],
      })
      expect(received[0]!.query.page).toBe('25')
      expect(nextCursor).toEqual(expected)
    }
  })

  it('sends no request when the topic has no words or no site is configured', async () => {
    const { stackexchange, received } = await setUp((response) => sendJson(response, wrap([])))
    expect(await fetchPageOrNull(stackexchange, { topic: '[]' })).toBeNull()
    const none = await setUp((response) => sendJson(response, wrap([])), { sites: [] })
    expect(await fetchPageOrNull(none.stackexchange, { topic: 'tabs' })).toBeNull()
    expect([...received, ...none.received]).toEqual([])
  })
})

describe('a question of Stack Exchange', () => {
  const read = async (site: string, ...items: unknown[]) => {
    const { stackexchange } = await setUp((response) => sendJson(response, wrap(items)), { sites: [site] })
    return (await fetchPage(stackexchange)).requests
  }
  const question = {
    question_id: 55,
    title: 'Allow &lt;kbd&gt; in &quot;comments&quot; &amp; titles',
    body: '<p>It&#39;s <strong>needed</strong>.</p>\n\n<pre><code>a &lt; b</code></pre>',
    score: -2,
    tags: ['feature-request', 'kbd'],
    answer_count: 3,
    link: 'https://meta.stackexchange.com/questions/55/allow',
    owner: { user_id: 9, display_name: 'Zo&#235; &amp; Co', link: 'https://meta.stackexchange.com/users/9/zoe' },
    creation_date: 1_300_000_000,
    closed_date: 1_400_000_000,
    closed_reason: 'Duplicate',
    content_license: 'CC BY-SA 4.0',
  }

  it('is read field by field', async () => {
    expect(await read('meta', question)).toEqual([
      {
        sourceId: 'meta:55',
        title: 'Allow <kbd> in "comments" & titles',
        description: "It's needed.\n\na < b",
        votes: -2,
        tags: ['feature-request', 'kbd'],
        stars: null,
        commentCount: 3,
        sourceUrl: 'https://meta.stackexchange.com/questions/55/allow',
        authorName: 'Zoë & Co',
        authorHandle: '9',
        authorProfileUrl: 'https://meta.stackexchange.com/users/9/zoe',
        license: 'CC BY-SA 4.0',
        originalCreatedAt: new Date(1_300_000_000_000),
        status: 'duplicate',
        statusChangedAt: new Date(1_400_000_000_000),
        excerpt: false,
        sourceName: 'meta',
        refreshHandle: 'meta:55',
        ownSource: null,
      },
    ])
  })

  it('has the number of comments if it is given, also zero', async () => {
    expect(await read('meta', { ...question, comment_count: 0 })).toMatchObject([{ stars: null, commentCount: 0 }])
  })

  it('may belong to a deleted user', async () => {
    const owner = { user_type: 'does_not_exist', display_name: 'user7' }
    const expected = { authorHandle: null, authorProfileUrl: null }
    expect(await read('meta', { ...question, owner }, { ...question, owner: null })).toMatchObject([
      { ...expected, authorName: 'user7' },
      { ...expected, authorName: null },
    ])
  })

  it('may lack everything but its id and title', async () => {
    expect(await read('meta.stackoverflow', { question_id: 1, title: 'Tabs' }, { question_id: 2 })).toMatchObject([
      {
        sourceId: 'meta.stackoverflow:1',
        title: 'Tabs',
        description: '',
        votes: 0,
        tags: [],
        stars: null,
        commentCount: null,
        license: null,
      },
    ])
  })

  it('has the address of its site when it brings none that can be shown', async () => {
    const hosts = {
      meta: 'meta.stackexchange.com',
      'meta.stackoverflow': 'meta.stackoverflow.com',
      'mathoverflow.net': 'mathoverflow.net',
    }
    for (const [site, host] of Object.entries(hosts)) {
      expect(await read(site, { ...question, link: 'page' })).toMatchObject([{ sourceUrl: `https://${host}/q/55` }])
    }
  })

  it('without an id is left out', async () => {
    expect(await read('meta', {}, null, { ...question, question_id: null }, question)).toHaveLength(1)
  })
})

describe('the limits of Stack Exchange', () => {
  it('have the cooldown that a body demands', async () => {
    const { stackexchange, received, clock } = await setUp((response) => sendJson(response, wrap([], { backoff: 10 })))
    await fetchPage(stackexchange)
    const error = await platformError(fetchPage(stackexchange), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 10_000))
    clock.advance(10_000)
    await fetchPage(stackexchange)
    expect(received).toHaveLength(2)
  })

  it('are used up when a body says so, and probed after an hour', async () => {
    const { stackexchange, received, clock } = await setUp((response) =>
      sendJson(response, wrap([], { quota_remaining: 0 })),
    )
    await fetchPage(stackexchange)
    expect((await platformError(fetchPage(stackexchange), 'quota_exhausted')).retryAt).toBeNull()
    clock.advance(60 * 60_000)
    await fetchPage(stackexchange)
    await platformError(fetchPage(stackexchange), 'quota_exhausted')
    expect(received).toHaveLength(2)
  })

  it('are 300 requests a day without a key, before its first answer', async () => {
    const { stackexchange, clock, received } = await setUp((response) => sendJson(response, { items: [] }))
    for (let count = 0; count < 300; count++) {
      await fetchPage(stackexchange)
      clock.advance(1_000)
    }
    await platformError(fetchPage(stackexchange), 'quota_exhausted')
    expect(received).toHaveLength(300)
  })

  it('stay well under 30 requests a second', async () => {
    const { stackexchange, received } = await setUp((response) => sendJson(response, { items: [] }), { key: 'k1' })
    const pages = await Promise.allSettled(Array.from({ length: 40 }, () => fetchPage(stackexchange)))
    expect(pages.filter(({ status }) => status === 'fulfilled').length).toBe(received.length)
    expect(received.length).toBeLessThanOrEqual(15)
  })
})

describe('an error of Stack Exchange', () => {
  it('distinguishes an unknown key from an unknown site by its text, because both are bad parameters', async () => {
    const body = {
      error_id: 400,
      error_name: 'bad_parameter',
      error_message: "`key` doesn't match a known application",
    }
    const { stackexchange } = await setUp((response) => sendJson(response, body, 400), { key: 'k1' })
    expect((await platformError(fetchPage(stackexchange), 'unauthorized')).message).toContain('STACKEXCHANGE_API_KEY')
  })

  it.each([
    [400, 'bad_response'],
    [401, 'unauthorized'],
    [402, 'unauthorized'],
    [403, 'unauthorized'],
    [404, 'bad_response'],
    [405, 'unauthorized'],
    [406, 'unauthorized'],
    [500, 'unavailable'],
    [503, 'unavailable'],
    [999, 'bad_response'],
    ['x', 'bad_response'],
  ] as const)('with number %s is %s, although its status is 400', async (errorId, code) => {
    const body = { error_id: errorId, error_name: 'x', error_message: 'secret k1' }
    const { stackexchange, received } = await setUp((response) => sendJson(response, body, 400), { key: 'k1' })
    expect((await platformError(fetchPage(stackexchange), code)).message).not.toMatch(/k1|dark/)
    expect(received).toHaveLength(code === 'unavailable' ? 3 : 1)
  })

  it.each([
    ['too many requests from this IP, more requests available in 321 seconds', 321],
    ['too many requests', 60],
    ['more requests available in 99999999 seconds', 86_400],
  ])('about too many requests delays all tasks: %s', async (message, seconds) => {
    const body = { error_id: 502, error_name: 'throttle_violation', error_message: message }
    const { stackexchange, received, clock } = await setUp((response) => sendJson(response, body, 400))
    const retryAt = new Date(clock.now().getTime() + seconds * 1000)
    expect((await platformError(fetchPage(stackexchange), 'rate_limited')).retryAt).toEqual(retryAt)
    expect((await platformError(fetchPage(stackexchange), 'rate_limited')).retryAt).toEqual(retryAt)
    expect(received).toHaveLength(1)
  })

  it('is a body without a list of items', async () => {
    for (const body of [{}, [], { items: 'x' }, null]) {
      const { stackexchange } = await setUp((response) => sendJson(response, body))
      await platformError(fetchPage(stackexchange), 'bad_response')
    }
  })
})
