import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../../../test/event-reader.ts'
import { numberedPages, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { ledgerOf } from '../../credits/testing.ts'
import type { PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, type Platform, PlatformError } from '../../platforms/platform.ts'
import type { Observation } from './catalogue.ts'
import { creditCollector } from './credit-gauges.ts'
import { sampleValue, scrape } from './testing.ts'

// Holds (Monitoring): metrics equal the calls, page outcomes and ledger credits that happened, in every process

// Every number equals what happened.

const platforms = new Map<PlatformName, Platform>()
let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms })
})
afterEach(() => service.reset())
afterAll(() => service.stop())

const calls = 'wishwell_http_request_duration_seconds_count'
const valueIn = (observations: readonly Observation[], name: string, labels: Record<string, string> = {}) =>
  sampleValue(
    observations.map((one) => ({ ...one, labels: one.labels as Record<string, string> })),
    name,
    labels,
  )

/** The number of calls of each operation and status, since the service began. */
async function countedCalls(): Promise<Map<string, number>> {
  const samples = (await scrape(service)).filter(({ name }) => name === calls)
  return new Map(samples.map(({ labels, value }) => [`${labels.operation} ${labels.status}`, value]))
}

describe('calls', () => {
  it('are counted by route and status', async () => {
    const before = await countedCalls()
    await Promise.all([
      ...Array.from({ length: 7 }, () => service.client.search('dark mode')),
      ...Array.from({ length: 3 }, () => service.client.search('')),
      ...Array.from({ length: 4 }, () => service.clientFor('nonsense').get('/api/v1/requests')),
      ...Array.from({ length: 5 }, (_, number) => service.client.get(`/api/v1/topics/topic-${number}`)),
      ...Array.from({ length: 6 }, (_, number) => service.client.get(`/secret-${number}`)),
    ])
    const after = await countedCalls()
    const growth = Object.fromEntries(
      [...after].map(([key, value]) => [key, value - (before.get(key) ?? 0)]).filter(([, value]) => value !== 0),
    )
    expect(growth).toEqual({
      'searchRequests 200': 7,
      'searchRequests 400': 3,
      'listRequests 401': 4,
      'readTopic 404': 5,
      'other 404': 6,
      'readMetrics 200': 1,
    })
  })

  it('are no longer under way when their caller is gone', async () => {
    const gate = Promise.withResolvers<void>()
    platforms.set(
      'github',
      scriptedPlatform('github', async (call, request) => {
        await gate.promise
        return numberedPages(1)(call, request)
      }),
    )
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 1 })
    const events = await openEvents(service, body.data.jobId)
    const inProgress = async () => sampleValue(await scrape(service), 'wishwell_http_requests_in_progress')
    // The scrape itself is one.
    expect(await inProgress()).toBe(2)
    await events.close()
    await expect.poll(inProgress).toBe(1)
    gate.resolve()
    await service.client.waitForJob(body.data.jobId)
  })

  it('are counted as answered from the cache where they were', async () => {
    const answers = async () => {
      const samples = await scrape(service)
      return ['cache', 'database'].map((source) => sampleValue(samples, 'wishwell_answers_total', { source })!)
    }
    const [, database] = (await answers()) as [number, number]
    for (let call = 0; call < 3; call++) await service.client.search(`cached ${crypto.randomUUID()}`)
    expect((await answers())[1]).toBe(database + 3)
  })
})

describe('pages', () => {
  it('are counted by platform and outcome', async () => {
    platforms.set('github', scriptedPlatform('github', numberedPages(2)))
    platforms.set(
      'hackernews',
      scriptedPlatform('hackernews', (call) => {
        if (call === 0) throw new PlannedWaitError('rate_limited', 'wait', new Date(Date.now() + 10))
        throw new PlatformError('blocked', 'Hacker News refused this address.')
      }),
    )
    platforms.set(
      'stackexchange',
      scriptedPlatform('stackexchange', () => null),
    )
    const outcomes = async () => {
      const samples = (await scrape(service)).filter(({ name }) => name === 'wishwell_platform_pages_total')
      return new Map(samples.map(({ labels, value }) => [`${labels.platform} ${labels.outcome}`, value]))
    }
    const before = await outcomes()
    const { body } = await service.client.scrape({
      topic: 'dark mode',
      platforms: ['github', 'hackernews', 'stackexchange'],
      depth: 5,
    })
    await service.client.waitForJob(body.data.jobId)
    const growth = [...(await outcomes())].map(([key, value]) => [key, value - (before.get(key) ?? 0)])
    expect(Object.fromEntries(growth)).toMatchObject({
      'github ok': 2,
      'hackernews waiting': 1,
      'hackernews blocked': 1,
      'stackexchange none': 1,
    })
  })
})

describe('credits', () => {
  const ledger = ledgerOf(() => service.database)

  /** What the tables say. */
  async function booked() {
    const { rows } = await sql<Record<'held' | 'reserved' | 'settled' | 'released' | 'granted', number>>`
      select coalesce(sum(pool_held_change + payg_held_change), 0)::int as held,
        coalesce(sum(pool_settled_change + payg_settled_change), 0)::int as settled,
        coalesce(sum(payg_granted_change), 0)::int as granted,
        coalesce(sum(pool_held_change + payg_held_change) filter (where kind = 'reserve'), 0)::int as reserved,
        coalesce(-sum(pool_held_change + payg_held_change) filter (where kind = 'release'), 0)::int as released
      from credit_entries`.execute(service.database)
    return rows[0]!
  }
  function numbersOf(read: readonly Observation[]) {
    const movement = (name: string) => valueIn(read, 'wishwell_credits_total', { movement: name })
    return {
      held: valueIn(read, 'wishwell_credits_held'),
      settled: movement('settled'),
      granted: movement('granted'),
      reserved: movement('reserved'),
      released: movement('released'),
    }
  }
  const driftOf = (read: readonly Observation[]) =>
    ['held', 'payg_held', 'payg_balance'].map((balance) => valueIn(read, 'wishwell_ledger_drift_credits', { balance }))

  it('equal the ledger after every reading, in each process, without drift', async () => {
    const [one, other] = [creditCollector(service.database), creditCollector(service.database)]
    const expectEqual = async () => {
      for (const collector of [one, other, creditCollector(service.database)]) {
        const read = await collector.read()
        expect(numbersOf(read)).toEqual(await booked())
        expect(driftOf(read)).toEqual([0, 0, 0])
      }
    }
    await expectEqual()
    const accountId = await ledger.makeAccount('pro')
    const jobs = await Promise.all(
      Array.from({ length: 5 }, () => ledger.startJob(accountId, { depth: 4, platforms: 2 })),
    )
    await expectEqual()
    expect((await booked()).held).toBe(40)
    await ledger.endJob(jobs[0]!, 3)
    await ledger.endCall(await ledger.startCall(accountId, 1), 1)
    await ledger.startCall(accountId, 1)
    await expectEqual()
    for (const jobId of jobs.slice(1)) await ledger.endJob(jobId, 0)
    await expectEqual()
    expect(await booked()).toMatchObject({ held: 1, settled: 4 })
  })

  it.each([
    ['held', "update credit_reservations set state = 'closed', closed_at = now()", [-2, 0, 0]],
    ['a balance', 'update credit_balances set payg_balance = payg_balance + 7', [0, 0, 7]],
  ])('show drift of %s', async (_what, damage, drift) => {
    await ledger.startJob(await ledger.makeAccount('pro'), { depth: 2 })
    await sql
      .raw(`${damage} where account_id in (select account_id from credit_reservations)`)
      .execute(service.database)
    expect(driftOf(await creditCollector(service.database).read())).toEqual(drift)
  })
})
