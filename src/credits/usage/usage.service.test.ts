import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TestClient } from '../../../test/client.ts'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { openBrowser } from '../../accounts/sessions/testing.ts'
import { PlatformError } from '../../platforms/platform.ts'
import { verifyLedger } from '../verify.ts'

// Takes seconds: a pool is spent to its end by jobs.

const noon = new Date('2026-11-21T12:00:00.000Z')
let now = noon
let service: TestService
let client: TestClient
let accountId: string

beforeAll(async () => {
  const failing = scriptedPlatform('hackernews', () => {
    throw new PlatformError('blocked', 'Refused.')
  })
  const platforms = platformMap(scriptedPlatform('github', numberedPages(100)), failing)
  service = await startTestService({ platforms, clock: { now: () => now } })
})
beforeEach(async () => {
  now = noon
  const account = await service.createAccount('free')
  accountId = account.accountId
  client = account.client
})
afterEach(async () => {
  expect(await verifyLedger(service.database)).toEqual([])
  await service.reset()
})
afterAll(() => service.stop())

const admin = () => service.clientFor(service.adminKey)
const json = { 'content-type': 'application/json' }
const buy = (pack: string) => admin().post(`/api/admin/accounts/${accountId}/packs`, { pack })
const patch = (changes: Record<string, unknown>) =>
  admin().send('PATCH', `/api/admin/accounts/${accountId}`, { headers: json, body: JSON.stringify(changes) })
const usage = async (query = '') => (await client.get(`/api/v1/usage${query}`)).body.data
const statement = async (query = '') => (await client.get(`/api/v1/usage/entries${query}`)).body.data
const runJob = async (body: Record<string, unknown>) => {
  const { body: started } = await client.scrape({ topic: 'dark mode', platforms: ['github'], ...body })
  await client.waitForJob(started.data.jobId)
  return started.data.jobId as string
}

describe('the usage', () => {
  it('shows the plan, the pool, the PAYG balance and the limits, and costs nothing', async () => {
    expect(await usage()).toEqual({
      tier: 'free',
      credits: { used: 0, limit: 100, remaining: 100, held: 0, resetsAt: '2026-12-01T00:00:00.000Z' },
      paygBalance: 0,
      paygMonthlyCap: null,
      scope: 'manage',
      rateLimit: { requestsPerMinute: 20 },
    })
    await runJob({ depth: 4 })
    await buy('starter')
    await patch({ tier: 'pro', paygMonthlyCap: 500 })
    expect(await usage()).toEqual({
      tier: 'pro',
      credits: { used: 4, limit: 5_000, remaining: 4_996, held: 0, resetsAt: '2026-12-01T00:00:00.000Z' },
      paygBalance: 1_300,
      paygMonthlyCap: 500,
      scope: 'manage',
      rateLimit: { requestsPerMinute: 120 },
    })
    now = new Date('2026-12-01T00:00:00.000Z')
    expect(await usage()).toMatchObject({
      credits: { used: 0, remaining: 5_000, resetsAt: '2027-01-01T00:00:00.000Z' },
      paygBalance: 1_300,
    })
  })

  it('shows PAYG credits spent once the pool is empty, and released for undelivered pages', async () => {
    await buy('starter')
    for (const depth of [40, 40, 15]) await runJob({ depth })
    const { body } = await client.scrape({ topic: 'dark mode', platforms: ['github', 'hackernews'], depth: 10 })
    expect(body.usage.credits).toEqual({ used: 100, limit: 100, remaining: 0 })
    await client.waitForJob(body.data.jobId)
    // 10 pages of GitHub: 5 of the pool, 5 PAYG; Hacker News delivered none.
    expect(await usage()).toMatchObject({ credits: { used: 100 }, paygBalance: 1_295 })
  })

  it('breaks the settled credits down by UTC day and operation', async () => {
    now = new Date('2026-11-19T23:59:59.999Z')
    await runJob({ depth: 3 })
    now = new Date('2026-11-20T00:00:00.000Z')
    await runJob({ depth: 2 })
    await runJob({ depth: 1 })
    await runJob({ platforms: ['hackernews'], depth: 7 })
    await buy('starter')
    now = new Date('2026-11-21T23:00:00.000Z')
    const [before, after] = [
      { date: '2026-11-19', operation: 'scrape', credits: 3 },
      { date: '2026-11-20', operation: 'scrape', credits: 3 },
    ]
    expect((await usage('?days=1')).days).toEqual([])
    expect((await usage('?days=2')).days).toEqual([after])
    expect((await usage('?days=3')).days).toEqual([before, after])
    expect((await usage('?days=90')).days).toEqual([before, after])
    now = new Date('2026-11-22T00:00:00.000Z')
    expect((await usage('?days=2')).days).toEqual([])
  })
})

describe("the operator's view of an account's usage", () => {
  it('equals that of the account itself', async () => {
    await runJob({ topic: 'dark mode', platforms: ['github'], depth: 1 })
    await buy('starter')
    const { body } = await admin().get(`/api/admin/accounts/${accountId}/usage?days=7`)
    const { scope, ...own } = await usage('?days=7')
    expect([scope, body.data]).toEqual(['manage', own])
    expect(body.data.credits.used).toBeGreaterThan(0)
    const entries = (await admin().get(`/api/admin/accounts/${accountId}/usage/entries`)).body.data
    expect([entries, entries.results.length]).toEqual([await statement(), 3])
    for (const path of ['usage', 'usage/entries']) {
      expect((await client.get(`/api/admin/accounts/${accountId}/${path}`)).status).toBe(401)
    }
  })
})

describe('the usage of a month', () => {
  it('is told by key', async () => {
    const { body } = await client.post('/api/v1/keys', { name: 'laptop', scope: 'collect', monthlyCredits: 50 })
    const { keyId, apiKey } = body.data
    await runJob({ depth: 2 })
    const started = await service.clientFor(apiKey).scrape({ topic: 'dark mode', platforms: ['github'], depth: 3 })
    await client.waitForJob(started.body.data.jobId)
    const { spenders } = await usage('?month=2026-11')
    expect(spenders).toEqual({
      month: '2026-11',
      from: '2026-11-01T00:00:00.000Z',
      until: '2026-12-01T00:00:00.000Z',
      total: { held: 0, settled: 5 },
      withoutKey: { held: 0, settled: 0 },
      persons: [],
      keys: [
        { keyId, name: 'laptop', held: 0, settled: 3 },
        { keyId: expect.any(String), name: 'first key', held: 0, settled: 2 },
      ],
      watches: [],
    })
    const invited = await admin().post(`/api/admin/accounts/${accountId}/links`, {})
    const browser = openBrowser(() => service.url)
    await browser.signIn({ link: new URL(invited.body.data.url).hash.slice(1) })
    const job = { topic: 'dark mode', platforms: ['github'], depth: 4 }
    const onPage = await browser.call('POST', '/api/v1/scrape', { body: job })
    await client.waitForJob(onPage.body.data.jobId)
    expect((await usage('?month=2026-11')).spenders).toMatchObject({
      ...{ total: { held: 0, settled: 9 }, withoutKey: { held: 0, settled: 4 } },
      keys: [{ settled: 3 }, { settled: 2 }],
    })
    expect((await usage('?month=2026-10')).spenders).toMatchObject({ total: { held: 0, settled: 0 }, keys: [] })
    const listed = (await client.get('/api/v1/keys')).body.data.results
    expect(listed.map((key: { usedThisMonth: number }) => key.usedThisMonth).toSorted()).toEqual([2, 3])
    const over = await service.clientFor(apiKey).scrape({ topic: 'dark mode', platforms: ['github'], depth: 40 })
    expect(over.status).toBe(200)
    const refused = await service.clientFor(apiKey).scrape({ topic: 'dark mode', platforms: ['github'], depth: 10 })
    expect([refused.status, refused.body.error]).toEqual([
      429,
      {
        code: 'RATE_LIMITED',
        message: 'The monthly budget of the API key is not sufficient for this. It is fresh on 1 Dec 2026.',
        reason: 'key_budget',
        resetsAt: '2026-12-01T00:00:00.000Z',
      },
    ])
    await client.waitForJob(over.body.data.jobId)
  })
})

describe('the usage of a week', () => {
  it('is that of its seven UTC days, by key and by watch, and adds up', async () => {
    const { body } = await client.post('/api/v1/keys', { name: 'laptop', scope: 'collect' })
    const laptop = service.clientFor(body.data.apiKey)
    const collect = async (of: TestClient, at: string, depth: number) => {
      now = new Date(at)
      const started = await of.scrape({ topic: 'dark mode', platforms: ['github'], depth })
      await client.waitForJob(started.body.data.jobId)
    }
    await collect(client, '2026-11-15T23:59:59.999Z', 1)
    await collect(client, '2026-11-16T00:00:00.000Z', 2)
    const watch = { topic: 'offline', platforms: ['github'], depth: 3, schedule: 'weekly', monthlyCredits: 50 }
    const { watchId } = (await laptop.post('/api/v1/watches', watch)).body.data
    const run = await laptop.post(`/api/v1/watches/${watchId}/run`, {})
    await client.waitForJob(run.body.data.jobId)
    await collect(laptop, '2026-11-22T23:59:59.999Z', 4)
    await collect(client, '2026-11-23T00:00:00.000Z', 5)
    expect((await usage('?week=2026-W47')).spenders).toEqual({
      week: '2026-W47',
      from: '2026-11-16T00:00:00.000Z',
      until: '2026-11-23T00:00:00.000Z',
      total: { held: 0, settled: 9 },
      withoutKey: { held: 0, settled: 0 },
      persons: [],
      keys: [
        { keyId: body.data.keyId, name: 'laptop', held: 0, settled: 7 },
        { keyId: expect.any(String), name: 'first key', held: 0, settled: 2 },
      ],
      watches: [{ watchId, name: 'offline', held: 0, settled: 3 }],
    })
    const totalOf = async (query: string) => (await usage(query)).spenders.total.settled
    expect([await totalOf('?week=2026-W46'), await totalOf('?week=2026-W48')]).toEqual([1, 5])
    expect(await totalOf('?month=2026-11')).toBe(15)
  })

  it.each([
    ['week=2026-W54', /^week: /],
    ['week=2027-W53', /^week: is not a week of its year/],
    ['week=2026-W47&month=2026-11', /^week: cannot stand beside month/],
  ])('?%s is refused', async (query, message) => {
    const { status, body } = await client.get(`/api/v1/usage?${query}`)
    expect([status, body.error]).toEqual([400, expect.objectContaining({ message: expect.stringMatching(message) })])
  })
})

describe('the statement', () => {
  it('has every movement with its cause, latest first, and its sums are the balances', async () => {
    const requestId = 'purchase-42'
    const options = { headers: { ...json, 'x-request-id': requestId }, body: '{"pack":"standard"}' }
    await admin().send('POST', `/api/admin/accounts/${accountId}/packs`, options)
    const jobId = await runJob({ platforms: ['github', 'hackernews'], depth: 3 })
    const entry = {
      entryId: expect.any(Number),
      createdAt: '2026-11-21T12:00:00.000Z',
      month: '2026-11',
      operation: 'scrape',
      cause: jobId,
      topic: 'dark mode',
      pack: null,
      keyId: expect.any(String),
      keyName: 'first key',
      personName: null,
      watchId: null,
      watchName: null,
    }
    const none = { poolHeld: 0, poolSettled: 0, paygHeld: 0, paygSettled: 0, paygGranted: 0 }
    expect(await statement()).toEqual({
      results: [
        { ...entry, kind: 'release', changes: { ...none, poolHeld: -3 } },
        { ...entry, kind: 'settle', changes: { ...none, poolHeld: -3, poolSettled: 3 } },
        { ...entry, kind: 'reserve', changes: { ...none, poolHeld: 6 } },
        {
          ...entry,
          kind: 'grant',
          operation: 'pack',
          cause: requestId,
          topic: null,
          pack: 'standard',
          keyId: null,
          keyName: null,
          personName: null,
          changes: { ...none, paygGranted: 5_300 },
        },
      ],
      hasMore: false,
      cursor: null,
    })
  })

  it('is paged without a gap or a duplicate, also while entries are added', async () => {
    for (let index = 0; index < 7; index++) await buy('starter')
    const all: number[] = (await statement()).results.map((entry: { entryId: number }) => entry.entryId)
    expect(all).toHaveLength(7)
    const paged: number[] = []
    let page = await statement('?limit=3')
    for (;;) {
      paged.push(...page.results.map((entry: { entryId: number }) => entry.entryId))
      if (!page.hasMore) break
      await buy('bulk')
      page = await statement(`?limit=3&cursor=${page.cursor}`)
    }
    expect(paged).toEqual(all)
    expect(page.cursor).toBeNull()
  })

  it("is the account's own", async () => {
    await buy('starter')
    expect((await service.client.get('/api/v1/usage/entries')).body.data.results).toEqual([])
    expect((await service.client.get('/api/v1/usage')).body.data).toMatchObject({ tier: 'max', paygBalance: 0 })
  })
})

describe('a pack', () => {
  it('adds to the balance, which excludes held credits', async () => {
    expect((await buy('starter')).body).toEqual({ data: { paygBalance: 1_300 } })
    expect((await buy('bulk')).body).toEqual({ data: { paygBalance: 14_800 } })
  })

  it('is refused for an unknown account', async () => {
    for (const unknown of ['00000000-0000-4000-8000-000000000000', 'nonsense']) {
      const { status, body } = await admin().post(`/api/admin/accounts/${unknown}/packs`, { pack: 'starter' })
      expect([status, body.error]).toEqual([404, { code: 'NOT_FOUND', message: 'Account not found.' }])
    }
  })
})

describe('a cap on PAYG credits', () => {
  it('refuses what would exceed it, until it is removed', async () => {
    await buy('starter')
    const { body } = await patch({ paygMonthlyCap: 0 })
    expect(body.data).toMatchObject({ accountId, tier: 'free', paygMonthlyCap: 0 })
    for (const depth of [40, 40, 20]) await runJob({ depth })
    const refused = await client.scrape({ topic: 'dark mode', platforms: ['github'] })
    expect([refused.status, refused.body]).toEqual([
      429,
      {
        error: {
          code: 'RATE_LIMITED',
          message: 'Credit limit exceeded (100/100). Resets on 2026-12-01.',
          reason: 'credits',
          resetsAt: '2026-12-01T00:00:00.000Z',
        },
      },
    ])
    // Nobody should sleep for weeks.
    expect(refused.headers.get('retry-after')).toBeNull()
    const jobs = service.database.selectFrom('scrape_jobs').select('id').where('account_id', '=', accountId)
    expect(await jobs.execute()).toHaveLength(3)
    expect((await patch({ paygMonthlyCap: null })).body.data).toMatchObject({ paygMonthlyCap: null })
    await runJob({ depth: 1 })
    expect(await usage()).toMatchObject({ paygBalance: 1_299 })
  })
})
