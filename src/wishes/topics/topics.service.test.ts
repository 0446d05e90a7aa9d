import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { leaveWishes, makeWish } from '../../../test/stored-wish.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'
import { findWrongCounts } from './verify.ts'

const platforms = new Map<PlatformName, Platform>()
let service: TestService

async function collect(platform: PlatformName, topic: string, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    platform,
    scriptedPlatform(platform, () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: [platform] })
  await service.client.waitForJob(body.data.jobId, 60_000)
}
const get = async (path: string) => (await service.client.get(path)).body.data
const now = Date.now()
const daysAgo = (days: number) => new Date(now - days * 86_400_000)

beforeAll(async () => {
  service = await startTestService({ platforms })
  await collect('github', 'Dark  Mode', [
    foundRequest('1', {
      title: 'Dark mode for the editor',
      votes: 10,
      tags: ['ui', 'theme'],
      originalCreatedAt: daysAgo(1),
    }),
    foundRequest('2', { title: 'A dark theme in the evening', votes: 5, tags: ['ui'], originalCreatedAt: daysAgo(20) }),
    foundRequest('3', { title: 'Keyboard shortcuts', votes: 2, tags: [], originalCreatedAt: daysAgo(100) }),
  ])
  await collect('hackernews', 'dark mode', [
    foundRequest('1', { title: 'Dark mode in the editor', votes: 7, tags: ['ui'], originalCreatedAt: null }),
  ])
  await collect('github', 'Export', [foundRequest('9', { title: 'Export as CSV', votes: 100, tags: [] })])
  await collect('github', 'nothing here', [])
})
afterAll(() => service.stop())

describe('the list of topics', () => {
  it('has requests, votes, growth by original date, tags and the last collection', async () => {
    const { results: topics } = await get('/api/v1/topics?query=dark')
    expect(topics).toEqual([
      {
        topic: 'Dark  Mode',
        requests: 4,
        votes: 24,
        maybeRequests: 0,
        growth: { days7: 2, days30: 3 },
        tags: [
          { tag: 'ui', requests: 3 },
          { tag: 'theme', requests: 1 },
        ],
        lastCollectedAt: topics[0].lastCollectedAt,
      },
    ])
    expect(Math.abs(Date.parse(topics[0].lastCollectedAt) - Date.now())).toBeLessThan(600_000)
  })

  it('is ordered by collection, votes or name, paged by its cursor, and excludes topics without requests', async () => {
    for (const [sortBy, names] of [
      ['new', ['Export', 'Dark  Mode']],
      ['votes', ['Export', 'Dark  Mode']],
      ['name', ['Dark  Mode', 'Export']],
    ] as const) {
      const first = await get(`/api/v1/topics?sortBy=${sortBy}&limit=1`)
      const second = await get(`/api/v1/topics?sortBy=${sortBy}&limit=1&cursor=${first.cursor}`)
      expect([first.hasMore, second.hasMore, second.cursor]).toEqual([true, false, null])
      expect([...first.results, ...second.results].map(({ topic }) => topic)).toEqual(names)
    }
  })

  it.each(['x', 'W10', '%00', 'eyJhIjoxfQ', Buffer.from('["topics-new",1]').toString('base64url')])(
    'refuses the cursor %s',
    async (cursor) => {
      const answer = await service.client.get(`/api/v1/topics?cursor=${cursor}`)
      expect([answer.status, answer.body.error.details[0].path]).toEqual([400, 'cursor'])
    },
  )

  it('refuses or answers a cursor with a position that no topic can have', async () => {
    for (const key of [-1, 1e15, 9e15, -9e15]) {
      for (const order of ['new', 'votes', 'name']) {
        const cursor = Buffer.from(JSON.stringify([`topics-${order}`, key, 'x'])).toString('base64url')
        const answer = await service.client.get(`/api/v1/topics?sortBy=${order}&cursor=${cursor}`)
        expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
      }
    }
  })
})

describe('a topic', () => {
  it('has its platforms, and a timeline of its requests', async () => {
    const page = await get(`/api/v1/topics/${encodeURIComponent('DARK mode')}`)
    expect(page).toMatchObject({ topic: 'Dark  Mode', requests: 4, votes: 24 })
    expect(page.platforms).toEqual([
      { platform: 'github', requests: 3, votes: 17, votesAre: expect.stringContaining('reactions') },
      { platform: 'hackernews', requests: 1, votes: 7, votesAre: expect.stringContaining('points') },
    ])
    const total = page.timeline.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
    expect(total).toBe(4)
  })

  it('says by status and product what it has, and how much of it its largest request is', async () => {
    await collect('github', 'zebra', [
      foundRequest('z1', { title: 'Zebra stripes', votes: 30, status: 'open', sourceName: 'acme/app', tags: [] }),
      foundRequest('z2', { title: 'Zebra crossing', votes: 8, status: 'completed', sourceName: 'Acme/App', tags: [] }),
      foundRequest('z3', { title: 'Plain horses', votes: 2, status: 'open', sourceName: 'other/app', tags: ['zebra'] }),
      foundRequest('z4', { title: 'Plain donkeys', votes: 60, status: null, sourceName: null, tags: ['zebra'] }),
    ])
    const { breakdown, wishes } = await get('/api/v1/topics/zebra')
    expect(breakdown).toEqual({
      statusUnknown: { requests: 1, votes: 60 },
      statuses: [
        { status: 'open', requests: 2, votes: 32 },
        { status: 'completed', requests: 1, votes: 8 },
      ],
      products: [
        { product: 'acme/app', requests: 2, votes: 38 },
        { product: 'other/app', requests: 1, votes: 2 },
      ],
      largest: { requestId: wishes[2].request._id, votes: 60, share: 0.6 },
      counted: 4,
    })
    // What it is only a tag of comes last, however many votes it has.
    expect(wishes.map(({ request }: { request: { title: string } }) => request.title)).toEqual([
      'Zebra stripes',
      'Zebra crossing',
      'Plain donkeys',
      'Plain horses',
    ])
  })

  it('shows its wishes in the numbers of the whole wish, the most voted first', async () => {
    const before = await get('/api/v1/topics/dark%20mode')
    expect(before.wishes.map(({ votes, requests }: Record<string, number>) => [votes, requests])).toEqual([
      [10, 1],
      [7, 1],
      [5, 1],
      [2, 1],
    ])
    const { results } = await get('/api/v1/requests?limit=100')
    const ofTitle = (title: string) => results.find((request: { title: string }) => request.title === title)._id
    const titles = ['Keyboard shortcuts', 'Dark mode in the editor', 'Export as CSV']
    const wishId = await makeWish(service.database, titles.map(ofTitle))
    const { wishes } = await get('/api/v1/topics/dark%20mode')
    // The most telling request and most votes are those of another topic: it is the same wish there.
    expect(wishes[0]).toMatchObject({
      wishId,
      request: { title: 'Export as CSV', wish: { wishId, requestCount: 3, votes: 109 } },
      votes: 109,
      requests: 3,
      platforms: ['github', 'hackernews'],
    })
    expect(wishes.map(({ votes }: { votes: number }) => votes)).toEqual([109, 10, 5])
    expect((await get('/api/v1/topics/export')).wishes).toEqual([wishes[0]])
    await leaveWishes(service.database, titles.map(ofTitle))
  })

  it.each(['nothing%20here', 'unheard', '%00', 'x'.repeat(3_000), '..%2f'])(
    'that has no requests is not found: %s',
    async (name) => {
      expect([400, 404]).toContain((await service.client.get(`/api/v1/topics/${name}`)).status)
    },
  )

  it('loses purged requests at once: their votes, tags, days and wishes', async () => {
    const admin = service.clientFor(service.adminKey)
    await admin.post('/api/admin/purge', { platform: 'github' })
    const page = await get('/api/v1/topics/dark%20mode')
    expect(page).toMatchObject({
      requests: 1,
      votes: 7,
      tags: [{ tag: 'ui', requests: 1 }],
      growth: { days7: 1, days30: 1 },
      platforms: [{ platform: 'hackernews', requests: 1, votes: 7 }],
      wishes: [{ votes: 7, requests: 1, platforms: ['hackernews'] }],
    })
    expect((await service.client.get('/api/v1/topics/export')).status).toBe(404)
    expect((await get('/api/v1/topics')).results).toHaveLength(1)
    expect(await findWrongCounts(service.database)).toEqual([])
    const { rows } = await sql`select 1 from topic_counts where value = 'theme'`.execute(service.database)
    expect(rows).toEqual([])
  })
})
