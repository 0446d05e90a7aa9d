import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { makeWish } from '../../../test/stored-wish.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'

// Holds (Dashboard): records, similar requests, topics, grouped searches and the page agree on a wish's numbers, for every account

const platforms = new Map<PlatformName, Platform>()
let service: TestService

async function collect(platform: PlatformName, requests: FoundRequest[]): Promise<void> {
  platforms.set(
    platform,
    scriptedPlatform(platform, () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'wishes', platforms: [platform] })
  await service.client.waitForJob(body.data.jobId, 60_000)
}
const listed = async (): Promise<{ _id: string; title: string; votes: number }[]> =>
  (await service.client.get('/api/v1/requests?limit=100')).body.data.results
const requestOf = async (title: string) => (await listed()).find((request) => request.title === title)!
const idOf = async (title: string) => (await requestOf(title))._id
const similar = async (id: string, query = '') =>
  (await service.client.get(`/api/v1/requests/${id}/similar${query}`)).body

beforeAll(async () => {
  service = await startTestService({ platforms })
  const wish = (sourceId: string, title: string, votes: number, description = '') =>
    foundRequest(sourceId, { title, votes, description, tags: [] })
  await collect('github', [
    wish('1', 'Dark mode for the code editor', 10, 'White hurts my eyes at night.'),
    wish('2', 'Export the table as CSV', 3),
    wish('3', 'Editor: keyboard shortcuts for the outline', 2),
  ])
  await collect('hackernews', [wish('1', 'Please add a dark mode to the code editor', 7, 'My eyes hurt at night.')])
  await collect('stackexchange', [wish('1', 'Code editor: Dark Mode', 4, 'So bright.'), wish('2', '!!!', 1)])
})
afterAll(() => service.stop())

describe('similar requests', () => {
  let wishId: string

  it('are possibly the same before they are one wish: marked, the most similar first, and in no number', async () => {
    const { data } = await similar(await idOf('Dark mode for the code editor'))
    expect(data).toMatchObject({ votes: 10, requests: 1, platforms: ['github'], wish: { requestCount: 1, votes: 10 } })
    const found = data.results.map(({ sourcePlatform }: { sourcePlatform: string }) => sourcePlatform)
    expect(found.sort()).toEqual(['hackernews', 'stackexchange'])
    expect(data.results.map(({ sameWish }: { sameWish: boolean }) => sameWish)).toEqual([false, false])
    const similarities = data.results.map(({ similarity }: { similarity: number }) => similarity)
    expect(similarities).toEqual([...similarities].sort((a, b) => b - a))
  })

  it('are the other members of the wish first, with the numbers of the whole wish', async () => {
    const titles = ['Dark mode for the code editor', 'Please add a dark mode to the code editor']
    wishId = await makeWish(service.database, await Promise.all(titles.map(idOf)))
    for (const title of titles) {
      const { data } = await similar(await idOf(title))
      expect(data).toMatchObject({ votes: 17, requests: 2, platforms: ['github', 'hackernews'] })
      expect(data.wish).toEqual({ wishId, requestCount: 2, votes: 17, own: null })
      expect(data.results.map((one: { sameWish: boolean; votes: number }) => [one.sameWish, one.votes])).toEqual([
        [true, title === titles[0] ? 7 : 10],
        [false, 4],
      ])
    }
  })

  it('beyond the limit are counted too', async () => {
    const { data } = await similar(await idOf('Dark mode for the code editor'), '?limit=1')
    expect([data.results.length, data.requests, data.votes]).toEqual([1, 2, 17])
  })

  it('and every list, search and export say the same of the wish', async () => {
    const wish = { wishId, requestCount: 2, votes: 17, own: null }
    const { body } = await service.client.search('dark mode', { limit: 10 })
    const headers = { authorization: `Bearer ${service.apiKey}` }
    const text = await (await fetch(`${service.url}/api/v1/requests/export`, { headers })).text()
    const exported = text.split('\n').filter(Boolean)
    const one = await service.client.get(`/api/v1/requests/${await idOf('Dark mode for the code editor')}`)
    for (const records of [
      await listed(),
      body.data.results,
      exported.map((line) => JSON.parse(line)),
      [one.body.data],
    ]) {
      const members = records.filter(({ title }: { title: string }) => /dark mode (for|to)/i.test(title))
      expect(members.map((record: { wish: unknown }) => record.wish)).toEqual(members.map(() => wish))
      expect(members.length).toBeGreaterThan(0)
    }
    const { _id, votes, ...others } = await requestOf('Export the table as CSV')
    expect(others).toMatchObject({ wish: { wishId: _id, requestCount: 1, votes } })
  })

  it('are an empty list where there are none, also for a title without a word', async () => {
    for (const title of ['!!!', 'Export the table as CSV']) {
      const { _id, votes } = await requestOf(title)
      expect((await similar(_id)).data).toMatchObject({ results: [], votes, requests: 1 })
    }
  })

  it('of an unknown request are a 404', async () => {
    for (const id of [crypto.randomUUID(), 'x', '%00']) {
      expect([400, 404]).toContain((await service.client.get(`/api/v1/requests/${id}/similar`)).status)
      expect([400, 404]).toContain((await service.client.get(`/api/v1/requests/${id}`)).status)
    }
  })

  it('lose a purged request at once', async () => {
    const id = await idOf('Dark mode for the code editor')
    const gone = (await similar(id)).data.results[0]
    await service.clientFor(service.adminKey).post('/api/admin/purge', { id: gone._id })
    const { data } = await similar(id)
    expect(data).toMatchObject({ requests: 1, votes: 17 - gone.votes })
    expect((await service.client.get(`/api/v1/requests/${gone._id}`)).status).toBe(404)
  })
})
