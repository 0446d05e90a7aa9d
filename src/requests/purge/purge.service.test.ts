import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { foundRequest, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService, testAdminKey } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'
import type { PlatformName } from '../../database/column-types.ts'
import type { FoundRequest, Platform } from '../../platforms/platform.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePageAlone } from '../store/store.ts'
import { suppress } from '../store/suppression.ts'
import { purgeRequests } from './purge.ts'

// Holds (Data): what was purged for a person is never stored again, even by a page in progress

// Takes seconds: a thousand requests are purged in slices.

const platforms = new Map<PlatformName, Platform>()
let service: TestService

const ada = { authorName: 'Ada Lovelace', authorHandle: 'Ada' }
const bob = { authorName: 'Bob', authorHandle: 'bob', authorProfileUrl: 'https://example.org/bob' }
const onGithub = [
  foundRequest('1', { ...ada, title: 'Penguin one', sourceUrl: 'https://github.com/acme/app/issues/1' }),
  foundRequest('2', { ...ada, title: 'Penguin two', sourceUrl: 'https://github.com/acme/app/issues/2' }),
  foundRequest('3', { ...bob, title: 'Penguin three', sourceUrl: 'https://github.com/acme/app/issues/3' }),
  foundRequest('4', { ...bob, title: 'Walrus', sourceUrl: 'https://github.com/acme/app/issues/4' }),
]
const onHackernews = [
  foundRequest('1', {
    ...bob,
    authorHandle: 'ada',
    title: 'Penguin five',
    sourceUrl: 'https://news.ycombinator.com/item?id=1',
  }),
  foundRequest('6', { ...bob, title: 'Penguin six', sourceUrl: 'https://news.ycombinator.com/item?id=6' }),
]

const play = (name: PlatformName, requests: FoundRequest[]) =>
  void platforms.set(
    name,
    scriptedPlatform(name, () => ({ requests, nextCursor: null })),
  )
async function collect(names: PlatformName[] = ['github', 'hackernews']) {
  const { body } = await service.client.scrape({ topic: 'birds', platforms: names })
  return service.client.waitForJob(body.data.jobId)
}
const admin = () => service.clientFor(testAdminKey)
const purge = async (body: Record<string, unknown>) => {
  const answer = await admin().post('/api/admin/purge', body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body.data
}
const titlesOf = (answer: { body: { data: { results: { title: string }[] } } }) =>
  answer.body.data.results.map(({ title }) => title).sort()
const searched = async () => titlesOf(await service.client.search('penguin', { limit: 100 }))
const listed = async (query = '') => titlesOf(await service.client.get(`/api/v1/requests?limit=100&${query}`))
const idOf = async (title: string): Promise<string> => (await service.client.search(title)).body.data.results[0]._id

/** Rows of every table that a request is in. */
async function countRows(): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from requests)::int as requests, (select count(*) from request_texts)::int as texts,
      (select count(*) from request_topics)::int as topics,
      (select count(*) from scrape_job_requests)::int as jobs`.execute(service.database)
  return rows[0] ?? {}
}

beforeAll(async () => {
  service = await startTestService({ platforms })
})
beforeEach(() => {
  play('github', onGithub)
  play('hackernews', onHackernews)
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

const cases: [selection: Record<string, unknown>, gone: string[], suppressed: boolean][] = [
  [{ platform: 'hackernews' }, ['Penguin five', 'Penguin six'], false],
  [{ author: '@ADA' }, ['Penguin five', 'Penguin one', 'Penguin two'], true],
  [{ author: 'ada', platform: 'github' }, ['Penguin one', 'Penguin two'], true],
  [{ author: 'ada lovelace' }, ['Penguin one', 'Penguin two'], true],
  [{ author: 'https://example.org/bob/' }, ['Penguin five', 'Penguin six', 'Penguin three', 'Walrus'], true],
  [{ url: 'http://www.github.com/acme/app/issues/2/?x=1' }, ['Penguin two'], true],
  [{ url: 'https://news.ycombinator.com/item?id=6' }, ['Penguin six'], true],
  [{ id: '1', platform: 'hackernews' }, ['Penguin five'], true],
]

describe('a purge', () => {
  it.each(cases)('of %j deletes exactly what fits, and suppresses it: %j', async (selection, gone, suppressed) => {
    await collect()
    const all = await listed()
    const looked = await purge({ ...selection, dryRun: true })
    expect(looked).toMatchObject({ purgeId: null, dryRun: true, matched: gone.length, deleted: 0 })
    expect(looked.samples.map(({ title }: { title: string }) => title).sort()).toEqual(gone)
    expect(await listed()).toEqual(all)

    const { purgeId, matched, matchedByPlatform, deleted } = await purge(selection)
    expect([matched, deleted]).toEqual([gone.length, gone.length])
    expect(Object.values<number>(matchedByPlatform).reduce((sum, amount) => sum + amount, 0)).toBe(gone.length)
    expect(purgeId === null).toBe(!suppressed)
    const left = all.filter((title) => !gone.includes(title))
    expect(await listed()).toEqual(left)
    const again = await collect()
    expect(await listed()).toEqual(suppressed ? left : all)
    // What was kept out is not counted as created, nor found.
    expect(again.requestsCreated).toBe(suppressed ? 0 : gone.length)
    const { rows } = await sql<{ found: number }>`
      select sum(requests_found)::int as found from scrape_tasks where job_id = ${again.jobId}`.execute(
      service.database,
    )
    expect(rows[0]?.found).toBe(suppressed ? left.length : all.length)
  })

  it('of what nothing fits deletes nothing, and keeps out nothing that is stored', async () => {
    await collect()
    const all = await listed()
    for (const [selection, suppressed] of [
      [{ author: 'nobody' }, true],
      [{ url: 'https://github.com/acme/app/issues/2', platform: 'hackernews' }, true],
      [{ olderThanDays: 1 }, false],
    ] as const) {
      const looked = await purge({ ...selection, dryRun: true })
      expect(looked).toMatchObject({ purgeId: null, dryRun: true, matched: 0, deleted: 0, samples: [] })
      const { purgeId, matched, matchedByPlatform, deleted } = await purge(selection)
      expect([matched, deleted, Object.values<number>(matchedByPlatform).filter(Boolean)]).toEqual([0, 0, []])
      expect(purgeId === null).toBe(!suppressed)
      expect(await listed()).toEqual(all)
    }
    const again = await collect()
    expect([again.requestsCreated, await listed()]).toEqual([0, all])
    const { rows } = await sql<{ found: number }>`
      select sum(requests_found)::int as found from scrape_tasks where job_id = ${again.jobId}`.execute(
      service.database,
    )
    expect(rows[0]?.found).toBe(all.length)
  })

  it('reaches search, lists, topics and job results at once, and leaves credits and finished jobs as they were', async () => {
    const job = await collect()
    const before = (await service.client.get('/api/v1/usage')).body.data.credits
    expect(await searched()).toHaveLength(5)
    await purge({ author: 'ada' })
    expect(await searched()).toEqual(['Penguin six', 'Penguin three'])
    for (const query of ['', 'topic=birds', `jobId=${job.jobId}`]) {
      expect(await listed(query)).toEqual(['Penguin six', 'Penguin three', 'Walrus'])
    }
    expect(await countRows()).toEqual({ requests: 3, texts: 3, topics: 3, jobs: 3 })
    expect((await service.client.get('/api/v1/usage')).body.data.credits).toEqual(before)
    const after = (await service.client.get(`/api/v1/scrape/${job.jobId}`)).body.data
    expect(after.requestsCreated).toBe(6)
  })

  it('of one request by its _id keeps it out, also with another title and address', async () => {
    await collect()
    const id = await idOf('walrus')
    expect(await purge({ id })).toMatchObject({ matched: 1, deleted: 1 })
    play('github', [foundRequest('4', { title: 'Walrus renamed', sourceUrl: 'https://github.com/other/4' })])
    expect((await collect(['github'])).requestsCreated).toBe(0)
    expect(await purge({ id })).toMatchObject({ matched: 0, deleted: 0, purgeId: null })
  })

  it('of an author keeps out their requests, also under another name, and their later ones', async () => {
    await collect()
    await purge({ author: '@ada', platform: 'github' })
    play('github', [
      foundRequest('1', { ...bob, authorHandle: 'new-name' }),
      foundRequest('99', { ...ada, title: 'Penguin of tomorrow' }),
      foundRequest('100', { ...bob, title: 'Somebody else' }),
    ])
    expect((await collect(['github'])).requestsCreated).toBe(1)
    expect(await listed('platforms=github')).toEqual(['Penguin three', 'Somebody else', 'Walrus'])
  })

  it('of a request that was never stored keeps it out', async () => {
    await purge({ url: 'https://github.com/acme/app/issues/1' })
    await purge({ id: '4', platform: 'github' })
    expect((await collect(['github'])).requestsCreated).toBe(2)
    expect(await listed()).toEqual(['Penguin three', 'Penguin two'])
  })

  it('does not suppress with suppress false, and suppresses a platform only with suppress true', async () => {
    await collect()
    expect(await purge({ author: 'ada', suppress: false })).toMatchObject({ deleted: 3, purgeId: null })
    expect((await collect()).requestsCreated).toBe(3)
    expect(await purge({ platform: 'hackernews', suppress: true })).toMatchObject({ deleted: 2 })
    play('hackernews', [...onHackernews, foundRequest('7')])
    expect((await collect(['hackernews'])).requestsCreated).toBe(1)
  })

  it('compares plain text: nothing that is special in SQL, patterns or JSON widens it', async () => {
    await collect()
    for (const author of [
      '%',
      '_',
      '*',
      '.*',
      "' or '1'='1",
      '"',
      '{}',
      '[]',
      '\\',
      'ada%',
      'a'.repeat(500),
      '\u202eada',
    ]) {
      expect(await purge({ author, suppress: false }), author).toMatchObject({ matched: 0, deleted: 0 })
    }
    expect(await countRows()).toMatchObject({ requests: 6 })
  })

  it('stores no text of what is suppressed', async () => {
    await collect()
    await purge({ author: 'Ada Lovelace' })
    const { rows } = await sql<{ text: string }>`select suppressions::text as text from suppressions`.execute(
      service.database,
    )
    expect(rows.length).toBeGreaterThan(0)
    for (const { text } of rows) expect(text).not.toMatch(/lovelace|issues/i)
  })

  it('of a thousand works in bounded slices, and a search still finds the others', async () => {
    // The best matches go, those with less of the word stay.
    const many = Array.from({ length: 1_200 }, (_, index) =>
      foundRequest(`m${index}`, {
        ...(index % 10 === 0 ? bob : ada),
        title: `Number ${index}`,
        description: index % 10 === 0 ? `penguin ${'filler '.repeat(40)}` : 'penguin penguin penguin',
      }),
    )
    for (let start = 0; start < many.length; start += 400) {
      play('github', many.slice(start, start + 400))
      await collect(['github'])
    }
    expect((await searched()).length).toBe(100)
    expect(await purge({ author: '@ada' })).toMatchObject({ matched: 1_080, deleted: 1_080 })
    const first = await service.client.search('penguin', { limit: 100 })
    expect(first.body.data.results.map(({ authorHandle }: { authorHandle: string }) => authorHandle)).toEqual(
      Array(100).fill('bob'),
    )
    expect(first.body.data).toMatchObject({ limitReached: true })
    expect((await service.client.search('penguin', { limit: 20 })).body.data.results).toHaveLength(20)
    expect(await countRows()).toEqual({ requests: 120, texts: 120, topics: 120, jobs: 120 })
  })
})

describe('a suppression', () => {
  const suppressions = async () => (await admin().get('/api/admin/suppressions')).body.data
  const lift = (body: Record<string, unknown>) => admin().post('/api/admin/suppressions/lift', body)

  it.each([
    ['the author', { author: '@Ada' }, { author: 'ada' }],
    ['the author where it was purged', { author: 'ada', platform: 'github' }, { author: 'ada', platform: 'github' }],
    ['the address', { url: 'https://github.com/acme/app/issues/1' }, { url: 'http://github.com/acme/app/issues/1/' }],
    ['the id', { id: '1', platform: 'github' }, { id: '1', platform: 'github' }],
  ])('is listed, and lifted by %s with everything of its purge', async (_what, selection, named) => {
    await collect()
    const { purgeId, deleted } = await purge(selection)
    const { entries, results } = await suppressions()
    expect(results).toMatchObject([{ purgeId, entries, kinds: expect.any(Array), createdAt: expect.any(String) }])
    expect((await collect()).requestsCreated).toBe(0)
    expect((await lift(named)).body.data).toEqual({ lifted: entries })
    expect(await suppressions()).toEqual({ entries: 0, results: [], hasMore: false, cursor: null })
    expect((await collect()).requestsCreated).toBe(deleted)
    expect((await lift(named)).status).toBe(404)
  })

  it('is lifted by its purge, which lifts no other purge', async () => {
    await collect()
    const first = await purge({ author: 'ada' })
    const second = await purge({ id: '3', platform: 'github' })
    const { body } = await lift({ purgeId: first.purgeId })
    expect(body.data.lifted).toBeGreaterThan(3)
    expect((await suppressions()).results).toMatchObject([{ purgeId: second.purgeId, kinds: ['id'], entries: 1 }])
    expect((await lift({ purgeId: first.purgeId })).status).toBe(404)
    expect((await collect()).requestsCreated).toBe(3)
  })
})

describe('a purge while a page is being stored', () => {
  const page = async (requests: FoundRequest[], jobId: string) => ({
    ...(await preparePage('github', { requests }, null)),
    platform: 'github' as const,
    jobId,
    topic: 'birds',
    markSeenBefore: null,
    now: new Date(),
  })

  it('of the same requests, many at once, lets none back in and fails nothing', { timeout: 60_000 }, async () => {
    const { jobId } = await collect()
    const requests = Array.from({ length: 60 }, (_, index) => foundRequest(`c${index}`, index % 2 ? ada : bob))
    const prepared = await page(requests, jobId)
    const store = () => storePageAlone(service.database, prepared)
    const now = new Date()
    const work: Promise<unknown>[] = []
    for (let round = 0; round < 12; round++) {
      work.push(store(), store())
      work.push(purgeRequests(service.database, { platform: 'github', suppress: false, dryRun: false, now }))
      if (round === 4)
        work.push(purgeRequests(service.database, { author: '@ada', suppress: true, dryRun: false, now }))
    }
    await Promise.all(work)
    await store()
    const { rows } = await sql<{ handle: string; amount: number }>`
      select author_handle as handle, count(*)::int as amount from requests where platform = 'github'
      and source_id like 'c%' group by 1`.execute(service.database)
    expect(rows).toEqual([{ handle: 'bob', amount: 30 }])
  })

  it('that is rolled back suppresses nothing', async () => {
    await collect()
    const identities = [{ platform: 'github' as const, kind: 'handle' as const, value: 'bob' }]
    const failing = service.database.transaction().execute(async (transaction) => {
      await suppress(transaction, { purgeId: crypto.randomUUID(), identities, named: true, now: new Date() })
      throw new Error('killed')
    })
    await expect(failing).rejects.toThrow('killed')
    await purge({ platform: 'github' })
    expect((await collect()).requestsCreated).toBe(4)
  })
})
