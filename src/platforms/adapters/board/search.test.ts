import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { FoundRequest, Json } from '../../platform.ts'
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
import { readBoard } from './description.ts'
import { createBoards } from './search.ts'

// Holds (Platforms): a described board is read as described, page by page, to a guaranteed end

/** The descriptions that the documentation has; their shapes are those of the public documents of their products. */
const documented = (name: string) => readFileSync(`docs/platforms/boards/${name}.json`, 'utf8')

const host = {
  canny: 'https://canny.io',
  featurebase: 'https://do.featurebase.app',
  uservoice: 'https://acme.uservoice.com',
}

/** A documented board at a server of the test. */
async function startBoard(
  name: keyof typeof host,
  handler: Handler,
  change: (text: string) => string = (text) => text,
) {
  const { baseUrl, received } = await startServer(handler)
  const board = readBoard(change(documented(name).replaceAll(host[name], baseUrl)), 'key-of-the-owner')
  const clock = testClock()
  return {
    platform: createBoards({ client: testClient(clock), clock, openBudget: openTestBudget, boards: [board] }),
    received,
  }
}

type Boards = Awaited<ReturnType<typeof startBoard>>['platform']

async function collectAll(platform: Boards, newestSince: Date | null = null) {
  const pages: FoundRequest[][] = []
  let cursor: Json = null
  do {
    const page = await fetchPageOrNull(platform, { cursor, newestSince })
    if (page === null) break
    pages.push(page.requests)
    cursor = page.nextCursor
  } while (cursor !== null)
  return pages
}
const idsOf = (pages: FoundRequest[][]) => pages.map((page) => page.length)

const cannyPost = (number: number) => ({
  id: `5f${number}`,
  title: `Dark mode ${number}`,
  details: 'Please, it is too bright at night.',
  url: `https://acme.canny.io/ideas/p/${number}`,
  score: 1_000 - number,
  commentCount: 2,
  author: { id: 'a', name: 'Ada', email: 'ada@example.org' },
  created: '2026-01-02T03:04:05.678Z',
  status: number % 2 === 0 ? 'under review' : 'in progress',
  statusChangedAt: '2026-02-02T03:04:05.678Z',
  tags: [
    { id: 't', name: 'ui' },
    { id: 'u', name: 'theme' },
  ],
})

describe('Canny, whose key is in the body', () => {
  const handler: Handler = (response, { body }) => {
    const { skip, limit } = JSON.parse(body) as { skip: number; limit: number }
    const posts = Array.from({ length: Math.max(0, Math.min(limit, 230 - skip)) }, (_, index) =>
      cannyPost(skip + index),
    )
    sendJson(response, { hasMore: skip + limit < 230, posts })
  }

  it('is read to its end, with each field', async () => {
    const { platform, received } = await startBoard('canny', handler)
    const pages = await collectAll(platform)
    expect(idsOf(pages)).toEqual([100, 100, 30])
    expect(received.map(({ body }) => JSON.parse(body))).toEqual(
      [0, 100, 200].map((skip) => ({ apiKey: 'key-of-the-owner', search: 'dark mode', limit: 100, skip })),
    )
    expect(pages[0]![1]).toMatchObject({
      sourceId: 'canny/5f1',
      sourceUrl: 'https://acme.canny.io/ideas/p/1',
      title: 'Dark mode 1',
      description: 'Please, it is too bright at night.',
      votes: 999,
      commentCount: 2,
      tags: ['ui', 'theme'],
      authorName: 'Ada',
      originalCreatedAt: new Date('2026-01-02T03:04:05.678Z'),
      status: 'in_progress',
      statusChangedAt: new Date('2026-02-02T03:04:05.678Z'),
      sourceName: 'Acme on Canny',
      confidence: 1,
    })
    expect(pages[0]![0]!.status).toBe('open')
  })

  it('says nothing of its key when it is refused', async () => {
    const { platform } = await startBoard('canny', (response) => sendJson(response, { error: 'invalid api key' }, 401))
    expect((await platformError(fetchPage(platform), 'unauthorized')).message).not.toContain('key-of')
  })
})

describe('Featurebase, whose pages follow by a cursor', () => {
  const page = ({ query }: Received) => Number(query.cursor?.slice(1) ?? 0)
  const post = (number: number) => ({
    id: number,
    title: 'Dark mode',
    content: '<p>At&nbsp;night <b>please</b></p>',
    postUrl: `https://acme.featurebase.app/p/${number}`,
    upvotes: 3,
    status: { name: 'In Review', type: 'reviewing' },
  })

  it('is read to the page without a cursor', async () => {
    const { platform, received } = await startBoard('featurebase', (response, request) =>
      sendJson(response, {
        object: 'list',
        data: [post(page(request))],
        nextCursor: page(request) < 2 ? `c${page(request) + 1}` : null,
      }),
    )
    const pages = await collectAll(platform)
    expect(pages.map((one) => one[0]!.sourceId)).toEqual(['featurebase/0', 'featurebase/1', 'featurebase/2'])
    expect(pages[0]![0]).toMatchObject({ description: 'At night please', status: 'open', votes: 3 })
    expect(received.map(({ query }) => query)).toEqual([
      { q: 'dark mode', limit: '50' },
      { q: 'dark mode', limit: '50', cursor: 'c1' },
      { q: 'dark mode', limit: '50', cursor: 'c2' },
    ])
    expect(received[0]!.headers['x-api-key']).toBe('key-of-the-owner')
  })

  it('takes the cursor from an address that it sends, and never calls that address', async () => {
    const { platform, received } = await startBoard(
      'featurebase',
      (response, request) =>
        sendJson(response, {
          data: [post(page(request))],
          nextCursor: page(request) < 1 ? 'https://elsewhere.example/v2/posts?cursor=c1' : '',
        }),
      (text) => text.replace('"next": "$.nextCursor"', '"next": "$.nextCursor", "parameter": "cursor"'),
    )
    expect(idsOf(await collectAll(platform))).toEqual([1, 1])
    expect(received).toHaveLength(2)
  })

  it.each([
    ['repeats a cursor', (number: number) => [post(number), 'c1']],
    ['has a cursor that is an object', () => [post(0), { a: 1 }]],
    ['has a cursor without an end', () => [post(0), 'c'.repeat(5_000)]],
  ])('ends when it %s', async (_what, answer) => {
    const { platform, received } = await startBoard('featurebase', (response, request) => {
      const [item, nextCursor] = answer(page(request))
      sendJson(response, { data: [item], nextCursor })
    })
    await collectAll(platform).catch(() => [])
    expect(received.length).toBeLessThanOrEqual(3)
  })
})

describe('UserVoice, whose pages have numbers', () => {
  const suggestion = (number: number) => ({
    id: number,
    title: 'Dark mode',
    body: 'Please',
    portal_url: `https://acme.uservoice.com/forums/1/suggestions/${number}`,
    supporters_count: '7',
    created_at: new Date(Date.UTC(2026, 0, 100) - number * 3_600_000).toISOString(),
    state: number === 3 ? 'draft' : number === 5 ? 'closed' : 'published',
    // The id of a status, whose name stands in a list beside the suggestions; 9 is not there.
    links: { status: { 4: 71, 5: 72, 6: 9 }[number] ?? null },
  })
  const statuses = [
    { id: 71, name: 'Planned', is_open: true },
    { id: 72, name: 'completed', is_open: false },
  ]
  const pageOf = (page: number, size = 100) =>
    Array.from({ length: size }, (_, index) => suggestion(page * size + index))

  it('is read to a page that is shorter, without what its condition leaves out', async () => {
    const { platform } = await startBoard('uservoice', (response, { query }) =>
      sendJson(response, {
        suggestions: pageOf(Number(query.page) - 1).slice(0, query.page === '3' ? 10 : 100),
        statuses,
      }),
    )
    const pages = await collectAll(platform)
    expect(idsOf(pages)).toEqual([99, 100, 10])
    expect(pages[0]![0]).toMatchObject({ votes: 7, status: null })
    expect(pages[0]!.slice(3, 6).map(({ status }) => status)).toEqual(['planned', 'completed', null])
  })

  it('ends with the page that reaches what is older', async () => {
    const { platform, received } = await startBoard('uservoice', (response, { query }) =>
      sendJson(response, { suggestions: pageOf(Number(query.page) - 1) }),
    )
    await collectAll(platform, new Date(Date.UTC(2026, 0, 100) - 150 * 3_600_000))
    expect(received).toHaveLength(2)
  })

  it('whose paging is broken says so: the second page is the first one again', async () => {
    const { platform, received } = await startBoard('uservoice', (response) =>
      sendJson(response, { suggestions: pageOf(0) }),
    )
    const { nextCursor } = await fetchPage(platform)
    const error = await platformError(fetchPageOrNull(platform, { cursor: nextCursor }), 'bad_response')
    expect(error.message).toBe(
      'board (uservoice) has the same items on page 2 as on the one before. Check its description.',
    )
    expect(received).toHaveLength(2)
  })

  it('whose pages never end is read to the last page that is allowed', async () => {
    const { platform, received } = await startBoard(
      'uservoice',
      (response, { query }) => sendJson(response, { suggestions: pageOf(Number(query.page)) }),
      (text) => text.replace('"newestFirst": true', '"maxPages": 4'),
    )
    await collectAll(platform)
    expect(received).toHaveLength(4)
  })

  it.each([
    ['no list', { suggestions: null }],
    ['a list elsewhere', { data: [] }],
    ['an object', { suggestions: { first: 1 } }],
    ['no object', 7],
  ])('is refused when it answers with %s', async (_what, body) => {
    const { platform } = await startBoard('uservoice', (response) => sendJson(response, body))
    const error = await platformError(fetchPage(platform), 'bad_response')
    expect(error.message).toContain('without the list of items')
  })

  it('leaves out what has no id or no address, and stores an item whose other fields have another form', async () => {
    const hostile = [
      { ...suggestion(1), id: null },
      { ...suggestion(2), portal_url: 'javascript:alert(1)' },
      {
        id: 4,
        portal_url: 'https://acme.example/4',
        title: { a: 1 },
        body: 'Dark mode',
        supporters_count: 'many',
        state: 'approved',
        created_at: 'yesterday',
      },
      { id: '9'.repeat(300), portal_url: 'https://acme.example/5', title: 'x', state: 'approved' },
      'text',
      null,
    ]
    const { platform } = await startBoard('uservoice', (response) => sendJson(response, { suggestions: hostile }))
    expect((await fetchPage(platform)).requests).toMatchObject([
      { sourceId: 'uservoice/4', title: 'Dark mode', votes: 0, originalCreatedAt: null },
    ])
  })
})
