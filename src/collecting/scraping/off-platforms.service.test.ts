import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../../../test/event-reader.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import { platformNames } from '../../platforms/registry.ts'

// Holds (Jobs): a disabled platform is skipped with an explanation and never charged

const github = scriptedPlatform('github', numberedPages(3))
let service: TestService
beforeAll(async () => {
  service = await startTestService({
    platforms: platformMap(github),
    environment: { PLATFORMS: 'github', LIVE_DEADLINE_SECONDS: '60' },
  })
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
  github.calls.length = 0
})
afterAll(() => service.stop())

const scrape = async (body: Record<string, unknown>) => service.client.scrape({ topic: 'dark mode', ...body })
const usage = async () => (await service.client.get('/api/v1/usage')).body.data.credits
const withoutDefaults = platformNames.filter((name) => name !== 'github')

describe('a platform that is supported but off', () => {
  it('is skipped in a job that reports what to set, and nothing is reserved or charged for it', async () => {
    const { status, body } = await scrape({ platforms: ['bluesky', 'github', 'hackernews'], depth: 2, maxCredits: 2 })
    expect([status, body.data.status, body.data.platforms]).toEqual([
      200,
      'pending',
      ['bluesky', 'github', 'hackernews'],
    ])
    expect(body.usage.credits.used).toBe(2)
    const job = await service.client.waitForJob(body.data.jobId)
    expect(job).toMatchObject({
      status: 'completed',
      progress: { bluesky: 'skipped', github: 'done', hackernews: 'skipped' },
      requestsCreated: 4,
    })
    expect(job.errors).toEqual([
      {
        platform: 'bluesky',
        code: 'not_configured',
        message:
          'The platform bluesky is off. Add bluesky to PLATFORMS and set BLUESKY_HANDLE and BLUESKY_APP_PASSWORD (docs/platforms/bluesky.md).',
      },
      {
        platform: 'hackernews',
        code: 'not_configured',
        message: 'The platform hackernews is off. Add hackernews to PLATFORMS (docs/platforms/hackernews.md).',
      },
    ])
    expect((await usage()).used).toBe(2)
  })

  it('ends a job of only such platforms at once, at no cost, also when the credits are used up', async () => {
    const { client } = await service.createAccount('free')
    const { body } = await client.scrape({ topic: 'dark mode', platforms: withoutDefaults, depth: 40 })
    expect([body.data.status, body.usage.credits.used]).toEqual(['completed', 0])
    const job = (await client.get(`/api/v1/scrape/${body.data.jobId}`)).body.data
    expect(job).toMatchObject({ status: 'completed', requestsCreated: 0, startedAt: null })
    expect(Date.parse(job.completedAt)).toBeGreaterThan(0)
    expect(job.errors.map(({ platform }: { platform: string }) => platform)).toEqual(withoutDefaults)
    const { results: jobs } = (await client.get('/api/v1/scrape?status=completed')).body.data
    expect(jobs).toHaveLength(1)
    expect((await client.send('DELETE', `/api/v1/scrape/${body.data.jobId}`)).status).toBeLessThan(300)
    expect(github.calls).toEqual([])
  })

  it('is reported in the events of the job', async () => {
    const { body } = await scrape({ platforms: ['x', 'github'] })
    const events = await openEvents(service, body.data.jobId)
    const skipped = await events.until(({ data }) => data.platform === 'x')
    expect(skipped.data).toMatchObject({ state: 'skipped', error: { code: 'not_configured' } })
    await events.until(({ event }) => event === 'end')
  })

  it('is accepted in searches, lists and exports, which refuse only unknown names', async () => {
    const { client } = service
    const { body } = await scrape({ platforms: ['github'] })
    await client.waitForJob(body.data.jobId)
    const search = (more: object) => client.post('/api/v1/requests/search', { query: 'request', ...more })
    expect((await search({ platforms: ['bluesky'] })).body.data.results).toHaveLength(2)
    expect((await search({ filters: { platforms: ['bluesky'] } })).body.data.results).toEqual([])
    for (const path of ['/api/v1/requests?platforms=bluesky,x', '/api/v1/requests/export?platforms=bluesky']) {
      expect((await client.get(path)).status).toBe(200)
    }
    const known = platformNames.join(', ')
    const refused = [
      await search({ platforms: ['myspace'] }),
      await search({ filters: { platforms: ['github', 'myspace'] } }),
      await scrape({ platforms: ['myspace'] }),
      await client.get('/api/v1/requests?platforms=myspace'),
      await client.get('/api/v1/requests?source=realtime&topic=tabs&platforms=github,myspace'),
    ]
    for (const answer of refused) {
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.body)).toContain(known)
    }
  })

  it('is reported by a live call, which calls the others and releases the credit when there are none', async () => {
    const { client } = service
    const expand = (platforms: string[], query: string) =>
      client.post('/api/v1/requests/search', { query, expand: true, platforms })
    const both = await expand(['x', 'github'], 'dark mode')
    expect(both.body.meta).toMatchObject({ topicsScraped: 1, newResultsFound: 2 })
    expect(both.body.meta.errors).toEqual([
      {
        platform: 'x',
        topic: 'dark mode',
        code: 'not_configured',
        message: 'The platform x is off. Add x to PLATFORMS and set X_BEARER_TOKEN (docs/platforms/x.md).',
      },
    ])
    expect(both.body.usage.credits.used).toBe(1)
    github.calls.length = 0
    const none = await expand(['x', 'youtube'], 'csv export')
    expect(none.body.meta).toMatchObject({ topicsScraped: 0, topicsSkipped: 0, newResultsFound: 0 })
    expect(none.body.meta.errors.map(({ platform }: { platform: string }) => platform)).toEqual(['x', 'youtube'])
    expect(none.body.usage.credits.used).toBe(1)
    const list = await client.get('/api/v1/requests?source=realtime&topic=offline&platforms=reddit')
    expect([list.status, list.body.meta.errors]).toMatchObject([200, [{ platform: 'reddit', code: 'not_configured' }]])
    expect(list.body.usage.credits.used).toBe(1)
    expect(github.calls).toEqual([])
  })
})
