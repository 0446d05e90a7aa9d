import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultPricing } from '../src/accounts/plans.ts'
import { requestLimitsOf } from '../src/accounts/settings.ts'
import { type Service, startService } from '../src/app/service.ts'
import { ledgerOf } from '../src/credits/testing.ts'
import type { Database } from '../src/database/open.ts'
import { creditCollector } from '../src/operations/metrics/credit-gauges.ts'
import { parseExposition, sampleValue, scrape } from '../src/operations/metrics/testing.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { storePageAlone } from '../src/requests/store/store.ts'
import { createTestClient, type TestClient } from './client.ts'
import { openEvents } from './event-reader.ts'
import { foundRequest, numberedPages, platformMap, scriptedPlatform } from './scripted-platform.ts'
import { startTestService, type TestService } from './service.ts'

const requestLimits = requestLimitsOf(defaultPricing)

// Holds (Credits and limits): no more calls than the plan allows in any 60 seconds
// Holds (Search, lists and export): no answer is older than its call, cached or not, whichever process made the change
// Holds (Search, lists and export): a repeated correction counts once, and an account has at most 10,000
// Holds (Search, lists and export): a merge or split happens once, can be undone in any order, and survives expiry; a purge deletes it

// Takes seconds: each test starts processes, or calls both many times at once.

// What several processes on one Postgres must hold together. The embedded database belongs to one process.

const platforms = platformMap(scriptedPlatform('github', numberedPages(2)))
const failTest = (error: Error) => {
  throw error
}

async function store(database: Database, topic: string, requests: ReturnType<typeof foundRequest>[]): Promise<void> {
  const page = await preparePage('github', { requests }, null)
  const stored = { ...page, platform: 'github' as const, topic, jobId: null, markSeenBefore: null, now: new Date() }
  await storePageAlone(database, stored)
}

let first: TestService
let second: Service

describe('two services on one Postgres', () => {
  beforeAll(async () => {
    first = await startTestService({ requestLimits, platforms })
    second = await startService(first.config, pino({ level: 'silent' }), failTest, {
      platforms: { adapters: platforms },
      onDemand: new Set(['placing']),
    })
  })
  afterAll(async () => {
    await second.stop()
    await first.stop()
  })
  const bothFor = (apiKey: string) => [first.clientFor(apiKey), createTestClient(() => second.address ?? '', apiKey)]

  it('accept together no more than the limit of the plan', async () => {
    const { apiKey } = await first.createAccount('free')
    const answers = await Promise.all(
      bothFor(apiKey).flatMap((client) => Array.from({ length: 30 }, () => client.get('/api/v1/requests'))),
    )
    const accepted = answers.filter((answer) => answer.status === 200)
    expect(accepted).toHaveLength(20)
    const left = accepted.map((answer) => Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1]))
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index))
    for (const refused of answers.filter((answer) => answer.status !== 200)) {
      expect([refused.status, refused.body.error.reason]).toEqual([429, 'rate'])
    }
  })

  it('execute a call with an Idempotency-Key once', async () => {
    const { accountId, apiKey } = await first.createAccount('max')
    const options = {
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: JSON.stringify({ topic: 'dark mode', platforms: ['github'], depth: 2 }),
    }
    const answers = await Promise.all(
      bothFor(apiKey).flatMap((client) =>
        Array.from({ length: 10 }, () => client.send('POST', '/api/v1/scrape', options)),
      ),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1)
    const jobs = first.database.selectFrom('scrape_jobs').select('id').where('account_id', '=', accountId)
    expect(await jobs.execute()).toHaveLength(1)
    await first.clientFor(apiKey).waitForJob(answers[0]?.body.data.jobId)
  })

  it('merge two wishes once, in one direction', async () => {
    const { accountId, apiKey } = await first.createAccount('max')
    const { body } = await first.clientFor(apiKey).scrape({ topic: 'merged', platforms: ['github'], depth: 2 })
    await first.clientFor(apiKey).waitForJob(body.data.jobId)
    const rows = await first.database.selectFrom('requests').select('id').limit(2).execute()
    const [one, other] = rows.map(({ id }) => id) as [string, string]
    const answers = await Promise.all(
      bothFor(apiKey).flatMap((client) =>
        Array.from({ length: 6 }, (_, index) => {
          const [into, from] = index % 2 ? [one, other] : [other, one]
          return client.post('/api/v1/corrections/wishes', { kind: 'merge', wishId: into, otherWishId: from })
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(404)])
    const made = first.database.selectFrom('wish_corrections').select('id').where('account_id', '=', accountId)
    const [{ id: correctionId }, ...more] = (await made.execute()) as [{ id: string }, ...{ id: string }[]]
    expect(more).toEqual([])
    const undone = await Promise.all(
      bothFor(apiKey).flatMap((client) =>
        Array.from({ length: 5 }, () => client.send('DELETE', `/api/v1/corrections/wishes/${correctionId}`)),
      ),
    )
    expect(undone.map(({ status }) => status)).toEqual(Array(10).fill(200))
    const account = first.database.selectFrom('accounts').select('corrections').where('id', '=', accountId)
    expect((await account.executeTakeFirstOrThrow()).corrections).toBe(0)
    const merges = first.database.selectFrom('account_wish_merges').selectAll().where('account_id', '=', accountId)
    expect(await merges.execute()).toEqual([])
  })

  it('count the correction of a request once, and together no more than 10,000', async () => {
    const { accountId, apiKey } = await first.createAccount('max')
    const { body } = await first.clientFor(apiKey).scrape({ topic: 'corrected', platforms: ['github'], depth: 2 })
    await first.clientFor(apiKey).waitForJob(body.data.jobId)
    const rows = await first.database.selectFrom('requests').select('id').limit(3).execute()
    const correct = (id: string, isRequest: boolean) =>
      bothFor(apiKey).map((client) => client.post('/api/v1/corrections/requests', { requestId: id, isRequest }))
    const count = async () => {
      const account = first.database.selectFrom('accounts').select('corrections').where('id', '=', accountId)
      return (await account.executeTakeFirstOrThrow()).corrections
    }
    const [{ id: corrected }, ...others] = rows as [{ id: string }, ...{ id: string }[]]
    const answers = await Promise.all(Array.from({ length: 10 }, () => correct(corrected, false)).flat())
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    expect(await count()).toBe(1)
    await first.database.updateTable('accounts').set({ corrections: 9_999 }).where('id', '=', accountId).execute()
    const last = await Promise.all(others.flatMap(({ id }) => correct(id, false)))
    // One of the two requests, by both services; the other one by neither.
    expect(last.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409])
    expect(await count()).toBe(10_000)
  })

  it('see every change of the other one in their next answer', async () => {
    const { apiKey } = await first.createAccount('max')
    const [one, other] = bothFor(apiKey) as [TestClient, TestClient]
    const read = async (client: TestClient) => {
      const [listed, found] = await Promise.all([
        client.get('/api/v1/requests?topic=crossing&limit=100'),
        client.search('crossing'),
      ])
      return [listed.body.data.results.length, found.body.data.results.length]
    }
    for (let id = 1; id <= 20; id++) {
      await store(id % 2 ? first.database : second.database.database, 'crossing', [
        foundRequest(`crossing-${id}`, { title: `Please add crossing ${id}` }),
      ])
      expect(await Promise.all([read(one), read(other), read(other)])).toEqual(Array(3).fill([id, id]))
    }
  })
})

describe('an api process', () => {
  it('reports the progress of a worker, and has it abort the fetch of a job that it cancels', async () => {
    const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
    const stepped = scriptedPlatform('github', async (call, request) => {
      await gates[call]?.promise
      return numberedPages(3)(call, request)
    })
    const worker = await startTestService({ platforms: platformMap(stepped) })
    const config = { ...worker.config, role: 'api' as const }
    const api = await startService(config, pino({ level: 'silent' }), failTest)
    try {
      const client = createTestClient(() => api.address ?? '', worker.apiKey)
      const { body } = await client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 3 })
      const { jobId } = body.data
      const events = await openEvents({ url: api.address ?? '', apiKey: worker.apiKey }, jobId)
      gates[0]?.resolve()
      await events.until(({ data }) => data.pages === 1)
      await expect.poll(() => stepped.calls.length).toBe(2)
      expect((await client.send('DELETE', `/api/v1/scrape/${jobId}`)).status).toBe(200)
      await expect.poll(() => stepped.calls[1]?.signal.aborted).toBe(true)
      expect((await events.rest()).at(-1)).toMatchObject({ event: 'end', data: { status: 'failed' } })
    } finally {
      await api.stop()
      await worker.stop()
    }
  })

  it('and a worker count what each did, and agree about the database', async () => {
    const service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(3))) })
    const metrics = { isOn: true, address: { host: '127.0.0.1', port: 0 } }
    const config = { ...service.config, role: 'worker' as const, metrics }
    const worker = await startService(config, pino({ level: 'silent' }), failTest, {
      platforms: { adapters: platformMap(scriptedPlatform('github', numberedPages(3))) },
    })
    try {
      expect(worker.address).toBeNull()
      const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 3 })
      await service.client.waitForJob(body.data.jobId)
      const ofService = await scrape(service)
      const ofWorker = parseExposition(await (await fetch(`${worker.metricsAddress}/metrics`)).text())
      const pages = [ofService, ofWorker].map(
        (samples) => sampleValue(samples, 'wishwell_platform_pages_total', { outcome: 'ok' }) ?? 0,
      )
      expect(pages[0]! + pages[1]!).toBe(3)
      expect(sampleValue(ofWorker, 'wishwell_http_request_duration_seconds_count')).toBeUndefined()
      expect(sampleValue(ofWorker, 'wishwell_credits_total', { movement: 'settled' })).toBe(3)
    } finally {
      await worker.stop()
      await service.stop()
    }
  })
})

describe('the numbers of credits', () => {
  it('count an entry that was written earlier and committed later', async () => {
    const { opened, database, stop } = await startTestService()
    const ledger = ledgerOf(() => database)
    const collector = creditCollector(opened.database)
    const read = async (movement: string) =>
      (await collector.read()).find(
        ({ name, labels }) => name === 'wishwell_credits_total' && labels.movement === movement,
      )?.value
    const accounts = [await ledger.makeAccount('pro'), await ledger.makeAccount('pro')] as const
    const [written, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const late = ledger.inTransaction(async (transaction) => {
      await sql`update credit_balances set latest_pool_part = latest_pool_part where account_id = ${accounts[0]}`.execute(
        transaction,
      )
      await sql`insert into credit_entries (account_id, month, kind, operation, cause, pack, payg_granted_change, created_at)
        values (${accounts[0]}, '2026-11', 'grant', 'pack', 'late', 'starter', 1270, now())`.execute(transaction)
      written.resolve()
      await commit.promise
    })
    await written.promise
    await ledger.startJob(accounts[1], { depth: 5 })
    for (let reading = 0; reading < 3; reading++)
      expect([await read('reserved'), await read('granted')]).toEqual([5, 0])
    commit.resolve()
    await late
    for (let reading = 0; reading < 3; reading++)
      expect([await read('reserved'), await read('granted')]).toEqual([5, 1270])
    await stop()
  })
})
