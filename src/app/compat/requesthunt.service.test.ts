import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { defaultPricing } from '../../accounts/plans.ts'
import { requestLimitsOf } from '../../accounts/settings.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'

const requestLimits = requestLimitsOf(defaultPricing)

// The calls and answers of the public clients. The MCP server itself runs in mcp-server.service.test.ts.

const base = '/compat/requesthunt/api/v1'
let service: TestService

beforeAll(async () => {
  const github = scriptedPlatform('github', () => ({
    requests: [1, 2, 3].map((number) =>
      foundRequest(String(number), {
        title: `Dark mode for window ${number}`,
        votes: number,
        authorName: 'Ada',
        authorHandle: 'ada',
      }),
    ),
    nextCursor: null,
  }))
  service = await startTestService({ platforms: new Map<PlatformName, Platform>([['github', github]]), requestLimits })
  const { body } = await service.client.post(`${base}/scrape`, {
    topic: 'Dark  mode & "more"',
    platforms: ['github'],
    depth: 1,
  })
  await service.client.waitForJob(body.data.jobId)
})
afterAll(() => service.stop())

const get = (path: string) => service.client.get(base + path)

describe('a list in the form of RequestHunt', () => {
  it('has an array in data, and where it goes on in meta', async () => {
    const first = await get('/requests?limit=2&sortBy=top')
    expect(first.status).toBe(200)
    expect(first.body.data.map(({ votes }: { votes: number }) => votes)).toEqual([3, 2])
    expect(first.body.data[0]).toMatchObject({
      sourcePlatform: 'github',
      commentCount: 0,
      authorName: 'Ada',
      authorHandle: 'ada',
      category: 'all-topics',
    })
    expect(first.body.meta).toEqual({ hasMore: true, cursor: expect.any(String) })
    const rest = await get(`/requests?limit=2&sortBy=top&cursor=${encodeURIComponent(first.body.meta.cursor)}`)
    expect(rest.body.data).toHaveLength(1)
    expect(rest.body.meta).toEqual({ hasMore: false, cursor: null })
    expect(rest.body.usage.credits).toEqual({ used: 1, limit: 15_000, remaining: 14_999 })
  })

  it.each([
    ['category=all-topics', 3],
    ['category=All%20topics', 3],
    ['category=developer-tools', 0],
    ['platforms=github,requesthunt', 3],
    ['platforms=requesthunt', 0],
    ['platforms=gitlab', 0],
  ])('%s has %i requests', async (query, count) => {
    const { status, body } = await get(`/requests?limit=20&sortBy=new&${query}`)
    expect([status, body.data.length]).toEqual([200, count])
  })

  it('of each of the topics, which are strings, has its requests', async () => {
    const { body } = await get('/topics')
    const [category] = body.data
    expect(category).toEqual({ name: 'All topics', slug: 'all-topics', topics: ['Dark  mode & "more"'] })
    const ofTopic = await get(`/requests?topic=${encodeURIComponent(category.topics[0])}`)
    expect(ofTopic.body.data).toHaveLength(3)
  })

  it('collects live with source=realtime, for the same price', async () => {
    const { status, body } = await get('/requests?source=realtime&topic=night%20theme&platforms=github')
    expect(status).toBe(200)
    expect(body.meta).toMatchObject({ newResultsFound: 0, hasMore: expect.any(Boolean) })
    expect(body.usage.credits.used).toBe(2)
  })
})

describe('what is refused', () => {
  it.each([
    '/requests?limit=0',
    '/requests?limit=101',
    '/requests?platforms=nonsense',
    '/requests?cursor=nonsense',
    '/requests?sortBy=old',
    '/requests?page=2',
    '/requests?source=realtime',
    '/topics?limit=5',
  ])('%s is a 400 with the common body', async (path) => {
    const { status, body } = await get(path)
    expect([status, body.error.code]).toEqual([400, 'INVALID_REQUEST'])
  })

  it('a call without a key, or with a wrong one, is a 401', async () => {
    for (const path of ['/requests', '/topics', '/usage', '/requests?category=none']) {
      const { status, body } = await service.clientFor(null).get(base + path)
      expect([path, status, body.error.code]).toEqual([path, 401, 'UNAUTHORIZED'])
    }
  })

  it('an address that RequestHunt does not have is a 404', async () => {
    expect((await service.client.get('/compat/requesthunt/api/v2/topics')).status).toBe(404)
    expect((await service.client.get('/compat/requesthunt/api/v1/nothing')).status).toBe(404)
    expect((await service.client.get('/compat/requesthunt/api/admin/accounts')).status).toBe(404)
  })
})

it('every other call is that of /api/v1', async () => {
  const search = await service.client.post(`${base}/requests/search`, { query: 'dark mode', limit: 20, expand: false })
  expect(search.body.data.results).toHaveLength(3)
  const usage = await get('/usage')
  expect(usage.body.data).toMatchObject({ tier: 'max', rateLimit: { requestsPerMinute: 240 } })
  // The scripts send these platforms by default; they are off here.
  const scrape = await service.client.post(`${base}/scrape`, {
    topic: 'offline maps',
    platforms: ['reddit', 'x'],
    depth: 1,
  })
  expect([scrape.status, scrape.body.data.status]).toEqual([200, 'completed'])
  const job = await get(`/scrape/${scrape.body.data.jobId}`)
  expect(job.body.data.progress).toEqual({ reddit: 'skipped', x: 'skipped' })
})

it('a call counts once towards the limit of the plan', async () => {
  const leftOf = (answer: { headers: Headers }) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  const before = leftOf(await service.client.get('/api/v1/usage'))
  expect(leftOf(await get('/requests'))).toBe(before - 1)
  expect(leftOf(await get('/topics'))).toBe(before - 2)
})
