import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../test/service.ts'
import type { PlatformName } from '../database/column-types.ts'
import type { FoundRequest, Platform } from '../platforms/platform.ts'
import { purgeRequests } from './purge/purge.ts'
import { preparePage } from './store/prepared-page.ts'
import { storePage, storePageAlone } from './store/store.ts'
import { writeUnwritten } from './store/unwritten-texts.ts'

// Holds (Search, lists and export): no answer is older than its call, cached or not, whichever process made the change

// Takes seconds: calls run all the time while changes are made.

// Answers to searches and lists are kept while nothing changes: whoever asks after a change must never see that.

const platforms = new Map<PlatformName, Platform>()
let service: TestService
let jobId: string

beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterAll(() => service.stop())
beforeEach(async () => {
  await service.reset()
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests: [], nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'kept', platforms: ['github'] })
  jobId = body.data.jobId
  await service.client.waitForJob(jobId, 60_000)
})

async function store(requests: FoundRequest[], topic = 'kept', isFoundLater = false): Promise<void> {
  const page = {
    ...(await preparePage('github', { requests }, null, isFoundLater)),
    platform: 'github' as const,
    jobId,
    topic,
    markSeenBefore: null,
  }
  await storePageAlone(service.database, { ...page, now: new Date() })
}
const wish = (id: number, changes: Partial<FoundRequest> = {}) =>
  foundRequest(`${id}`, { title: `Wish number${id}`, description: 'kept', votes: 1, ...changes })
const search = async (query: string) => (await service.client.search(query)).body.data.results
const list = async (query = '') => (await service.client.get(`/api/v1/requests${query}`)).body.data.results
const titles = (results: { title: string }[]) => results.map(({ title }) => title).sort()

describe('a cached answer', () => {
  it('is not given after a request came, changed, found another topic or was purged', async () => {
    expect([await search('wish'), await list(), await list(`?jobId=${jobId}`)]).toEqual([[], [], []])
    await store([wish(1)])
    for (const results of [await search('wish'), await list(), await list(`?jobId=${jobId}`)]) {
      expect(titles(results)).toEqual(['Wish number1'])
    }
    await store([wish(1, { votes: 42 })])
    expect([(await search('wish'))[0].votes, (await list())[0].votes]).toEqual([42, 42])
    expect(await list('?topic=other')).toEqual([])
    await store([wish(1, { votes: 42 })], 'other')
    expect((await search('wish'))[0].topics).toEqual(['kept', 'other'])
    expect(titles(await list('?topic=other'))).toEqual(['Wish number1'])
    await purgeRequests(service.database, { platform: 'github', suppress: false, dryRun: false, now: new Date() })
    expect([await search('wish'), await list(), await list('?topic=other')]).toEqual([[], [], []])
  })

  it('is not given after the text of a request was written', async () => {
    await store([wish(1)], 'kept', true)
    expect(await search('wish')).toEqual([])
    await writeUnwritten(service.database)
    expect(titles(await search('wish'))).toEqual(['Wish number1'])
  })

  it('is never older than its call, also when the same call runs meanwhile', async () => {
    let running = true
    const others = Array.from({ length: 4 }, async () => {
      while (running) await Promise.all([search('wish'), list('?limit=100')])
    })
    try {
      for (let id = 1; id <= 25; id++) {
        await store([wish(id)])
        const [found, listed] = await Promise.all([search('wish'), list('?limit=100')])
        expect(listed).toHaveLength(id)
        expect(found).toHaveLength(Math.min(20, id))
        expect(titles(await search(`number${id}`))).toEqual([`Wish number${id}`])
      }
    } finally {
      running = false
      await Promise.all(others)
    }
  })

  it('never shows a change that was rolled back', async () => {
    await store([wish(1)])
    expect(await search('wish')).toHaveLength(1)
    const page = {
      ...(await preparePage('github', { requests: [wish(2)] }, null)),
      platform: 'github' as const,
      jobId,
      topic: 'kept',
    }
    const failing = service.database.transaction().execute(async (open) => {
      await storePage(open, { ...page, markSeenBefore: null, now: new Date() })
      throw new Error('killed')
    })
    await expect(failing).rejects.toThrow('killed')
    expect(await search('wish')).toHaveLength(1)
  })
})
