import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createAccount, setTier } from '../accounts/accounts.ts'
import type { Tier } from '../database/tables.ts'
import { closeReservation, readCreditUsage, reserve } from './ledger.ts'
import { endOfMonth, monthOf } from './month.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

const november = new Date('2026-11-21T12:00:00.000Z')
const december = new Date('2026-12-01T00:00:00.000Z')

async function makeAccount(tier: Tier) {
  return { accountId: await createAccount(opened.database, { name: 'a', tier, now: november }), tier }
}

/** A job of no tasks, for a reservation to belong to. */
const reserveForJob = (accountId: string, amount: number, now = november) =>
  opened.database.transaction().execute(async (transaction) => {
    const { id: jobId } = await transaction
      .insertInto('scrape_jobs')
      .values({ account_id: accountId, topic: 'a topic', depth: 1, created_at: now })
      .returning('id')
      .executeTakeFirstOrThrow()
    await reserve(transaction, { accountId, jobId, amount, now })
    return jobId
  })
const close = (jobId: string, settled: number, now = november) =>
  opened.database.transaction().execute((transaction) => closeReservation(transaction, { jobId, settled, now }))

/** The law of the ledger: balances equal the sums of the entries, and held credits are those of open reservations. */
async function expectBalanced() {
  const { rows } = await sql`
    select account_id, month, held, settled from credit_months
    except select account_id, month, sum(held_change), sum(settled_change) from credit_entries group by 1, 2`.execute(
    opened.database,
  )
  expect(
    rows.filter((row) => (row as { held: number }).held !== 0 || (row as { settled: number }).settled !== 0),
  ).toEqual([])
  const { rows: open } = await sql<{ drift: number }>`
    select coalesce((select sum(held) from credit_months), 0)
      - coalesce((select sum(amount) from credit_reservations where state = 'open'), 0) as drift`.execute(
    opened.database,
  )
  expect(Number(open[0]?.drift)).toBe(0)
}

describe('the ledger', () => {
  it('shows reserved credits as used at once, and gives back what was not delivered', async () => {
    const account = await makeAccount('free')
    const jobId = await reserveForJob(account.accountId, 60)
    expect(await readCreditUsage(opened.database, account, november)).toEqual({ used: 60, limit: 100, remaining: 40 })
    await expectBalanced()
    await close(jobId, 25)
    expect(await readCreditUsage(opened.database, account, november)).toEqual({ used: 25, limit: 100, remaining: 75 })
    await expectBalanced()
  })

  it('refuses what cannot be paid in full, and charges nothing for it', async () => {
    const account = await makeAccount('free')
    await reserveForJob(account.accountId, 60)
    await expect(reserveForJob(account.accountId, 41)).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: 'Credit limit exceeded (60/100). Resets on 2026-12-01.',
      extras: { reason: 'credits', resetsAt: '2026-12-01T00:00:00.000Z' },
    })
    expect(await readCreditUsage(opened.database, account, november)).toMatchObject({ used: 60 })
    await reserveForJob(account.accountId, 40)
    await expectBalanced()
  })

  it('accepts exactly as many as the pool holds, however many ask at once', async () => {
    const account = await makeAccount('free')
    await reserveForJob(account.accountId, 93)
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => reserveForJob(account.accountId, 1)))
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(7)
    expect(await readCreditUsage(opened.database, account, november)).toMatchObject({ used: 100, remaining: 0 })
    await expectBalanced()
  })

  it('closes a reservation exactly once', async () => {
    const account = await makeAccount('free')
    const jobId = await reserveForJob(account.accountId, 10)
    const results = await Promise.allSettled([close(jobId, 4), close(jobId, 4), close(jobId, 10)])
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    await expectBalanced()
  })

  it('never settles more than was reserved', async () => {
    const account = await makeAccount('free')
    const jobId = await reserveForJob(account.accountId, 10)
    await expect(close(jobId, 11)).rejects.toThrow()
    expect(await readCreditUsage(opened.database, account, november)).toMatchObject({ used: 10 })
    await expectBalanced()
  })

  it('is fresh the moment the month turns, and settles in the month that was reserved in', async () => {
    const account = await makeAccount('free')
    const jobId = await reserveForJob(account.accountId, 100)
    expect(await readCreditUsage(opened.database, account, december)).toMatchObject({ used: 0, remaining: 100 })
    await close(jobId, 70, december)
    expect(await readCreditUsage(opened.database, account, november)).toMatchObject({ used: 70 })
    expect(await readCreditUsage(opened.database, account, december)).toMatchObject({ used: 0 })
    await expectBalanced()
  })

  it('never shows a negative rest after a downgrade', async () => {
    const account = await makeAccount('pro')
    await reserveForJob(account.accountId, 300)
    await setTier(opened.database, account.accountId, 'free')
    const downgraded = { ...account, tier: 'free' as const }
    expect(await readCreditUsage(opened.database, downgraded, november)).toEqual({
      used: 300,
      limit: 100,
      remaining: 0,
    })
    await expect(reserveForJob(account.accountId, 1)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  })
})

describe('a month', () => {
  it.each([
    ['2026-11-30T23:59:59.999Z', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01T00:00:00.000Z'],
    ['2026-01-31T00:00:00.000Z', '2026-01', '2026-02-01T00:00:00.000Z'],
  ])('of %s is %s and ends at %s', (moment, month, end) => {
    expect(monthOf(new Date(moment))).toBe(month)
    expect(endOfMonth(new Date(moment)).toISOString()).toBe(end)
  })
})
