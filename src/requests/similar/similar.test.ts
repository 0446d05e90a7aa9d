import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'

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
  it('are the same wish on other platforms, the most similar first, with the sum of their votes', async () => {
    const { data } = await similar(await idOf('Dark mode for the code editor'))
    expect(data).toMatchObject({ votes: 21, requests: 3, platforms: ['github', 'hackernews', 'stackexchange'] })
    const found = data.results.map(({ sourcePlatform }: { sourcePlatform: string }) => sourcePlatform)
    expect(found.sort()).toEqual(['hackernews', 'stackexchange'])
    const similarities = data.results.map(({ similarity }: { similarity: number }) => similarity)
    expect(similarities).toEqual([...similarities].sort((a, b) => b - a))
  })

  it('beyond the limit are counted too', async () => {
    const { data } = await similar(await idOf('Dark mode for the code editor'), '?limit=1')
    expect([data.results.length, data.requests, data.votes]).toEqual([1, 3, 21])
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
    expect(data).toMatchObject({ requests: 2, votes: 21 - gone.votes })
    expect((await service.client.get(`/api/v1/requests/${gone._id}`)).status).toBe(404)
  })
})
