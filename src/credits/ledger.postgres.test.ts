import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { endOfMonth, monthOf } from '../accounts/period.ts'
import { defaultPricing, unmetered } from '../accounts/plans.ts'
import type { PackName } from '../database/column-types.ts'
import { grantPack, reserve } from './ledger.ts'
import { december, ledgerOf, november } from './testing.ts'
import { readUsage } from './usage.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
const { startJob, endJob, startCall, endCall, makeAccount, makeKey, inTransaction, expectSound } = ledgerOf(
  () => opened.database,
)
beforeEach(() => opened.reset())
afterEach(expectSound)
afterAll(() => opened.close())

const grant = (accountId: string, pack: PackName = 'starter', now = november) =>
  inTransaction((transaction) =>
    grantPack(transaction, { accountId, pack, credits: defaultPricing.packs[pack].credits, cause: 'a test', now }),
  )
const usage = (accountId: string, now = november) => readUsage(opened.database, defaultPricing, accountId, now)
const credits = async (accountId: string, now = november) => (await usage(accountId, now)).credits
/** What is booked of an account. */
const bookedOf = async (accountId: string) => {
  const { database } = opened
  const entries = await database.selectFrom('credit_entries').selectAll().where('account_id', '=', accountId).execute()
  const spent = await database.selectFrom('spender_months').selectAll().where('account_id', '=', accountId).execute()
  return { entries, spent, usage: await usage(accountId) }
}
const setCap = (accountId: string, paygMonthlyCap: number | null) =>
  updateAccount(opened.database, accountId, { paygMonthlyCap })
const refused = { code: 'RATE_LIMITED', extras: { reason: 'credits' } }

describe('the pool', () => {
  it('shows reserved credits as used at once, and releases those of undelivered pages', async () => {
    const account = await makeAccount('free')
    const jobId = await startJob(account, { depth: 30, platforms: 2 })
    expect(await credits(account)).toMatchObject({ used: 60, limit: 100, remaining: 40 })
    await endJob(jobId, 25)
    expect(await credits(account)).toMatchObject({ used: 25, limit: 100, remaining: 75 })
  })

  it('settles all that was reserved, whatever the price is by then, pool and packs alike', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await endCall(await startCall(account, 130), 'reserved')
    expect(await credits(account)).toMatchObject({ used: 100, remaining: 0 })
    expect((await usage(account)).paygBalance).toBe(1_270)
  })

  it('refuses an amount that it cannot pay in full, and charges nothing', async () => {
    const account = await makeAccount('free')
    await startCall(account, 60)
    await expect(startCall(account, 41)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Credit limit exceeded (60/100). Resets on 2026-12-01.',
      extras: { reason: 'credits', resetsAt: '2026-12-01T00:00:00.000Z' },
    })
    expect(await credits(account)).toMatchObject({ used: 60 })
    await startCall(account, 40)
  })

  it('counts the use so far after a change of plan, and never shows a negative remainder', async () => {
    const account = await makeAccount('pro')
    const callId = await startCall(account, 300)
    await updateAccount(opened.database, account, { tier: 'free' })
    expect(await credits(account)).toMatchObject({ used: 300, limit: 100, remaining: 0 })
    await expect(startCall(account, 1)).rejects.toMatchObject({
      message: 'Credit limit exceeded (300/100). Resets on 2026-12-01.',
    })
    await endCall(callId, 99)
    await startCall(account, 1)
    await updateAccount(opened.database, account, { tier: 'max' })
    expect(await credits(account)).toMatchObject({ used: 100, limit: 15_000, remaining: 14_900 })
  })
})

describe('a reservation', () => {
  it('is closed exactly once, also by concurrent and later calls', async () => {
    const jobId = await startJob(await makeAccount('free'), { depth: 10 })
    const results = await Promise.allSettled([endJob(jobId, 4), endJob(jobId, 4), endJob(jobId, 10)])
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    await expect(endJob(jobId, 4)).rejects.toThrow(`the reservation of scrape ${jobId} is not open`)
  })

  it.each([11, -1])('of 10 never settles %i', async (pages) => {
    const account = await makeAccount('free')
    const jobId = await startJob(account, { depth: 10 })
    await expect(endJob(jobId, pages)).rejects.toThrow()
    expect(await credits(account)).toMatchObject({ used: 10 })
  })

  it('of what costs nothing books nothing, whatever is used up, and says who began it', async () => {
    const account = await makeAccount('free')
    const keyId = await makeKey(account, { monthlyCredits: 100 })
    const watchId = crypto.randomUUID()
    const all = { depth: 10, platforms: 10, keyId, watchId, watchMonthlyCredits: 100 }
    await endJob(await startJob(account, all), 100)
    await expect(startJob(account, { keyId })).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    const before = await bookedOf(account)
    // The budget of the watch was lowered to less than was used.
    const free = { watchMonthlyCredits: 5, pricing: unmetered(defaultPricing) }
    const jobId = await startJob(account, { ...all, ...free })
    const reservation = () =>
      opened.database
        .selectFrom('credit_reservations')
        .select(['pool_part', 'payg_part', 'settled', 'state', 'key_id'])
        .where('job_id', '=', jobId)
        .executeTakeFirstOrThrow()
    const nothing = { pool_part: 0, payg_part: 0, settled: 0, key_id: keyId }
    expect(await reservation()).toEqual({ ...nothing, state: 'open' })
    await endJob(jobId, 100)
    expect(await reservation()).toEqual({ ...nothing, state: 'closed' })
    expect(await bookedOf(account)).toEqual(before)
    await expect(endJob(jobId, 0)).rejects.toThrow('not open')
  })

  it('is rolled back with its transaction', async () => {
    const account = await makeAccount('free')
    const attempt = inTransaction(async (transaction) => {
      const callId = crypto.randomUUID()
      await reserve(transaction, {
        operation: 'expand',
        accountId: account,
        keyId: null,
        callId,
        amount: 10,
        now: november,
        pricing: defaultPricing,
      })
      await grantPack(transaction, {
        accountId: account,
        pack: 'bulk',
        credits: 13_500,
        cause: 'a test',
        now: november,
      })
      expect(await readUsage(transaction, defaultPricing, account, november)).toMatchObject({
        credits: { used: 10 },
        paygBalance: 13_500,
      })
      throw new Error('no')
    })
    await expect(attempt).rejects.toThrow('no')
    expect(await usage(account)).toMatchObject({ credits: { used: 0 }, paygBalance: 0 })
  })
})

describe('pay-as-you-go credits', () => {
  it('are used when the pool is empty, settled after it and given back before it', async () => {
    const account = await makeAccount('free')
    expect(await grant(account)).toBe(1_300)
    await startCall(account, 90)
    const callId = await startCall(account, 50)
    const reservation = await opened.database
      .selectFrom('credit_reservations')
      .selectAll()
      .where('call_id', '=', callId)
      .executeTakeFirstOrThrow()
    expect(reservation).toMatchObject({ pool_part: 10, payg_part: 40 })
    expect(await usage(account)).toMatchObject({ credits: { used: 100, remaining: 0 }, paygBalance: 1_260 })
    await endCall(callId, 12)
    expect(await usage(account)).toMatchObject({ credits: { used: 100 }, paygBalance: 1_298 })
  })

  it('are the only credits beyond the pool', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await expect(startCall(account, 1_401)).rejects.toMatchObject(refused)
    await startCall(account, 1_400)
    await expect(startCall(account, 1)).rejects.toMatchObject(refused)
    expect(await usage(account)).toMatchObject({ paygBalance: 0 })
  })

  it.each([
    ['starter', 1_300],
    ['standard', 5_300],
    ['bulk', 13_500],
  ] as const)('come in a pack: %s has %i', async (pack, paygBalance) => {
    expect(await grant(await makeAccount('free'), pack)).toBe(paygBalance)
  })

  it('pay all of it after a downgrade below what was used', async () => {
    const account = await makeAccount('pro')
    await grant(account)
    await startCall(account, 300)
    await updateAccount(opened.database, account, { tier: 'free' })
    await startCall(account, 7)
    expect(await usage(account)).toMatchObject({ credits: { used: 300, remaining: 0 }, paygBalance: 1_293 })
  })

  it('never expire', async () => {
    const account = await makeAccount('free')
    await grant(account)
    const inFiveYears = new Date('2031-11-21T12:00:00.000Z')
    await startCall(account, 150, inFiveYears)
    expect(await usage(account, inFiveYears)).toMatchObject({ paygBalance: 1_250 })
  })

  it('are not granted to an unknown account', async () => {
    expect(await grant('00000000-0000-4000-8000-000000000000')).toBeNull()
  })

  it('stop at the cap of the month, held ones included, until the next month', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await setCap(account, 20)
    const callId = await startCall(account, 115)
    await expect(startCall(account, 6)).rejects.toMatchObject(refused)
    await startCall(account, 5)
    await endCall(callId, 100)
    await startCall(account, 15)
    await expect(startCall(account, 1)).rejects.toMatchObject(refused)
    await startCall(account, 120, december)
    await expect(startCall(account, 1, december)).rejects.toMatchObject(refused)
    await setCap(account, null)
    await startCall(account, 1, december)
  })

  it('leave the pool alone when the cap is lowered below what was used', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await startCall(account, 150)
    await setCap(account, 10)
    await updateAccount(opened.database, account, { tier: 'pro' })
    await startCall(account, 4_900)
    await expect(startCall(account, 1)).rejects.toMatchObject(refused)
  })
})

describe('the turn of the month', () => {
  it('makes the pool fresh at its first instant, while jobs run on', async () => {
    const account = await makeAccount('free')
    const lastInstant = new Date(december.getTime() - 1)
    const jobId = await startJob(account, { depth: 40, platforms: 2, now: lastInstant })
    await expect(startCall(account, 21, lastInstant)).rejects.toMatchObject(refused)
    expect(await credits(account, december)).toEqual({
      used: 0,
      limit: 100,
      remaining: 100,
      held: 0,
      resetsAt: '2027-01-01T00:00:00.000Z',
    })
    await startCall(account, 30, december)
    await endJob(jobId, 70, december)
    expect(await credits(account, december)).toMatchObject({ used: 30 })
    const entries = await opened.database
      .selectFrom('credit_entries')
      .select(['month', 'kind', 'pool_held_change as held', 'pool_settled_change as settled', 'created_at'])
      .orderBy('id')
      .execute()
    expect(entries).toEqual([
      { month: '2026-11', kind: 'reserve', held: 80, settled: 0, created_at: lastInstant },
      { month: '2026-12', kind: 'reserve', held: 30, settled: 0, created_at: december },
      { month: '2026-11', kind: 'settle', held: -70, settled: 70, created_at: december },
      { month: '2026-11', kind: 'release', held: -10, settled: 0, created_at: december },
    ])
  })

  it('settles in the old month as long as nothing has begun the new one', async () => {
    const account = await makeAccount('free')
    const jobId = await startJob(account, { depth: 10 })
    await endJob(jobId, 7, december)
    expect(await credits(account, november)).toMatchObject({ used: 7 })
    expect(await credits(account, december)).toMatchObject({ used: 0 })
  })

  it('releases held PAYG credits of the old month to the balance, not to the cap of the new one', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await setCap(account, 50)
    const callId = await startCall(account, 150)
    await startCall(account, 150, december)
    await endCall(callId, 110, december)
    expect(await usage(account, december)).toMatchObject({ paygBalance: 1_240 })
    await expect(startCall(account, 1, december)).rejects.toMatchObject(refused)
  })

  it('separates the months, also for a process whose clock is behind', async () => {
    const account = await makeAccount('free')
    const late = new Date(december.getTime() - 1)
    await startCall(account, 40, december)
    const callId = await startCall(account, 50, late)
    expect(await credits(account, december)).toMatchObject({ used: 40, resetsAt: '2027-01-01T00:00:00.000Z' })
    expect(await credits(account, late)).toMatchObject({ used: 50, resetsAt: '2026-12-01T00:00:00.000Z' })
    await expect(startCall(account, 51, late)).rejects.toMatchObject({
      message: 'Credit limit exceeded (50/100). Resets on 2026-12-01.',
    })
    await startCall(account, 60, december)
    await expect(startCall(account, 1, december)).rejects.toMatchObject(refused)
    await endCall(callId, 0, late)
    expect(await credits(account, late)).toMatchObject({ used: 0 })
    expect(await credits(account, december)).toMatchObject({ used: 100 })
  })

  it('follows the clock ahead and back: every month has one pool, and its use stays', async () => {
    const account = await makeAccount('free')
    await grant(account)
    await setCap(account, 10)
    const ahead = new Date(november.getTime() + 40 * 24 * 3600_000)
    await startCall(account, 70)
    const callId = await startCall(account, 105, ahead)
    for (let jump = 0; jump < 3; jump++) {
      expect(await credits(account, ahead)).toMatchObject({ used: 100, held: 100, remaining: 0 })
      await expect(startCall(account, 6, ahead)).rejects.toMatchObject(refused)
      expect(await credits(account)).toMatchObject({ used: 70 + jump, held: 70, remaining: 30 - jump })
      await expect(startCall(account, 41 - jump)).rejects.toMatchObject(refused)
      await endCall(await startCall(account, 1), 1)
    }
    // It is closed in the month that it was booked in, wherever the clock is; the cap of each month is its own.
    await endCall(callId, 101)
    expect(await credits(account, ahead)).toMatchObject({ used: 100, held: 0 })
    await startCall(account, 9, ahead)
    await startCall(account, 37)
    await expect(startCall(account, 1, ahead)).rejects.toMatchObject(refused)
    await expect(startCall(account, 1)).rejects.toMatchObject(refused)
    expect(await usage(account)).toMatchObject({ paygBalance: 1_300 - 1 - 9 - 10 })
  })

  it('has one pool for each month, also with concurrent callers of two months', async () => {
    const account = await makeAccount('free')
    const moments = [november, december]
    const calls = Array.from({ length: 120 }, (_, index) => startCall(account, 3, moments[index % 2]))
    const refusals = (await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')
    // 33 of 60 in each month.
    expect(refusals).toHaveLength(54)
    for (const moment of moments) expect(await credits(account, moment)).toMatchObject({ used: 99 })
  })

  it.each([
    ['2028-02-28T23:59:59.999Z', '2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['2027-02-01T00:00:00.000Z', '2027-02-28T23:59:59.999Z', '2027-03-01T00:00:00.000Z'],
    ['2026-01-30T00:00:00.000Z', '2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z'],
    ['2026-12-01T00:00:00.000Z', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ])('after %s and %s is %s', async (first, last, next) => {
    const account = await makeAccount('free', new Date(first))
    await startCall(account, 100, new Date(first))
    await expect(startCall(account, 1, new Date(last))).rejects.toMatchObject({
      message: `Credit limit exceeded (100/100). Resets on ${next.slice(0, 10)}.`,
      extras: { resetsAt: next },
    })
    await startCall(account, 100, new Date(next))
  })
})

describe('the entries', () => {
  it.each(['update credit_entries set created_at = now()', 'delete from credit_entries'])(
    'are never changed: %s',
    async (statement) => {
      await startCall(await makeAccount('free'), 1)
      await expect(sql.raw(statement).execute(opened.database)).rejects.toThrow('credit_entries is append-only')
    },
  )
})

describe('a month', () => {
  it.each([
    ['2026-11-30T23:59:59.999Z', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01T00:00:00.000Z'],
    ['2026-01-31T00:00:00.000Z', '2026-01', '2026-02-01T00:00:00.000Z'],
  ])('of %s is %s and ends at %s', (moment, month, end) => {
    expect(monthOf(new Date(moment))).toBe(month)
    expect(endOfMonth(month).toISOString()).toBe(end)
  })
})
