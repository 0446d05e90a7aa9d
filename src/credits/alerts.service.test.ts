import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { closeReservation, grantPack } from './ledger.ts'
import { december, ledgerOf, november } from './testing.ts'

// Holds (Watches, news and channels): each threshold of settled credits is reported once a month, with the settlement that reaches it

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
const ledger = ledgerOf(() => opened.database)
const { makeAccount, startCall, endCall } = ledger
beforeEach(() => opened.reset())
afterEach(ledger.expectSound)
afterAll(() => opened.close())

const spend = async (accountId: string, amount: number, now = november) =>
  endCall(await startCall(accountId, amount, now), amount, now)
const events = (accountId: string) =>
  opened.database
    .selectFrom('events')
    .select(['type', 'subject'])
    .where('account_id', '=', accountId)
    .orderBy('sequence')
    .execute()
const told = async (accountId: string) => (await events(accountId)).map(({ subject }) => subject.percent)

describe('credits.low', () => {
  it('is noted when the settled credits reach a percent, exactly or beyond, once a month each', async () => {
    const account = await makeAccount('free')
    await spend(account, 79)
    expect(await told(account)).toEqual([])
    await spend(account, 1)
    expect(await events(account)).toEqual([
      {
        type: 'credits.low',
        subject: { percent: 80, month: '2026-11', settled: 80, limit: 100, held: 0, paygBalance: 0 },
      },
    ])
    await spend(account, 14)
    expect(await told(account)).toEqual([80])
    await spend(account, 3)
    await spend(account, 2)
    expect(await told(account)).toEqual([80, 95])
    await spend(account, 1)
    expect(await told(account)).toEqual([80, 95, 100])
    await spend(account, 80, december)
    expect(await told(account)).toEqual([80, 95, 100, 80])
  })

  it('notes every percent that one settlement reaches', async () => {
    const account = await makeAccount('free')
    await spend(account, 100)
    expect(await told(account)).toEqual([80, 95, 100])
  })

  it('names held and pay-as-you-go credits, and does not count them', async () => {
    const account = await makeAccount('free')
    await ledger.inTransaction((transaction) =>
      grantPack(transaction, { accountId: account, pack: 'starter', credits: 1_300, cause: 'a test', now: november }),
    )
    const first = await startCall(account, 80)
    await startCall(account, 50)
    expect(await told(account)).toEqual([])
    await endCall(first, 80)
    expect((await events(account)).map(({ subject }) => subject)).toEqual([
      { percent: 80, month: '2026-11', settled: 80, limit: 100, held: 20, paygBalance: 1_270 },
    ])
    await spend(account, 1_000)
    expect(await told(account)).toEqual([80])
  })

  it('is noted for a smaller plan at the next settlement, and not again for a larger one', async () => {
    const account = await makeAccount('pro')
    await spend(account, 90)
    await updateAccount(opened.database, account, { tier: 'free' })
    await endCall(await startCall(account, 1), 0)
    expect(await told(account)).toEqual([])
    await spend(account, 1)
    expect(await told(account)).toEqual([80])
    await updateAccount(opened.database, account, { tier: 'pro' })
    await spend(account, 3_909)
    expect(await told(account)).toEqual([80])
    await spend(account, 750)
    expect(await told(account)).toEqual([80, 95])
  })

  it('is not noted for a month that is over', async () => {
    const account = await makeAccount('free')
    const call = await startCall(account, 100)
    await endCall(call, 100, december)
    expect(await told(account)).toEqual([])
  })

  it('is noted once by settlements at the same moment, and is undone with its settlement', async () => {
    const account = await makeAccount('free')
    const calls = await Promise.all(Array.from({ length: 50 }, () => startCall(account, 2)))
    await expect(
      ledger.inTransaction(async (transaction) => {
        for (const callId of calls) {
          await closeReservation(transaction, { operation: 'expand', callId, settled: 2, now: november })
        }
        throw new Error('killed')
      }),
    ).rejects.toThrow('killed')
    expect(await told(account)).toEqual([])
    await Promise.all(calls.map((callId) => endCall(callId, 2)))
    expect((await told(account)).sort()).toEqual([100, 80, 95])
  })
})
