import { describe, expect, it } from 'vitest'
import { isPresent, laterRecordingsOf, type Raw, unreadRecordings } from '../recordings-testing.ts'
import {
  fetchPage,
  fetchPageOrNull,
  type Handler,
  openTestBudget,
  platformError,
  privateTargets,
  sendJson,
  startServer,
  testClient,
  testClock,
  unsaidFields,
} from '../testing.ts'
import { readPost } from './post.ts'
import { createFider } from './search.ts'
import { fiderSources } from './source.ts'

// Holds (Platforms): one search reads a Fider board with every field, also when an account names it

const post = (number: number, more: object = {}) => ({
  id: number + 4_000,
  number,
  title: 'Dark mode',
  slug: 'dark-mode',
  description: 'Please, **at night**.\n\n![](fider-image:attachments/abc.png)',
  createdAt: '2026-01-02T03:04:05.678901Z',
  user: { id: 1, name: 'Ada', role: 'visitor' },
  votesCount: 34,
  commentsCount: 2,
  status: 'open',
  tags: ['hard', 'critical'],
  isApproved: true,
  ...more,
})

async function startFider(handler: Handler, paths: readonly string[] = ['']) {
  const { baseUrl, received } = await startServer(handler)
  const clock = testClock()
  const urls = paths.map((path) => baseUrl + path)
  const platform = createFider({ client: testClient(clock, privateTargets), clock, openBudget: openTestBudget, urls })
  return { platform, received, baseUrl, host: new URL(baseUrl).host }
}

describe('a search of a board', () => {
  it('is one request, whatever the topic has', async () => {
    const { platform, received } = await startFider((response) => sendJson(response, []))
    await fetchPageOrNull(platform, { topic: 'dark & mode" OR view=x' })
    expect(received[0]).toMatchObject({ path: '/api/v1/posts', query: { view: 'all', limit: '100' } })
    expect(received[0]!.query.query).toContain('dark')
    expect(await fetchPageOrNull(platform, { topic: '…!!' })).toBeNull()
    expect(received).toHaveLength(1)
  })

  it('gives each field', async () => {
    const response = { text: 'Done.', respondedAt: '2026-03-01T00:00:00Z', user: { name: 'Arya' } }
    const { platform, baseUrl, host } = await startFider((answer) =>
      sendJson(answer, [post(65, { status: 'completed', response }), post(66)]),
    )
    const { requests } = await fetchPage(platform)
    expect(requests[0]).toEqual({
      ...unsaidFields,
      sourceId: `${host}:65`,
      sourceUrl: `${baseUrl}/posts/65/dark-mode`,
      title: 'Dark mode',
      description: 'Please, at night.',
      votes: 34,
      stars: null,
      commentCount: 2,
      tags: ['hard', 'critical'],
      authorName: 'Ada',
      authorHandle: null,
      authorProfileUrl: null,
      license: null,
      originalCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
      status: 'completed',
      statusChangedAt: new Date('2026-03-01T00:00:00Z'),
      sourceName: host,
    })
    expect(requests[1]).toMatchObject({ status: 'open', statusChangedAt: null })
  })

  it.each([
    ['started', 'in_progress'],
    ['planned', 'planned'],
    ['declined', 'declined'],
    ['duplicate', 'duplicate'],
    ['later', null],
    [7, null],
  ])('reads the status %j as %s', (given, status) => {
    expect(readPost('https://a.example', post(1, { status: given }))).toMatchObject({ status })
  })

  it.each([
    [{ isApproved: false }, 'notPublic'],
    [{ status: 'deleted' }, 'removed'],
    [{ number: null }, null],
    [{ number: '../admin' }, null],
  ])('leaves out a post with %j', (more, result) => {
    expect(readPost('https://a.example', post(1, more))).toBe(result)
  })

  it('stores a post of which every other field is missing or wrong', () => {
    expect(
      readPost('https://a.example/', { number: 7, title: 'Dark mode', slug: '../x', tags: 'a', user: 3 }),
    ).toMatchObject({
      sourceUrl: 'https://a.example/posts/7',
      votes: 0,
      tags: [],
      authorName: null,
      originalCreatedAt: null,
    })
  })

  it('takes one page of each board in turn, and a board that fails does not end the others', async () => {
    const { platform } = await startFider(
      (response, { path }) => (path.startsWith('/b/') ? sendJson(response, {}, 404) : sendJson(response, [post(1)])),
      ['/a', '/b', '/c'],
    )
    const first = await fetchPage(platform)
    const second = await fetchPageOrNull(platform, { cursor: first.nextCursor })
    expect([first, second].map((page) => page?.requests[0]?.sourceId.split('/')[1])).toEqual(['a:1', 'c:1'])
  })

  it.each([
    [401, {}, 'unauthorized'],
    [403, {}, 'unauthorized'],
    [404, {}, 'bad_response'],
    [200, { posts: [] }, 'bad_response'],
    [429, {}, 'rate_limited'],
    [503, {}, 'unavailable'],
  ] as const)('says what a board with the answer %i means', async (status, body, code) => {
    const { platform } = await startFider((response) => sendJson(response, body, status))
    await platformError(fetchPage(platform), code)
  })
})

describe('a board that an account names', () => {
  it.each([
    ['feedback.example.com', 'https://feedback.example.com'],
    ['https://Feedback.example.com./posts/12/dark-mode?x=1', 'https://feedback.example.com'],
    ['http://example.com//ideas/roadmap', 'http://example.com/ideas'],
    ['ftp://example.com', null],
    ['https://me:pw@example.com', null],
    ['intranet', null],
    [`https://example.com/${'a'.repeat(300)}`, null],
  ])('%s is %s', (text, address) => {
    expect(fiderSources.normalise(text)).toBe(address)
  })

  it('is verified as public, and says in which source each request was found', async () => {
    const { platform, baseUrl } = await startFider((response, { path }) => {
      if (path.startsWith('/members')) return response.writeHead(302, { location: '/signin' }).end()
      if (path === '/signin') return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Sign in</h1>')
      sendJson(response, [post(3)])
    })
    const { signal } = new AbortController()
    await platform.verifySource!(`${baseUrl}/open`, signal)
    await expect(platform.verifySource!(`${baseUrl}/members`, signal)).rejects.toMatchObject({ code: 'bad_response' })
    const page = await fetchPageOrNull(platform, { sources: [`${baseUrl}/open`] })
    expect(page!.requests.map(({ ownSource }) => ownSource)).toEqual([`${baseUrl}/open`])
    expect((await fetchPage(platform)).requests[0]!.ownSource).toBeNull()
  })
})

describe.skipIf(!isPresent)('the recorded post', () => {
  it('of the documents of Fider is read', () => {
    const [recording] = laterRecordingsOf('fider')
    const raw: Raw = JSON.parse(recording!.bytes.toString())
    expect(readPost('https://feedback.fider.io', raw)).toMatchObject({
      sourceId: `feedback.fider.io:${raw.number}`,
      sourceUrl: `https://feedback.fider.io/posts/${raw.number}/${raw.slug}`,
      title: raw.title,
      description: raw.description,
      votes: raw.votesCount,
      stars: null,
      commentCount: raw.commentsCount,
      status: 'completed',
      statusChangedAt: new Date(Date.parse(raw.response.respondedAt)),
      tags: raw.tags,
      authorName: raw.user.name,
    })
    expect(unreadRecordings('fider')).toEqual([])
  })
})
