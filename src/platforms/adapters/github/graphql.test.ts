import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../../database/column-types.ts'
import { type Json, SourceRefusedError } from '../../platform.ts'
import { unreachedSources } from '../round-robin.ts'
import {
  fetchPage,
  fetchPageOrNull,
  openTestBudget as openBudget,
  platformError,
  sendJson,
  startServer,
  testClient,
  testClock,
} from '../testing.ts'
import { createGithub } from './search.ts'

/** The page after that of issues is one of discussions. */
const atDiscussions = { turn: 1, next: {}, ended: ['issues'] }
const amidDiscussions = { ...atDiscussions, next: { discussions: { after: ['x', null, null, null] } } }
const node = {
  id: 'D_1',
  url: 'https://github.com/acme/app/discussions/3',
  title: 'Dark mode',
  body: 'Please **add** it.',
  createdAt: '2025-01-02T03:04:05Z',
  closed: true,
  closedAt: '2025-02-03T04:05:06Z',
  stateReason: 'RESOLVED',
  upvoteCount: 12,
  author: { login: 'ada', url: 'https://github.com/ada' },
  category: { name: '💡 Ideas' },
  labels: { nodes: [{ name: 'ui' }] },
  comments: { totalCount: 4 },
  repository: { nameWithOwner: 'acme/app', isPrivate: false, visibility: 'PUBLIC' },
}
const connection = (...nodes: unknown[]) => ({ pageInfo: { hasNextPage: false, endCursor: 'e' }, nodes })

async function setUp(body: unknown, headers: (now: Date) => object = () => ({}), status = 200) {
  const clock = testClock()
  const server = await startServer((response) => sendJson(response, body, status, headers(clock.now())))
  const baseUrl = `${server.baseUrl}/api/v3`
  return {
    ...server,
    clock,
    github: createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token: 't' }),
  }
}
const read = async (body: unknown) => fetchPage((await setUp(body)).github, 'dark mode', atDiscussions)

describe('a discussion of GitHub', () => {
  it('is read field by field', async () => {
    const { requests } = await read({ data: { search: connection(node) } })
    expect(requests).toEqual([
      {
        sourceId: 'discussion:D_1',
        title: 'Dark mode',
        description: 'Please add it.',
        votes: 12,
        tags: ['💡 Ideas', 'ui'],
        stars: null,
        commentCount: 4,
        sourceUrl: 'https://github.com/acme/app/discussions/3',
        authorName: null,
        authorHandle: 'ada',
        authorProfileUrl: 'https://github.com/ada',
        license: null,
        originalCreatedAt: new Date('2025-01-02T03:04:05Z'),
        status: 'completed',
        statusChangedAt: new Date('2025-02-03T04:05:06Z'),
        excerpt: false,
        sourceName: 'acme/app',
        refreshHandle: 'D_1 acme/app',
        ownSource: null,
      },
    ])
  })

  it('is left out in another category, and counted as not public in a private repository', async () => {
    const hidden = { ...node, repository: { ...node.repository, isPrivate: true } }
    const internal = { ...node, repository: { ...node.repository, visibility: 'INTERNAL' } }
    const others = ['Q&A', 'General', 'Ideally', null].map((name) => ({ ...node, category: { name } }))
    const page = await read({ data: { search: connection(hidden, internal, ...others, null, 'x'), search2: null } })
    expect(page.requests).toEqual([])
    expect(page.discarded).toEqual({ notPublic: 2 })
  })

  it('is searched in each category by one request, in the API of an enterprise server beside REST', async () => {
    const { github, received } = await setUp({ data: { search: connection() } })
    await fetchPage(github, 'dark OR "mode"', atDiscussions)
    expect(received).toHaveLength(1)
    expect(received[0]!.path).toBe('/api/graphql')
    expect(received[0]!.headers.authorization).toBe('Bearer t')
    const { query, variables } = JSON.parse(received[0]!.body)
    expect(query.match(/search\(type: DISCUSSION/g)).toHaveLength(4)
    expect(variables.q0).toBe('"dark" "or" "mode" is:public archived:false category:"Ideas"')
    expect(variables.after0).toBeNull()
  })

  it('counts beside errors about others', async () => {
    const errors = [{ type: 'RESOURCE_LIMITS_EXCEEDED', message: 'Resource limits exceeded' }]
    const { requests } = await read({ data: { search: connection(node), search2: null }, errors })
    expect(requests).toHaveLength(1)
  })
})

describe('discussions of GitHub', () => {
  /** Each category has as many pages; a category that has ended is not in the next query. */
  async function collect(pagesOf: number[], token?: string) {
    const clock = testClock()
    const { baseUrl, received } = await startServer((response, { path, body }) => {
      if (path.endsWith('/issues')) return sendJson(response, { items: [] })
      const { variables } = JSON.parse(body)
      const data = pagesOf.flatMap((pages, index) => {
        if (variables[`q${index}`] === undefined) return []
        const page = Number(variables[`after${index}`] ?? 1)
        const pageInfo = { hasNextPage: page < pages, endCursor: String(page + 1) }
        // The first category is answered again by all others, as where `category:` is ignored.
        const nodes = [node, { ...node, id: `D_${index}_${page}` }]
        return [[index === 0 ? 'search' : `search${index + 1}`, { pageInfo, nodes }]]
      })
      sendJson(response, { data: Object.fromEntries(data) })
    })
    const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token })
    const ids: string[][] = []
    let cursor: Json = null
    do {
      const page = await fetchPage(github, 'dark mode', cursor)
      ids.push(page.requests.map(({ sourceId }) => sourceId.replace('discussion:', '')))
      cursor = page.nextCursor
    } while (cursor !== null)
    return { ids, paths: received.map(({ path }) => path) }
  }

  it('take turns with issues, until every category has ended, and are in a page once', async () => {
    const { ids, paths } = await collect([1, 3, 2, 1], 't')
    expect(paths).toEqual(['/search/issues', '/graphql', '/graphql', '/graphql'])
    expect(ids).toEqual([[], ['D_1', 'D_0_1', 'D_1_1', 'D_2_1', 'D_3_1'], ['D_1', 'D_1_2', 'D_2_2'], ['D_1', 'D_1_3']])
  })

  it('are never found without a token', async () => {
    expect((await collect([1, 1, 1, 1])).paths).toEqual(['/search/issues'])
  })
})

describe('a refusal of GraphQL with status 200', () => {
  const spent = (now: Date) => ({
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(now.getTime() / 1000 + 40),
    'x-ratelimit-resource': 'graphql',
  })
  it.each<[string, object, (now: Date) => object, PlatformErrorCode, number | null]>([
    ['a spent limit', { errors: [{ type: 'RATE_LIMITED', message: 'x' }] }, spent, 'rate_limited', 40],
    ['a spent limit without a type', { data: null, errors: [{ message: 'x' }] }, spent, 'rate_limited', 40],
    [
      'the secondary limit',
      { errors: [{ message: 'You have exceeded a secondary rate limit.' }] },
      () => ({ 'retry-after': '77' }),
      'rate_limited',
      77,
    ],
    [
      'a scope',
      { data: null, errors: [{ type: 'INSUFFICIENT_SCOPES', message: 'x' }] },
      () => ({}),
      'unauthorized',
      null,
    ],
    ['a bad query', { errors: [{ message: "Field 'x' doesn't exist" }] }, () => ({}), 'bad_response', null],
    [
      'too many ids',
      { data: null, errors: [{ type: 'ARGUMENT_LIMIT', message: 'x' }] },
      () => ({}),
      'bad_response',
      null,
    ],
    ['nothing', { data: {} }, () => ({}), 'bad_response', null],
  ])('is read rightly: %s', async (_name, body, headers, code, seconds) => {
    const { github, clock } = await setUp(body, headers)
    const error = await platformError(fetchPage(github, 'dark mode', amidDiscussions), code)
    expect(error.retryAt && (error.retryAt.getTime() - clock.now().getTime()) / 1000).toBe(seconds)
  })

  it('does not stop the search of issues', async () => {
    const clock = testClock()
    const { baseUrl } = await startServer((response, { path }) =>
      path.endsWith('/graphql')
        ? sendJson(response, { errors: [{ type: 'RATE_LIMITED', message: 'x' }] })
        : sendJson(response, { items: [{ id: 1, html_url: 'https://github.com/a/b/issues/1', title: 'Dark mode' }] }),
    )
    const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token: 't' })
    expect((await fetchPageOrNull(github, { pagesBefore: 1 }))?.requests).toHaveLength(1)
  })
})

it('a repository of an account that cannot be searched is refused by name, and the others continue', async () => {
  const message = 'The listed users and repositories cannot be searched.'
  const clock = testClock()
  const { baseUrl, received } = await startServer((response, { query }) =>
    query.q?.includes('repo:a/gone')
      ? sendJson(response, { message: 'Validation Failed', errors: [{ message }] }, 422)
      : sendJson(response, { items: [] }),
  )
  const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl })
  expect((await fetchPageOrNull(github, { sources: ['a/gone', 'a/b'] }))?.requests).toEqual([])
  expect(received).toHaveLength(2)
  const refused = fetchPageOrNull(github, { sources: ['a/gone'] })
  await expect(refused).rejects.toThrow(SourceRefusedError)
  await expect(refused).rejects.toThrow('"a/gone"')
})

it('repositories of an account are searched from where its last job stopped: issues first, discussions after them', async () => {
  const clock = testClock()
  const { baseUrl, received } = await startServer((response, { path }) =>
    sendJson(response, path.endsWith('/graphql') ? { data: { search: { nodes: [] } } } : { items: [] }),
  )
  const github = createGithub({ client: testClient(clock), clock, openBudget, baseUrl, token: 't' })
  const sources = ['a/a', 'a/b', 'a/c']
  const unreached: string[][] = []
  let cursor: Json = null
  do {
    cursor = (await fetchPageOrNull(github, { sources, cursor, pagesBefore: 7 }))!.nextCursor
    unreached.push(unreachedSources(sources, cursor))
  } while (cursor !== null)
  const searched = received.map(({ query, body }) => /repo:(a\/[abc])/.exec(query.q ?? body)?.[1])
  expect(searched).toEqual(['a/b', 'a/c', 'a/a', 'a/b', 'a/c', 'a/a'])
  expect(received.map(({ path }) => path.endsWith('/graphql'))).toEqual([false, false, false, true, true, true])
  expect(unreached).toEqual([['a/a', 'a/c'], ['a/a'], [], [], [], []])
})
