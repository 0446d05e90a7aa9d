import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { foundRequest, numberedPages, type Script, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { Discarded, PlatformName } from '../../database/column-types.ts'
import type { Platform } from '../../platforms/platform.ts'

// Holds (Jobs): a refresh that changes nothing writes nothing

const platforms = new Map<PlatformName, Platform>()
let service: TestService

/** Gives GitHub its script for this test. */
const play = (script: Script) => platforms.set('github', scriptedPlatform('github', script))
/** Runs a job on GitHub to its end. */
const runJob = async (topic: string) => {
  const { body } = await service.client.scrape({ topic, platforms: ['github'] })
  return service.client.waitForJob(body.data.jobId)
}
const found = async (jobId: string) =>
  (await service.client.get(`/api/v1/requests?jobId=${jobId}&limit=100`)).body.data.results

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

describe('jobs at the same time', () => {
  it('that find the same requests store each once, and none tries again', async () => {
    let arrived = 0
    const { promise: allArrived, resolve: release } = Promise.withResolvers<void>()
    play(async (call, request) => {
      // All of them store their page at the same moment.
      arrived += 1
      if (arrived === 6) release()
      await allArrived
      return numberedPages(1, 40)(call, request)
    })
    const started = await Promise.all(
      Array.from({ length: 6 }, () => service.client.scrape({ topic: 'dark mode', platforms: ['github'] })),
    )
    const jobs = await Promise.all(started.map(({ body }) => service.client.waitForJob(body.data.jobId)))
    expect(jobs.map((job) => job.requestsCreated).sort()).toEqual([0, 0, 0, 0, 0, 40])
    for (const job of jobs) expect(await found(job.jobId)).toHaveLength(40)
    expect(arrived).toBe(6)
  })
})

describe('a stored page', () => {
  const rows = () =>
    sql<{ version: string }>`
      select 'request ' || source_id || ctid::text || xmin::text as version from requests
      union all select 'text ' || request_id || ctid::text || xmin::text from request_texts order by 1`.execute(
      service.database,
    )

  it('writes nothing when a refresh changes nothing', async () => {
    play(numberedPages(1, 5))
    await runJob('dark mode')
    const before = await rows()
    const job = await runJob('dark mode')
    expect(job.requestsCreated).toBe(0)
    expect(await found(job.jobId)).toHaveLength(5)
    expect((await rows()).rows).toEqual(before.rows)
  })

  it('updates the votes of a known request without rewriting the searched text', async () => {
    let votes = 1
    play(() => ({ requests: [foundRequest('a', { votes })], nextCursor: null }))
    const texts = () => sql`select ctid::text, xmin::text from request_texts`.execute(service.database)
    await runJob('dark mode')
    const before = await texts()
    votes = 42
    const job = await runJob('light mode')
    const [request] = await found(job.jobId)
    expect(request).toMatchObject({ votes: 42, topic: 'dark mode', topics: ['dark mode', 'light mode'] })
    expect(request.updatedAt > request.createdAt).toBe(true)
    expect((await texts()).rows).toEqual(before.rows)
  })

  it('makes a changed request searchable by its new text only', async () => {
    let title = 'Support penguins'
    play(() => ({ requests: [foundRequest('a', { title })], nextCursor: null }))
    await runJob('birds')
    expect((await service.client.search('penguins')).body.data.results).toHaveLength(1)
    title = 'Support ostriches'
    await runJob('birds')
    expect((await service.client.search('ostriches')).body.data.results).toHaveLength(1)
    expect((await service.client.search('penguins')).body.data.results).toEqual([])
  })

  it('has every field of the platform, and no invented value', async () => {
    const bare = foundRequest('bare', {
      description: '',
      votes: 0,
      tags: [],
      commentCount: null,
      authorName: null,
      authorHandle: null,
      authorProfileUrl: null,
      license: null,
      originalCreatedAt: null,
    })
    const odd = foundRequest('odd', {
      votes: 9e15,
      commentCount: 2.5,
      originalCreatedAt: new Date('9000-01-01T00:00:00Z'),
      license: 'CC BY-SA 4.0',
      title: 'emoji 🎉 \'quotes\' \\ "{}" $1',
    })
    play(() => ({ requests: [bare, odd, { ...odd, votes: 7 }], nextCursor: null }))
    const job = await runJob('Dark  Mode')
    expect(job.requestsCreated).toBe(2)
    const results = await found(job.jobId)
    const byUrl = Object.fromEntries(
      results.map((result: { sourceUrl: string }) => [result.sourceUrl.slice(-3), result]),
    )
    expect(byUrl.are).toEqual({
      _id: expect.any(String),
      title: 'Request bare',
      description: '',
      descriptionTruncated: false,
      confidence: 1,
      likelihood: 'likely',
      corrected: false,
      status: null,
      statusChangedAt: null,
      statusObserved: false,
      excerpt: false,
      sourceName: null,
      product: null,
      votes: 0,
      stars: null,
      tags: [],
      commentCount: null,
      sourcePlatform: 'github',
      sourceUrl: 'https://example.org/bare',
      topic: 'Dark  Mode',
      topics: ['Dark  Mode'],
      authorName: null,
      authorHandle: null,
      authorProfileUrl: null,
      license: null,
      originalCreatedAt: null,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
      wish: { wishId: byUrl.are._id, requestCount: 1, votes: 0, own: null },
    })
    expect(byUrl.odd).toMatchObject({ votes: 7, commentCount: 2, originalCreatedAt: null, license: 'CC BY-SA 4.0' })
    expect(byUrl.odd.title).toBe('emoji 🎉 \'quotes\' \\ "{}" $1')
  })
})

describe('what is left out of the pages of a job', () => {
  const pages: Discarded[] = [{ offTopic: 9, noText: 3 }, {}, { offTopic: 2, reply: 1 }]

  it('is counted by the job, which says how many items and why', async () => {
    play((call) => ({
      requests: [foundRequest(String(call))],
      discarded: pages[call] ?? {},
      nextCursor: call < 2 ? call + 1 : null,
    }))
    platforms.set(
      'hackernews',
      scriptedPlatform('hackernews', () => ({ requests: [], nextCursor: null })),
    )
    onTestFinished(() => void platforms.delete('hackernews'))
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 5 })
    const { tasks, maybeCreated } = await service.client.waitForJob(body.data.jobId)
    const discarded = { offTopic: 11, noText: 3, reply: 1 }
    expect(tasks).toEqual([
      { platform: 'github', pages: 3, requestsFound: 3, requestsCreated: 3, maybeCreated: 0, discarded },
      { platform: 'hackernews', pages: 1, requestsFound: 0, requestsCreated: 0, maybeCreated: 0, discarded: {} },
    ])
    expect(maybeCreated).toBe(0)
    const { text } = await service.client.get(`/api/v1/scrape/${body.data.jobId}/events`)
    expect(text).toContain('"discarded":{')
  })
})
