import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { monthPeriod } from '../accounts/period.ts'
import { defaultPricing } from '../accounts/plans.ts'
import { grantPack } from './ledger.ts'
import { readSpending } from './spending.ts'
import { december, ledgerOf, november } from './testing.ts'
import { readUsage } from './usage.ts'

// Holds (Watches, news and channels): a watch's or key's budget is never exceeded, whatever runs at once

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
const ledger = ledgerOf(() => opened.database)
const { makeAccount, makeKey, startCall, endCall, startJob, endJob } = ledger
beforeEach(() => opened.reset())
afterEach(ledger.expectSound)
afterAll(() => opened.close())

const overKey = { code: 'RATE_LIMITED', extras: { reason: 'key_budget', resetsAt: '2026-12-01T00:00:00.000Z' } }
const overWatch = { code: 'RATE_LIMITED', extras: { reason: 'watch_budget', resetsAt: '2026-12-01T00:00:00.000Z' } }
const used = async (accountId: string) =>
  (await readUsage(opened.database, defaultPricing, accountId, november)).credits.used
const spent = async (spenderId: string, kind: 'key_budget' | 'watch' = 'key_budget') =>
  opened.database
    .selectFrom('spender_months')
    .select(['month', 'held', 'settled'])
    .where('spender_id', '=', spenderId)
    .where('kind', '=', kind)
    .orderBy('month')
    .execute()

describe('the budget of a key', () => {
  it('refuses what exceeds it, holds nothing then, and lets other keys go on', async () => {
    const account = await makeAccount('free')
    const keyId = await makeKey(account, { monthlyCredits: 10 })
    await startCall(account, 6, november, { keyId })
    await expect(startCall(account, 5, november, { keyId })).rejects.toMatchObject(overKey)
    expect(await used(account)).toBe(6)
    await startCall(account, 4, november, { keyId })
    await expect(startCall(account, 1, november, { keyId })).rejects.toMatchObject(overKey)
    await startCall(account, 50, november, { keyId: await makeKey(account) })
    await startCall(account, 40)
    expect(await used(account)).toBe(100)
  })

  it('refuses the first call of a month that exceeds it', async () => {
    const account = await makeAccount('free')
    await expect(
      startCall(account, 11, november, { keyId: await makeKey(account, { monthlyCredits: 10 }) }),
    ).rejects.toMatchObject(overKey)
    await expect(
      startCall(account, 1, november, { keyId: await makeKey(account, { monthlyCredits: 0 }) }),
    ).rejects.toMatchObject(overKey)
  })

  it('gets back what is released, counts what is settled, and is fresh in the next month', async () => {
    const account = await makeAccount('free')
    const keyId = await makeKey(account, { monthlyCredits: 10 })
    const jobId = await startJob(account, { depth: 10, keyId })
    await expect(startCall(account, 1, november, { keyId })).rejects.toMatchObject(overKey)
    await endJob(jobId, 7)
    expect(await spent(keyId, 'key_budget')).toEqual([{ month: '2026-11', held: 0, settled: 7 }])
    const last = await startCall(account, 3, november, { keyId })
    await expect(startCall(account, 1, november, { keyId })).rejects.toMatchObject(overKey)
    await startCall(account, 10, december, { keyId })
    // It is closed in the month of its booking.
    await endCall(last, 0, december)
    expect(await spent(keyId, 'key_budget')).toEqual([
      { month: '2026-11', held: 0, settled: 7 },
      { month: '2026-12', held: 10, settled: 0 },
    ])
  })

  it('counts pay-as-you-go credits, too', async () => {
    const account = await makeAccount('free')
    await ledger.inTransaction((transaction) =>
      grantPack(transaction, { accountId: account, pack: 'starter', credits: 1_300, cause: 'a test', now: november }),
    )
    const keyId = await makeKey(account, { monthlyCredits: 150 })
    await endCall(await startCall(account, 140, november, { keyId }), 130)
    await expect(startCall(account, 21, november, { keyId })).rejects.toMatchObject(overKey)
    await startCall(account, 20, november, { keyId })
  })

  it('bounds what the keys that it made use together', async () => {
    const account = await makeAccount('free')
    const parent = await makeKey(account, { monthlyCredits: 10 })
    const [one, other] = [
      await makeKey(account, { monthlyCredits: 10 }, parent),
      await makeKey(account, { monthlyCredits: 8 }, parent),
    ]
    const grandchild = await makeKey(account, { monthlyCredits: 8 }, other)
    await startCall(account, 3, november, { keyId: one })
    const call = await startCall(account, 4, november, { keyId: grandchild })
    await expect(startCall(account, 4, november, { keyId: other })).rejects.toMatchObject(overKey)
    await startCall(account, 3, november, { keyId: parent })
    for (const keyId of [parent, one, other, grandchild]) {
      await expect(startCall(account, 1, november, { keyId })).rejects.toMatchObject(overKey)
    }
    await endCall(call, 1)
    expect(await spent(parent, 'key_budget')).toEqual([{ month: '2026-11', held: 6, settled: 1 }])
    expect(await spent(other, 'key_budget')).toEqual([{ month: '2026-11', held: 0, settled: 1 }])
    await startCall(account, 3, november, { keyId: other })
  })

  it.each([1, 3, 10])('is never exceeded by 60 calls at once: exactly %i of them succeed', async (budget) => {
    const account = await makeAccount('free')
    const parent = await makeKey(account, { monthlyCredits: budget })
    const child = await makeKey(account, { monthlyCredits: budget }, parent)
    const calls = Array.from({ length: 60 }, (_, index) =>
      startCall(account, 1, november, { keyId: index % 2 === 0 ? parent : child }),
    )
    const outcomes = await Promise.allSettled(calls)
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refusals).toHaveLength(60 - budget)
    for (const refusal of refusals) expect(refusal).toMatchObject(overKey)
    expect(await used(account)).toBe(budget)
  })
})

describe('the budget of a watch', () => {
  it('bounds all its runs of a month, whoever pays, and a new one counts what was used before', async () => {
    const account = await makeAccount('free')
    const [watchId, keyId] = [crypto.randomUUID(), await makeKey(account, { monthlyCredits: 50 })]
    const watch = { watchId, watchMonthlyCredits: 10 }
    const jobId = await startJob(account, { depth: 6, keyId, ...watch })
    await expect(startJob(account, { depth: 5, keyId: null, ...watch })).rejects.toMatchObject(overWatch)
    expect(await used(account)).toBe(6)
    await endJob(jobId, 2)
    await startJob(account, { depth: 8, keyId: null, ...watch })
    await expect(startJob(account, { keyId: null, ...watch })).rejects.toMatchObject(overWatch)
    await startJob(account, { depth: 5, watchId, watchMonthlyCredits: 15 })
    await expect(startJob(account, { watchId, watchMonthlyCredits: 12 })).rejects.toMatchObject(overWatch)
    expect(await spent(watchId, 'watch')).toEqual([{ month: '2026-11', held: 13, settled: 2 }])
    const { keys } = await readSpending(opened.database, { accountId: account, ...monthPeriod('2026-11') })
    expect(keys).toMatchObject([{ keyId, held: 0, settled: 2 }])
  })

  it('is refused by the key that pays before that by the watch', async () => {
    const account = await makeAccount('free')
    const keyId = await makeKey(account, { monthlyCredits: 5 })
    await expect(
      startJob(account, { depth: 6, keyId, watchId: crypto.randomUUID(), watchMonthlyCredits: 5 }),
    ).rejects.toMatchObject(overKey)
  })
})

it('entries and reservations name the key and the watch', async () => {
  const account = await makeAccount('free')
  const [watchId, keyId] = [crypto.randomUUID(), await makeKey(account)]
  await endJob(await startJob(account, { depth: 3, keyId, watchId, watchMonthlyCredits: 5 }), 2)
  const named = { key_id: keyId, watch_id: watchId }
  for (const table of ['credit_entries', 'credit_reservations'] as const) {
    const rows = await opened.database.selectFrom(table).select(['key_id', 'watch_id']).execute()
    expect(rows).toEqual(table === 'credit_entries' ? [named, named, named] : [named])
  }
})
