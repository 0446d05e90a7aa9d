import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { FoundRequest, Platform } from '../platforms/platform.ts'

const platforms = new Map<PlatformName, Platform>()
let service: TestService

async function collect(platform: PlatformName, topic: string, requests: FoundRequest[]): Promise<string> {
  platforms.set(
    platform,
    scriptedPlatform(platform, () => ({ requests, nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic, platforms: [platform] })
  await service.client.waitForJob(body.data.jobId)
  return body.data.jobId
}

const day = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * 86_400_000)
const zebras = Array.from({ length: 130 }, (_, index) =>
  foundRequest(`z${index}`, {
    title: `Zebra number ${index}`,
    description: index % 2 === 0 ? 'striped' : 'plain',
    votes: index % 7,
    tags: index % 3 === 0 ? ['animal', 'c++'] : [],
    // Several at the same moment, and some whose moment the platform does not say.
    originalCreatedAt: index % 10 === 0 ? null : day(Math.floor(index / 4)),
  }),
)
const moose = foundRequest('m', {
  ...{
    title: 'Moose',
    description: 'large',
    tags: ['antlers'],
    authorName: 'Grace Hopper',
    authorHandle: 'amazing_grace',
  },
})
let mooseJob: string

beforeAll(async () => {
  service = await startTestService({ platforms })
  await collect('github', 'zebras', zebras)
  mooseJob = await collect('hackernews', 'Big  Animals', [
    moose,
    foundRequest('z-moose', { title: 'A zebra and a moose' }),
  ])
})
afterAll(() => service.stop())

const search = async (query: string, more: Record<string, unknown> = {}) =>
  (await service.client.search(query, more)).body
const titles = (answer: { data: { results: { title: string }[] } }) => answer.data.results.map((result) => result.title)

describe('a search', () => {
  it.each(['Moose', 'LARGE', 'antlers', 'hopper', 'grace', 'amazing grace', 'amazing_grace'])(
    'finds %j in title, description, tags, author name or handle',
    async (query) => {
      expect(titles(await search(query))).toContain('Moose')
    },
  )

  it('returns 20 by default, and says whether there are more', async () => {
    const first = await search('zebra')
    expect(first.data.results).toHaveLength(20)
    expect(first.data).toMatchObject({ hasMore: true, limitReached: false })
    expect(first.meta).toEqual({
      originalQuery: 'zebra',
      understood: { words: ['zebra'], phrases: [], excluded: [], alternatives: [], unknown: expect.anything() },
      maybeResults: 0,
      cachedResults: 20,
      expanded: false,
    })
    expect((await search('nothingwhatever')).meta.total).toBeUndefined()
    expect((await search('zebra', { total: true })).meta).toMatchObject({ total: 131, totalIsExact: true })
    expect(first.usage.credits).toEqual({ used: 2, limit: 15_000, remaining: 14_998 })
    const rare = await search('antlers')
    expect(rare.data).toMatchObject({ hasMore: false, limitReached: false })
  })

  it('never returns more than 100 in total, and says when it stops there', async () => {
    const seen = new Set<string>()
    for (const offset of [0, 30, 60]) {
      const page = await search('zebra', { limit: 30, offset })
      expect(page.data).toMatchObject({ hasMore: true, limitReached: false })
      for (const { _id } of page.data.results) seen.add(_id)
    }
    const last = await search('zebra', { limit: 30, offset: 90 })
    expect(last.data.results).toHaveLength(10)
    expect(last.data).toMatchObject({ hasMore: false, limitReached: true })
    for (const { _id } of last.data.results) seen.add(_id)
    expect(seen.size).toBe(100)
    expect((await search('zebra', { limit: 100 })).data).toMatchObject({ hasMore: false, limitReached: true })
  })

  it('does not filter by the platforms of an expansion', async () => {
    expect(titles(await search('moose', { platforms: ['github'] }))).toContain('Moose')
  })

  it('narrows by platform and by topic, whatever its case and spaces', async () => {
    const byPlatform = await search('zebra', { filters: { platforms: ['hackernews'] } })
    expect(titles(byPlatform)).toEqual(['A zebra and a moose'])
    expect(titles(await search('zebra', { filters: { topic: 'big animals' } }))).toEqual(['A zebra and a moose'])
    expect(titles(await search('zebra', { filters: { topic: 'big animals', platforms: ['github'] } }))).toEqual([])
    const wrong = await service.client.search('zebra', { filters: { platform: 'github' } })
    expect([wrong.status, wrong.body.error.details[0].path]).toEqual([400, 'filters.platform'])
  })

  it('finds nothing for unknown words and for punctuation', async () => {
    for (const query of ['xylophone', '?!', '🎉']) {
      expect((await search(query)).data).toEqual({ results: [], hasMore: false, limitReached: false })
    }
  })
})

describe('the list', () => {
  const list = async (query: string) => (await service.client.get(`/api/v1/requests?${query}`)).body
  async function all(query: string) {
    const results: {
      _id: string
      title: string
      votes: number
      originalCreatedAt: string | null
      createdAt: string
    }[] = []
    for (let cursor = ''; ; ) {
      const { data } = await list(`${query}&limit=17${cursor}`)
      results.push(...data.results)
      expect(data.hasMore).toBe(data.cursor !== null)
      if (!data.hasMore) return results
      cursor = `&cursor=${data.cursor}`
    }
  }

  it('pages through everything exactly once, newest first', async () => {
    const results = await all('sortBy=new')
    expect(new Set(results.map((result) => result._id)).size).toBe(132)
    expect(results).toHaveLength(132)
    const moments = results.map((result) => result.originalCreatedAt ?? result.createdAt)
    expect(moments).toEqual([...moments].sort().reverse())
  })

  it('pages through everything exactly once, most voted first', async () => {
    const results = await all('sortBy=votes')
    expect(new Set(results.map((result) => result._id)).size).toBe(132)
    const votes = results.map((result) => result.votes)
    expect(votes).toEqual([...votes].sort((a, b) => b - a))
  })

  it('keeps its position when requests are added meanwhile', async () => {
    const first = (await list('topic=zebras&limit=50')).data
    await collect('stackexchange', 'zebras', [foundRequest('late', { title: 'Late', originalCreatedAt: new Date() })])
    const second = (await list(`topic=zebras&limit=100&cursor=${first.cursor}`)).data
    const ids = [...first.results, ...second.results].map((result) => result._id)
    expect(new Set(ids).size).toBe(130)
  })

  it.each([
    ['topic=BIG%20%20animals', 2],
    ['topic=nothing', 0],
    ['tag=c%2B%2B', 44],
    ['tag=antlers', 1],
    ['platforms=hackernews', 2],
    ['platforms=hackernews,github', 132],
    ['platforms=hackernews&platforms=github', 132],
    ['platforms=hackernews&tag=antlers&topic=big%20animals', 1],
  ])('narrows by %s', async (query, count) => {
    expect(await all(query)).toHaveLength(count)
  })

  it('shows what a job found', async () => {
    const results = await all(`jobId=${mooseJob}`)
    expect(results.map((result) => result.title).sort()).toEqual(['A zebra and a moose', 'Moose'])
  })
})
