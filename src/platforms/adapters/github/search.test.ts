import { describe, expect, it } from 'vitest'
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
import { githubQuery, githubQueryTogether } from './query.ts'
import { createGithub } from './search.ts'

const fullIssue = {
  id: 4101,
  node_id: 'I_kw1',
  number: 7,
  repository_url: 'https://api.github.com/repos/acme/app',
  state: 'closed',
  state_reason: 'completed',
  closed_at: '2025-03-04T05:06:07Z',
  html_url: 'https://github.com/acme/app/issues/7',
  title: 'Dark mode',
  body: '## Why\nMy *eyes*.',
  user: { login: 'ada', html_url: 'https://github.com/ada' },
  labels: [{ name: 'enhancement' }, { name: null }, 'ui', { color: 'red' }, { name: 'ui' }],
  reactions: { total_count: 9, '+1': 5, '-1': 4 },
  comments: 3,
  created_at: '2025-02-03T04:05:06Z',
}
const issuesBody = (...items: unknown[]) => ({ total_count: items.length, incomplete_results: false, items })

async function setUp(handler: Handler, token?: string) {
  const server = await startServer(handler)
  const clock = testClock()
  const github = createGithub({
    client: testClient(clock),
    clock,
    openBudget,
    baseUrl: `${server.baseUrl}/api/v3`,
    token,
  })
  return { ...server, clock, github }
}
const epochSeconds = (date: Date, plus: number) => String(date.getTime() / 1000 + plus)

describe('the search on GitHub', () => {
  it('queries open and closed issues with a label or the type of wishes, 100 a page', async () => {
    const { github, received } = await setUp((response) => sendJson(response, issuesBody()), 'ghp_x')
    await fetchPage(github, 'dark mode')
    expect(received).toMatchObject([
      {
        path: '/api/v3/search/issues',
        headers: {
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          authorization: 'Bearer ghp_x',
        },
      },
    ])
    expect(received[0]!.query).toEqual({
      q: githubQuery('dark mode'),
      advanced_search: 'true',
      per_page: '100',
      page: '1',
    })
    expect(githubQuery('dark mode')).toBe(
      '"dark" "mode" is:issue is:public archived:false (label:enhancement,feature,"feature request",feature-request,' +
        '"type: feature",kind/feature,suggestion OR type:Feature)',
    )
  })

  it('queries the topics of live calls together, and one by one when that is refused', async () => {
    const gate = Promise.withResolvers<void>()
    let refuses = false
    const { github, received } = await setUp(async (response) => {
      if (received.length === 1) await gate.promise
      if (refuses && received.at(-1)!.query.advanced_search) return sendJson(response, {}, 422)
      sendJson(response, issuesBody(fullIssue, { ...fullIssue, id: 2, title: 'CSV export' }))
    })
    const fetchAll = () =>
      Promise.all(
        ['theme', 'dark mode', 'csv export'].map((topic) => fetchPageOrNull(github, { topic, mayShare: true })),
      )
    const pages = fetchAll()
    gate.resolve()
    expect((await pages).map((page) => page?.requests.map(({ title }) => title))).toEqual([
      ...[['Dark mode', 'CSV export'], ['Dark mode'], ['CSV export']],
    ])
    expect(received.map(({ query }) => [query.q, query.advanced_search])).toEqual([
      [githubQuery('theme'), 'true'],
      [githubQueryTogether(['dark mode', 'csv export']), 'true'],
    ])
    expect(githubQueryTogether(['dark mode', 'a) OR b'])).toMatch(
      /^\(\("dark" "mode"\) OR \("a" "or" "b"\)\) is:issue /,
    )
    refuses = true
    expect((await fetchAll()).map((page) => page?.requests.length)).toEqual([2, 2, 2])
    expect(received).toHaveLength(2 + 4)
  })

  it('has only labels for the rest of the process where a server refuses an advanced search', async () => {
    const { github, received } = await setUp((response, { query }) =>
      query.advanced_search ? sendJson(response, {}, 422) : sendJson(response, issuesBody(fullIssue)),
    )
    for (let page = 0; page < 2; page++) expect((await fetchPage(github)).requests).toHaveLength(1)
    expect(received.map(({ query }) => query.advanced_search)).toEqual(['true', undefined, undefined])
    for (const { query } of received.slice(1)) expect(query.q).not.toMatch(/ OR |[()]|type:Feature/)
  })

  it('sends no credentials when there are none', async () => {
    const { github, received } = await setUp((response) => sendJson(response, issuesBody()))
    await fetchPage(github)
    expect(received[0]!.headers).not.toHaveProperty('authorization')
  })

  it('quotes every word, so that none is an operator', () => {
    const query = githubQuery('dark OR "repo:a/b" -label:x')
    expect(query).toMatch(
      /^"dark" "or" "repo" "a\/b" "label" "x" is:issue is:public archived:false \(label:enhancement,/,
    )
    expect(query!.match(/"/g)!.length % 2).toBe(0)
  })

  it('leaves out words that would make the query too long', () => {
    const query = githubQuery('ab '.repeat(33))!
    expect(query.length).toBeLessThanOrEqual(256)
    expect(query).toMatch(/^"ab" "ab" .*kind\/feature/)
  })

  it('sends no request when the topic has no words', async () => {
    const { github, received } = await setUp((response) => sendJson(response, issuesBody()))
    expect(await fetchPageOrNull(github, { topic: '"?"' })).toBeNull()
    expect(received).toEqual([])
  })
})

describe('an issue of GitHub', () => {
  const read = async (...items: unknown[]) => {
    const { github } = await setUp((response) => sendJson(response, issuesBody(...items)))
    return (await fetchPage(github)).requests
  }

  it('is read field by field', async () => {
    expect(await read(fullIssue)).toEqual([
      {
        sourceId: '4101',
        title: 'Dark mode',
        description: 'Why\n\nMy eyes.',
        votes: 5,
        tags: ['enhancement', 'ui'],
        stars: null,
        commentCount: 3,
        sourceUrl: 'https://github.com/acme/app/issues/7',
        authorName: null,
        authorHandle: 'ada',
        authorProfileUrl: 'https://github.com/ada',
        license: null,
        originalCreatedAt: new Date('2025-02-03T04:05:06Z'),
        status: 'completed',
        statusChangedAt: new Date('2025-03-04T05:06:07Z'),
        excerpt: false,
        sourceName: 'acme/app',
        refreshHandle: 'I_kw1 4101 acme/app#7',
        ownSource: null,
      },
    ])
  })

  it('may lack everything but its id, address and title', async () => {
    const bare = { id: 1, html_url: 'https://github.com/a/b/issues/1', title: 'Tabs' }
    const nulls = {
      ...bare,
      id: 2,
      body: null,
      user: null,
      labels: null,
      reactions: null,
      created_at: null,
    }
    const expected = {
      title: 'Tabs',
      description: '',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
      authorHandle: null,
      authorProfileUrl: null,
      originalCreatedAt: null,
    }
    expect(await read(bare, nulls)).toMatchObject([expected, expected])
    for (const title of [' ', null, 3, {}]) {
      expect(await read({ ...bare, title, body: 'Add tabs. Please.' })).toMatchObject([{ title: 'Add tabs.' }])
      expect(await read({ ...bare, title, body: ' ' })).toEqual([])
    }
  })

  it('is left out when it is malformed or a pull request, and the other items of the page stay', async () => {
    const pullRequest = { ...fullIssue, id: 2, pull_request: { url: 'https://api.github.com/x', merged_at: null } }
    const oldIssue = { ...fullIssue, id: 3, pull_request: { html_url: null, diff_url: null, patch_url: null } }
    const malformed = [null, 'x', [], { ...fullIssue, id: null }, { ...fullIssue, html_url: 'javascript:alert(1)' }]
    expect((await read(...malformed, pullRequest, oldIssue, fullIssue)).map(({ sourceId }) => sourceId)).toEqual([
      '3',
      '4101',
    ])
  })
})

describe('the pages of GitHub', () => {
  const next = '<https://api.github.com/search/issues?q=x&page=99>; rel="next"'
  const withLink =
    (link: string): Handler =>
    (response) =>
      sendJson(response, issuesBody(fullIssue), 200, { link })

  it('go on while Link has a next page, by their own number', async () => {
    const { github, received } = await setUp(withLink(next))
    const first = await fetchPage(github)
    expect(first.nextCursor).toEqual({ page: 2 })
    expect((await fetchPage(github, 'dark mode', first.nextCursor)).nextCursor).toEqual({ page: 3 })
    expect(received.map(({ query }) => query.page)).toEqual(['1', '2'])
  })

  it('end where Link has none, also when it has a deprecation', async () => {
    for (const link of ['<https://x.example/>; rel="deprecation"; type="text/html"', '<x>; rel="prev"']) {
      const { github } = await setUp(withLink(link))
      expect((await fetchPage(github)).nextCursor).toBeNull()
    }
  })

  it('end at the tenth, also with a next link, and the eleventh is never fetched', async () => {
    const { github, received } = await setUp(withLink(next))
    expect((await fetchPage(github, 'x1', { page: 10 })).nextCursor).toBeNull()
    expect(await fetchPageOrNull(github, { topic: 'x1', cursor: { page: 11 } })).toBeNull()
    expect(received).toHaveLength(1)
  })

  it('end with the 422 for results past 1,000', async () => {
    const message = 'Only the first 1000 search results are available'
    const { github } = await setUp((response) => sendJson(response, { message }, 422))
    expect(await fetchPageOrNull(github, { topic: 'x1', cursor: { page: 9 } })).toBeNull()
  })

  it('without a list of items are a bad response', async () => {
    for (const body of [{}, [], { items: {} }, null, 'x']) {
      const { github } = await setUp((response) => sendJson(response, body))
      await platformError(fetchPage(github), 'bad_response')
    }
  })
})

describe('the limits of GitHub', () => {
  it.each([
    ['without a token', undefined, 10],
    ['with a token', 'ghp_x', 30],
  ])('hold before its first answer, %s', async (_name, token, limit) => {
    const { github, received, clock } = await setUp((response) => sendJson(response, issuesBody()), token)
    for (let count = 0; count < limit; count++) await fetchPage(github)
    await platformError(fetchPage(github), 'rate_limited')
    expect(received.filter(({ path }) => path.endsWith('/search/issues'))).toHaveLength(limit)
    clock.advance(60_000)
    await fetchPage(github)
  })

  it('are corrected by its headers about searches, not about other resources', async () => {
    for (const [resource, code] of [
      ['search', 'rate_limited'],
      [undefined, 'rate_limited'],
      ['core', null],
    ] as const) {
      const { github, clock } = await setUp((response) => {
        const reset = epochSeconds(clock.now(), 40)
        const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset }
        sendJson(response, issuesBody(), 200, resource ? { ...headers, 'x-ratelimit-resource': resource } : headers)
      })
      await fetchPage(github)
      if (code === null) await fetchPage(github)
      else {
        const error = await platformError(fetchPage(github), code)
        expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 40_000))
      }
    }
  })
})

it('a refusal without a time delays for a minute, and twice as long after each further one', async () => {
  let isRefusing = true
  const { github, clock } = await setUp((response) =>
    isRefusing
      ? sendJson(response, { message: 'You have exceeded a secondary rate limit' }, 403)
      : sendJson(response, issuesBody()),
  )
  const waitMs = async () => {
    const error = await platformError(fetchPage(github), 'rate_limited')
    const ms = error.retryAt!.getTime() - clock.now().getTime()
    clock.advance(ms)
    return ms / 60_000
  }
  expect([await waitMs(), await waitMs(), await waitMs()]).toEqual([1, 2, 4])
  isRefusing = false
  await fetchPage(github)
  isRefusing = true
  expect(await waitMs()).toBe(1)
})

describe('an error of GitHub', () => {
  const failWith = async (
    status: number,
    body: unknown,
    headers: (now: Date) => object = () => ({}),
    token?: string,
  ) => {
    const { github, clock } = await setUp((response) => {
      response.writeHead(status, { ...headers(clock.now()) })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    }, token)
    const waitSeconds = (error: { retryAt: Date | null }) =>
      error.retryAt && (error.retryAt.getTime() - clock.now().getTime()) / 1000
    return { page: fetchPage(github), waitSeconds }
  }
  const limited = { message: 'API rate limit exceeded' }

  it.each([
    [
      'primary, until its reset',
      403,
      limited,
      (now: Date) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochSeconds(now, 33) }),
      33,
    ],
    [
      'primary, as 429',
      429,
      limited,
      (now: Date) => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': epochSeconds(now, 33) }),
      33,
    ],
    ['primary, without a time', 403, { message: 'x' }, () => ({ 'x-ratelimit-remaining': '0' }), 60],
    [
      'primary, with a time that has passed',
      403,
      limited,
      () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }),
      60,
    ],
    [
      'secondary, with Retry-After',
      403,
      { message: 'You have exceeded a secondary rate limit' },
      () => ({ 'retry-after': '77', 'x-ratelimit-remaining': '9' }),
      77,
    ],
    [
      'secondary, Retry-After before the reset',
      403,
      limited,
      (now: Date) => ({
        'retry-after': '77',
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': epochSeconds(now, 33),
      }),
      77,
    ],
    [
      'secondary, without',
      403,
      { message: 'You have exceeded a secondary rate limit' },
      () => ({ 'x-ratelimit-remaining': '9' }),
      60,
    ],
    ['unknown, as 429', 429, '<p>slow down</p>', () => ({}), 60],
  ])('about a limit delays all tasks: %s', async (_name, status, body, headers, seconds) => {
    const { page, waitSeconds } = await failWith(status, body, headers, 'ghp_x')
    expect(waitSeconds(await platformError(page, 'rate_limited'))).toBe(seconds)
  })

  it.each([
    [401, { message: 'Bad credentials' }, 'ghp_x', 'unauthorized'],
    [403, { message: 'Resource protected by organization SAML enforcement' }, 'ghp_x', 'unauthorized'],
    [403, 'Request forbidden by administrative rules.', 'ghp_x', 'blocked'],
    [403, { message: 'Forbidden' }, undefined, 'blocked'],
    [422, { message: 'Validation Failed', errors: [{ field: 'q', code: 'invalid' }] }, undefined, 'bad_response'],
    [404, { message: 'Not Found' }, undefined, 'bad_response'],
    [503, 'x', undefined, 'unavailable'],
  ] as const)('%i %j (token: %s) is %s', async (status, body, token, code) => {
    const { page } = await failWith(status, body, undefined, token)
    expect((await platformError(page, code)).message).not.toMatch(/ghp_x|dark/)
  })
})
