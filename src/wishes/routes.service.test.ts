import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import { joinWish } from '../../test/stored-wish.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { FoundRequest, Platform } from '../platforms/platform.ts'

const platforms = new Map<PlatformName, Platform>()
let service: TestService
/** The ids of the requests by their titles. */
let ids: Map<string, string>

async function collect(platform: PlatformName, topic: string, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    platform,
    scriptedPlatform(platform, () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: [platform] })
  await service.client.waitForJob(body.data.jobId, 60_000)
}

const idOf = (title: string): string => ids.get(title)!
const get = async (path: string) => (await service.client.get(path)).body.data

const join = (wish: string, ...titles: string[]) => joinWish(service.database, wish, titles.map(idOf))

beforeAll(async () => {
  service = await startTestService({ platforms })
  await collect('github', 'Dark mode', [
    foundRequest('1', {
      sourceName: 'acme/app',
      title: 'Dark mode for the editor',
      votes: 10,
      tags: ['ui'],
      status: 'open',
    }),
    foundRequest('2', {
      sourceName: 'acme/app',
      title: 'A dark theme',
      votes: 30,
      tags: ['theme'],
      status: 'completed',
    }),
    foundRequest('3', { title: 'Keyboard shortcuts', votes: 35, tags: [] }),
  ])
  await collect('hackernews', 'dark mode', [
    foundRequest('1', {
      title: 'Night mode',
      votes: 7,
      tags: [],
      originalCreatedAt: new Date('2025-03-04T00:00:00.000Z'),
    }),
  ])
  const { rows } = await sql<{ id: string; title: string }>`select id, title from requests`.execute(service.database)
  ids = new Map(rows.map(({ id, title }) => [title, id]))
  await join(idOf('Dark mode for the editor'), 'Dark mode for the editor', 'A dark theme', 'Night mode')
})
afterAll(() => service.stop())

describe('the list of wishes', () => {
  test('has the numbers of each wish, the most voted first, and the title of its most voted request', async () => {
    const { results, hasMore, cursor } = await get('/api/v1/wishes')
    expect(results).toMatchObject([
      {
        wishId: idOf('Dark mode for the editor'),
        title: 'A dark theme',
        requestCount: 3,
        votes: 47,
        platforms: ['github', 'hackernews'],
        status: 'open',
        firstAskedAt: '2025-03-04T00:00:00.000Z',
        growth: { days7: null, days30: null },
        topRequest: { title: 'A dark theme', votes: 30 },
        mark: null,
      },
      { wishId: idOf('Keyboard shortcuts'), title: 'Keyboard shortcuts', requestCount: 1, votes: 35, status: null },
    ])
    expect([hasMore, cursor]).toEqual([false, null])
  })

  test('a filter leaves wishes, and changes no number', async () => {
    const listed = async (query: string) =>
      (await get(`/api/v1/wishes?${query}`)).results.map((wish: { votes: number }) => wish.votes)
    expect(await listed('platforms=hackernews')).toEqual([47])
    expect(await listed('tag=ui')).toEqual([47])
    expect(await listed('tag=ui&tag=theme')).toEqual([])
    expect(await listed('topic=Dark%20%20Mode&minVotes=40')).toEqual([47])
    expect(await listed('minVotes=48')).toEqual([])
    expect(await listed('status=open')).toEqual([47])
    expect(await listed('status=completed')).toEqual([])
    expect(await listed('until=2025-12-01')).toEqual([47])
    expect(await listed('sortBy=growing')).toEqual([])
  })

  test.each(['votes', 'requests', 'new'])('pages by %s have every wish once', async (sortBy) => {
    const whole = await get(`/api/v1/wishes?sortBy=${sortBy}`)
    const first = await get(`/api/v1/wishes?sortBy=${sortBy}&limit=1`)
    const second = await get(`/api/v1/wishes?sortBy=${sortBy}&limit=1&cursor=${first.cursor}`)
    expect([...first.results, ...second.results]).toEqual(whole.results)
    expect([first.hasMore, second.hasMore]).toEqual([true, false])
  })

  test('a mark is in the answers of its account alone, and filters its list', async () => {
    const wishId = idOf('Keyboard shortcuts')
    await service.client.get('/api/v1/wishes')
    const response = await fetch(`${service.url}/api/v1/wishes/${wishId}/mark`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${service.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ mark: 'planned' }),
    })
    expect(response.status).toBe(200)
    const marks = (data: { results: { mark: { mark: string } | null }[] }) => data.results.map(({ mark }) => mark?.mark)
    expect(marks(await get('/api/v1/wishes'))).toEqual([undefined, 'planned'])
    expect(marks(await get('/api/v1/wishes?mark=planned'))).toEqual(['planned'])
    expect(marks(await get('/api/v1/wishes?mark=none'))).toEqual([undefined])
    expect(marks(await get('/api/v1/wishes?mark=done'))).toEqual([])
    const { client } = await service.createAccount()
    expect(marks((await client.get('/api/v1/wishes')).body.data)).toEqual([undefined, undefined])
  })
})

describe('one wish', () => {
  test('shows its requests, statuses, votes by platform, topics and timeline, which all have the same sums', async () => {
    const wish = await get(`/api/v1/wishes/${idOf('Dark mode for the editor')}`)
    expect(wish).toMatchObject({
      title: 'A dark theme',
      requestCount: 3,
      votes: 47,
      statuses: [
        { status: 'completed', requests: 1 },
        { status: 'open', requests: 1 },
        { status: null, requests: 1 },
      ],
      votesByPlatform: [
        { platform: 'github', requests: 2, votes: 40, votesAre: expect.stringContaining('reactions') },
        { platform: 'hackernews', requests: 1, votes: 7, votesAre: expect.stringContaining('points') },
      ],
      products: [{ product: 'acme/app', requests: 2, votes: 40 }],
      largestShare: 30 / 47,
      isMergedByModel: false,
      topics: [{ topic: 'Dark mode', requests: 3 }],
      members: { hasMore: false, cursor: null },
      possiblySame: [],
      mark: null,
    })
    expect(wish.members.results.map(({ votes }: { votes: number }) => votes)).toEqual([30, 10, 7])
    const posted = wish.timeline.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
    expect(posted).toBe(3)
  })

  test('pages of its requests have every one once', async () => {
    const path = `/api/v1/wishes/${idOf('Dark mode for the editor')}`
    const first = await get(`${path}?limit=2`)
    const second = await get(`${path}?limit=2&cursor=${first.members.cursor}`)
    expect([...first.members.results, ...second.members.results]).toHaveLength(3)
    expect([first.members.hasMore, second.members.hasMore]).toEqual([true, false])
  })

  test('a request that no other one is like is a wish by itself', async () => {
    const wish = await get(`/api/v1/wishes/${idOf('Keyboard shortcuts').toUpperCase()}`)
    expect(wish).toMatchObject({ requestCount: 1, votes: 35, members: { results: [{ title: 'Keyboard shortcuts' }] } })
  })

  test('a wish without likely requests is not found, nor is what is no wish', async () => {
    const statusOf = async (id: string) => (await service.client.get(`/api/v1/wishes/${id}`)).status
    expect(await statusOf(idOf('Night mode'))).toBe(404)
    expect(await statusOf(crypto.randomUUID())).toBe(404)
    expect(await statusOf('nonsense')).toBe(404)
  })
})
