import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'
import { vocabularyCounts } from '../../search/testing.ts'
import { purgeRequests } from '../purge/purge.ts'
import { deleteExpiredRequests } from '../store/delete.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePage, storePageAlone } from '../store/store.ts'
import { countTexts } from './uncounted-texts.ts'
import { expandPrefix } from './vocabulary.ts'

// Holds (Search, lists and export): no word from a purged or unlisted text is suggested or completed

const platforms = new Map<PlatformName, Platform>()
let service: TestService
let jobId: string

beforeAll(async () => {
  service = await startTestService({ platforms })
})
beforeEach(async () => {
  await service.reset()
  platforms.set(
    'github',
    scriptedPlatform('github', () => ({ requests: [], nextCursor: null })),
  )
  const { body } = await service.client.scrape({ topic: 'words', platforms: ['github'] })
  jobId = body.data.jobId
  await service.client.waitForJob(jobId, 60_000)
})
afterAll(() => service.stop())

async function store(requests: FoundRequest[], platform: PlatformName = 'github') {
  const prepared = await preparePage('github', { requests }, null)
  const page = { ...prepared, platform, jobId, topic: 'words', markSeenBefore: null, now: new Date() }
  return storePageAlone(service.database, page)
}

/** Exact for the texts that are counted, at any time, and for all texts when the backlog is empty. */
async function expectExact() {
  const before = await vocabularyCounts(service.database)
  expect(before.stored).toEqual(before.counted)
  await countTexts(service.database)
  const { stored, counted, left } = await vocabularyCounts(service.database)
  expect(left).toBe(0)
  expect(stored).toEqual(counted)
  return stored
}

const nobody = { authorName: null, authorHandle: null, tags: [] }
const rose = foundRequest('1', { ...nobody, title: 'Rose', description: 'a red flower of the garden' })
const tulip = foundRequest('2', {
  title: 'Tulip',
  description: 'a red flower',
  authorName: 'Unheard Gardener',
  tags: ['bulb'],
})

describe('the vocabulary', () => {
  it('counts the requests that have a word, without stop words, however often a page is stored', async () => {
    await store([rose, tulip])
    const words = await expectExact()
    expect(['red', 'rose', 'bulb', 'unheard'].map((word) => words.get(word))).toEqual([2, 1, 1, 1])
    expect((await expectExact()).has('the')).toBe(false)
    await store([rose, tulip])
    await store([{ ...rose, votes: 99 }])
    expect((await expectExact()).get('red')).toBe(2)
  })

  it('follows a text that changes', async () => {
    await store([rose, tulip])
    await expectExact()
    await store([{ ...rose, description: 'a blue flower' }])
    const words = await expectExact()
    expect([words.get('red'), words.get('blue'), words.has('garden')]).toEqual([1, 1, false])
  })

  it('loses with a purge the words that no other request has, at once', async () => {
    await store([rose, tulip])
    expect((await expectExact()).has('unheard')).toBe(true)
    await purgeRequests(service.database, {
      author: 'Unheard Gardener',
      suppress: true,
      dryRun: false,
      now: new Date(),
    })
    const words = (await vocabularyCounts(service.database)).stored
    for (const word of ['unheard', 'gardener', 'tulip', 'bulb']) expect(words.has(word)).toBe(false)
    expect(words.get('red')).toBe(1)
    const { body } = await service.client.search('unherd')
    expect(body.meta.didYouMean).toBeUndefined()
  })

  it('has no word of unlisted texts only until they are listed', async () => {
    const secret = { ...tulip, ownSource: 'ada/engine' }
    await store([rose, secret])
    expect((await expectExact()).get('red')).toBe(1)
    await store([{ ...secret, description: 'a crimson flower' }])
    const words = await expectExact()
    for (const word of ['tulip', 'bulb', 'unheard', 'crimson']) expect(words.has(word)).toBe(false)
    expect((await service.client.search('tulp')).body.meta.didYouMean).toBeUndefined()
    expect(await expandPrefix(service.database, 'tul')).toEqual(['tul'])
    await store([tulip])
    expect((await expectExact()).get('tulip')).toBe(1)
    expect((await service.client.search('tulp')).body.meta.didYouMean).toBe('tulip')
    await store([secret])
    expect((await expectExact()).get('tulip')).toBe(1)
  })

  it('has the words of a page soon after it was stored, and answers are not older', { timeout: 60_000 }, async () => {
    await store([rose, tulip])
    await expect.poll(async () => (await service.client.search('tulp')).body.meta.didYouMean).toBe('tulip')
  })

  it('is not changed when an unlisted request is purged', async () => {
    await store([rose, { ...tulip, ownSource: 'ada/engine' }])
    await countTexts(service.database)
    await purgeRequests(service.database, {
      author: 'Unheard Gardener',
      suppress: true,
      dryRun: false,
      now: new Date(),
    })
    expect((await expectExact()).get('red')).toBe(1)
  })

  it('loses what expires', async () => {
    await store([rose])
    await store([tulip], 'youtube')
    expect((await expectExact()).has('tulip')).toBe(true)
    await deleteExpiredRequests(service.database, new Map([['youtube', 1]]), new Date(Date.now() + 2 * 86_400_000))
    expect((await expectExact()).has('tulip')).toBe(false)
  })

  it('counts nothing of a page that is rolled back', async () => {
    const page = {
      ...(await preparePage('github', { requests: [rose] }, null)),
      platform: 'github' as const,
      jobId,
      topic: 'words',
    }
    const failing = service.database.transaction().execute(async (transaction) => {
      await storePage(transaction, { ...page, markSeenBefore: null, now: new Date() })
      throw new Error('killed')
    })
    await expect(failing).rejects.toThrow('killed')
    expect((await expectExact()).size).toBe(0)
  })

  it('stays exact when pages and purges of the same words meet, and none of them fails', {
    timeout: 120_000,
  }, async () => {
    const pages = Array.from({ length: 6 }, (_, page) =>
      Array.from({ length: 20 }, (__, number) =>
        // In another order on each page: whoever locks as words come would deadlock.
        foundRequest(`${(number * 7 + page) % 20}`, {
          title: `Word${page} shared`,
          description: `word${number} other${(number * page) % 5}`,
        }),
      ),
    )
    const work: Promise<unknown>[] = []
    for (const page of pages) {
      work.push(store(page))
      work.push(
        purgeRequests(service.database, { platform: 'github', suppress: false, dryRun: false, now: new Date() }),
      )
      work.push(store(page.toReversed(), 'hackernews'))
    }
    await Promise.all(work)
    await expectExact()
  })

  it('counts a bounded number of words of a request, and only words', async () => {
    const hostile = Array.from({ length: 3_000 }, (_, number) => `x${number}`).join(' ')
    await store([{ ...rose, description: `${hostile} ${'y'.repeat(90)}` }])
    const words = await expectExact()
    expect(words.size).toBe(150)
    for (const word of words.keys()) expect(word.length).toBeLessThanOrEqual(40)
  })
})

describe('a beginning', () => {
  const expand = (prefix: string) => expandPrefix(service.database, prefix)
  const addWords = (words: Record<string, number>) =>
    sql`insert into search_words (word, requests)
      select key, value::int from jsonb_each_text(${JSON.stringify(words)}::jsonb)`.execute(service.database)

  it('stands for itself and its most frequent words, forms of one word counted together', async () => {
    const rare = Object.fromEntries(Array.from({ length: 50 }, (_, number) => [`mox${number}`, 1]))
    await addWords({ mode: 100, modes: 50, modal: 20, moo: 500, other: 900, mn: 5, mp: 5, ...rare })
    const [first, ...words] = await expand('mo')
    expect(first).toBe('mo')
    expect(words.slice(0, 3)).toEqual(['moo', 'mode', 'modal'])
    expect(words).toHaveLength(8)
    for (const word of words) expect(word.startsWith('mo')).toBe(true)
    expect(await expand('unheard')).toEqual(['unheard'])
  })

  it.each(['\ud7ff', '\uffff', '%', '_', 'z', '𠀀'])('of any character is one: %j', async (character) => {
    await addWords({ [`${character}a`]: 3, zz: 1 })
    expect(await expand(character)).toContain(`${character}a`)
  })

  it('reads a bounded part of the vocabulary', async () => {
    await sql`insert into search_words (word, requests) select 'a' || md5(n::text), n % 100 from generate_series(1, 30000) as n`.execute(
      service.database,
    )
    await sql`analyze search_words`.execute(service.database)
    const words = await expand('a')
    expect(words).toHaveLength(9)
  })
})
