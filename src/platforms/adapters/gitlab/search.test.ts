import { describe, expect, it } from 'vitest'
import type { Json } from '../../platform.ts'
import { failuresIn } from '../round-robin.ts'
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
import { createGitlab } from './search.ts'

async function setUp(handler: Handler, { token, projects = ['a/b'] }: { token?: string; projects?: string[] } = {}) {
  const lookups: Received[] = []
  const server = await startServer((response, asked, request) => {
    if (asked.path.endsWith('/issues')) return handler(response, asked, request)
    lookups.push(...server.received.splice(server.received.indexOf(asked), 1))
    sendJson(response, { visibility: 'public', issues_access_level: 'enabled' })
  })
  const clock = testClock()
  const baseUrl = `${server.baseUrl}/api/v4`
  const gitlab = createGitlab({ client: testClient(clock), clock, openBudget, baseUrl, token, projects })
  return { ...server, lookups, clock, gitlab }
}

const issue = {
  id: 7001,
  iid: 12,
  project_id: 42,
  title: 'Dark  mode, `please`',
  description: 'We **need** it.\n\n<script>no</script>',
  state: 'opened',
  created_at: '2026-01-02T03:04:05.678Z',
  labels: ['type::feature', 'ui', 'ui'],
  author: { username: 'zoe', name: 'Zoë & Co', web_url: 'https://gitlab.com/zoe' },
  upvotes: 4,
  downvotes: 1,
  user_notes_count: 3,
  confidential: false,
  issue_type: 'issue',
  web_url: 'https://gitlab.com/a/b/-/issues/12',
}

describe('the search on GitLab', () => {
  it('queries the open and closed issues of each project with its label, and all without one', async () => {
    const projects = ['gitlab-org/gitlab:type::feature', '42:feature request', 'plain/tracker']
    const { gitlab, received, lookups } = await setUp((response) => sendJson(response, []), { projects, token: 't1' })
    let cursor: Json = null
    do cursor = (await fetchPage(gitlab, 'dark mode', cursor)).nextCursor
    while (cursor !== null)
    const common = {
      search: 'dark mode',
      in: 'title,description',
      scope: 'all',
      state: 'all',
      issue_type: 'issue',
      confidential: 'false',
      order_by: 'created_at',
      sort: 'desc',
      per_page: '100',
      page: '1',
    }
    expect(received.map(({ path, query }) => [path, query])).toEqual([
      ['/api/v4/projects/gitlab-org%2Fgitlab/issues', { ...common, labels: 'type::feature' }],
      ['/api/v4/projects/42/issues', { ...common, labels: 'feature request' }],
      ['/api/v4/projects/plain%2Ftracker/issues', common],
    ])
    expect(received[0]!.headers['private-token']).toBe('t1')
    expect(lookups.map(({ path }) => path)).toEqual(received.map(({ path }) => path.replace('/issues', '')))
  })

  it('sends no token where there is none', async () => {
    const { gitlab, received, lookups } = await setUp((response) => sendJson(response, []))
    await fetchPage(gitlab)
    expect(lookups).toEqual([])
    expect(received[0]!.headers).not.toHaveProperty('private-token')
    expect(received[0]!.headers).not.toHaveProperty('authorization')
  })

  it('encodes a hostile topic and a hostile project', async () => {
    const projects = ['../../admin?x=1#y:feature']
    const { gitlab, received } = await setUp((response) => sendJson(response, []), { projects })
    await fetchPage(gitlab, '"tabs" -label:bug &state=closed [x]')
    expect(received[0]!.path).toBe('/api/v4/projects/..%2F..%2Fadmin%3Fx%3D1%23y/issues')
    expect(received[0]!.query).toMatchObject({ search: 'tabs label bug &state=closed x', state: 'all' })
  })

  it('begins where earlier jobs stopped, so that all projects are searched', async () => {
    const { gitlab, received } = await setUp((response) => sendJson(response, []), { projects: ['a/a', 'b/b', 'c/c'] })
    await fetchPageOrNull(gitlab, { pagesBefore: 4 })
    expect(received[0]!.path).toContain('b%2Fb')
  })

  it('sends no request when the topic has no words', async () => {
    const { gitlab, received } = await setUp((response) => sendJson(response, []))
    expect(await fetchPageOrNull(gitlab, { topic: '[]' })).toBeNull()
    expect(received).toEqual([])
  })
})

describe('the pages of GitLab', () => {
  const nextOf = async (headers: object, cursor: Json = null, count = 1) => {
    const issues = Array.from({ length: count }, (_, index) => ({ ...issue, id: index + 1 }))
    const { gitlab } = await setUp((response) => sendJson(response, issues, 200, headers))
    const { nextCursor } = await fetchPage(gitlab, 'tabs', cursor)
    return (nextCursor as { next?: Record<string, Json> } | null)?.next?.['a/b'] ?? null
  }
  const at = (page: number): Json => ({ turn: 0, next: { 'a/b': { page } }, ended: [] })

  it('end where `x-next-page` is empty', async () => {
    expect(await nextOf({ 'x-next-page': '2' })).toEqual({ page: 2 })
    expect(await nextOf({ 'x-next-page': '' }, null, 100)).toBeNull()
  })

  it('end where the same page comes again', async () => {
    expect(await nextOf({ 'x-next-page': '3' }, at(3))).toBeNull()
  })

  it('go by the Link header, or by a full page, where that header is missing', async () => {
    const next = '<http://evil.example/?page=9>; rel="next", <http://evil.example/>; rel="first"'
    expect(await nextOf({ link: next })).toEqual({ page: 2 })
    expect(await nextOf({ link: '<http://evil.example/>; rel="first"' }, null, 100)).toBeNull()
    expect(await nextOf({}, null, 100)).toEqual({ page: 2 })
    expect(await nextOf({}, null, 99)).toBeNull()
  })

  it('end with an empty page and at the deepest offset that is allowed', async () => {
    expect(await nextOf({ 'x-next-page': '2' }, null, 0)).toBeNull()
    expect(await nextOf({ 'x-next-page': '500' }, at(499))).toEqual({ page: 500 })
    expect(await nextOf({ 'x-next-page': '501' }, at(500))).toBeNull()
  })
})

describe('an issue of GitLab', () => {
  const read = async (...items: unknown[]) => {
    const { gitlab } = await setUp((response) => sendJson(response, items))
    return (await fetchPage(gitlab)).requests
  }

  it('is read field by field', async () => {
    expect(await read(issue)).toEqual([
      {
        sourceId: '7001',
        title: 'Dark mode, `please`',
        description: 'We need it.',
        votes: 4,
        tags: ['type::feature', 'ui'],
        stars: null,
        commentCount: 3,
        sourceUrl: 'https://gitlab.com/a/b/-/issues/12',
        authorName: 'Zoë & Co',
        authorHandle: 'zoe',
        authorProfileUrl: 'https://gitlab.com/zoe',
        license: null,
        originalCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
        status: 'open',
        statusChangedAt: null,
        excerpt: false,
        sourceName: 'a/b',
        refreshHandle: '42#12',
        ownSource: null,
      },
    ])
  })

  it('may have labels with details', async () => {
    expect(await read({ ...issue, labels: [{ id: 1, name: 'ui', color: '#fff' }, null, 3] })).toMatchObject([
      { tags: ['ui'] },
    ])
  })

  it('may lack everything but its id, address and text, or have it of another type', async () => {
    const nothing = {
      title: 'Tabs',
      description: 'Tabs',
      votes: 0,
      tags: [],
      stars: null,
      commentCount: null,
      originalCreatedAt: null,
    }
    const bare = { id: 1, web_url: issue.web_url, description: 'Tabs' }
    const odd = { ...bare, title: 3, upvotes: 'x', labels: 'y', author: [], created_at: 5 }
    const nulls = { ...bare, title: null, upvotes: null, labels: null, author: null }
    expect(await read(bare, odd, nulls)).toMatchObject([nothing, nothing, nothing])
    expect(await read({ ...odd, description: {} }, { ...nulls, description: null })).toEqual([])
  })

  it('is left out without an id or an address that can be shown, and when it is confidential or no issue', async () => {
    const left = [
      { ...issue, id: null },
      { ...issue, web_url: 'javascript:alert(1)' },
      { ...issue, confidential: true },
      { ...issue, issue_type: 'incident' },
      { ...issue, issue_type: 'test_case' },
      null,
      'issue',
    ]
    expect(await read(...left, issue)).toHaveLength(1)
  })
})

describe('the limits of GitLab', () => {
  it.each([
    [undefined, 10],
    ['t1', 30],
  ])('with token %s are %i searches a minute before its first answer', async (token, limit) => {
    const { gitlab, clock, received } = await setUp((response) => sendJson(response, []), token ? { token } : {})
    for (let count = 0; count < limit; count++) await fetchPage(gitlab)
    const error = await platformError(fetchPage(gitlab), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + 61_000))
    expect(received).toHaveLength(limit)
  })

  it('are read from headers in seconds since 1970', async () => {
    const resetAt = new Date('2026-05-05T12:00:30Z')
    const headers = { 'ratelimit-remaining': '0', 'ratelimit-reset': String(resetAt.getTime() / 1000) }
    const { gitlab, received } = await setUp((response) => sendJson(response, [], 200, headers))
    await fetchPage(gitlab)
    expect((await platformError(fetchPage(gitlab), 'rate_limited')).retryAt).toEqual(resetAt)
    expect(received).toHaveLength(1)
  })

  it.each([
    ['Retry-After', { 'retry-after': '17' }, 17],
    ['the reset of a spent limit', { 'ratelimit-remaining': '0', 'ratelimit-reset': '1777982440' }, 40],
    ['nothing', { 'ratelimit-remaining': '490', 'ratelimit-reset': '1777982440' }, 60],
  ])('that are exceeded delay for the announced time: %s', async (_, headers, seconds) => {
    const { gitlab, clock } = await setUp((response) => {
      response.writeHead(429, { 'content-type': 'text/plain', ...headers }).end('Retry later\n')
    })
    const error = await platformError(fetchPage(gitlab), 'rate_limited')
    expect(error.retryAt).toEqual(new Date(clock.now().getTime() + seconds * 1000))
  })
})

describe('an error of GitLab', () => {
  const fail = async (status: number, body: unknown, token?: string) => {
    const { gitlab } = await setUp(
      (response) =>
        typeof body === 'string' ? response.writeHead(status).end(body) : sendJson(response, body, status),
      token ? { token } : {},
    )
    return fetchPage(gitlab)
  }

  it.each([
    [401, { message: '401 Unauthorized' }, 't1', 'unauthorized', 'GITLAB_TOKEN'],
    [
      401,
      { error: 'invalid_token', error_description: 'Token is expired.' },
      't1',
      'unauthorized',
      'Check GITLAB_TOKEN',
    ],
    [401, { message: '401 Unauthorized' }, undefined, 'unauthorized', 'Set GITLAB_TOKEN'],
    [403, { error: 'insufficient_scope' }, 't1', 'unauthorized', 'read_api'],
    [403, { message: '403 Forbidden' }, undefined, 'bad_response', 'GITLAB_PROJECTS'],
    [403, '<html>Cloudflare</html>', 't1', 'blocked', '403'],
    [404, { message: '404 Project Not Found' }, undefined, 'bad_response', '"a/b"'],
    [404, { error: '404 Not Found' }, undefined, 'bad_response', 'base address'],
    [400, { error: 'labels is invalid' }, undefined, 'bad_response', 'GITLAB_PROJECTS'],
    [405, { error: 'Offset pagination has a maximum' }, undefined, 'bad_response', 'GITLAB_PROJECTS'],
    [422, { message: 'User must be authenticated to use search' }, undefined, 'unauthorized', 'Set GITLAB_TOKEN'],
    [422, { message: {} }, 't1', 'bad_response', 'GITLAB_PROJECTS'],
    [429, { message: { error: 'This endpoint has been requested too many times.' } }, 't1', 'rate_limited', 'for now'],
    [500, { message: '500 Internal Server Error' }, undefined, 'unavailable', '500'],
    [502, '<html>GitLab is not responding</html>', undefined, 'unavailable', '502'],
    [200, { message: 'odd' }, undefined, 'bad_response', 'list of issues'],
    [200, '<html>Sign in</html>', undefined, 'bad_response', 'JSON'],
  ] as const)('%i %j with token %s is %s', async (status, body, token, code, advice) => {
    const error = await platformError(fail(status, body, token), code)
    expect(error.message).toContain(advice)
    expect(error.message).not.toMatch(/dark|t1|expired|Cloudflare|Sign in/)
  })

  it('about one project ends only that one', async () => {
    const { gitlab, received } = await setUp(
      (response, { path }) =>
        path.includes('gone')
          ? sendJson(response, { message: '404 Project Not Found' }, 404)
          : sendJson(response, [issue]),
      { projects: ['gone/gone', 'a/b'] },
    )
    const { requests, nextCursor } = await fetchPage(gitlab)
    expect(requests).toHaveLength(1)
    expect(failuresIn(nextCursor)?.message).toMatch(/no public project "gone\/gone"/)
    expect(received).toHaveLength(2)
  })

  it('about the host stops all projects', async () => {
    const { gitlab, received } = await setUp((response) => response.writeHead(429).end('Retry later'), {
      projects: ['a/a', 'b/b'],
    })
    await platformError(fetchPage(gitlab), 'rate_limited')
    expect(received).toHaveLength(1)
  })

  it('leads nowhere else with the token', async () => {
    const { gitlab, received } = await setUp(
      (response) => response.writeHead(302, { location: 'http://evil.example/users/sign_in' }).end(),
      { token: 't1' },
    )
    await platformError(fetchPage(gitlab), 'bad_response')
    expect(received).toHaveLength(1)
  })
})

it('a request of an own source has it, also where an answer that ignored the search leaves it out', async () => {
  const unrelated = [1, 2, 3, 4, 5].map((iid) => ({ ...issue, id: iid, iid, title: 'Crash', description: 'At start.' }))
  const { gitlab } = await setUp((response) => sendJson(response, unrelated))
  const page = await fetchPageOrNull(gitlab, { sources: ['ada/engine', 'ada/notes'] })
  expect(new Set(page?.offTopic?.map(({ ownSource }) => ownSource))).toEqual(new Set(['ada/engine']))
})
