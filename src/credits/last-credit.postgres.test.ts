import { afterAll, beforeAll, expect, it } from 'vitest'
import { campaignSize } from '../../test/campaign-size.ts'
import { copyDatabase, type DatabaseCopy } from '../../test/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { grantPack } from './ledger.ts'
import { ledgerOf, november } from './testing.ts'
import { readUsage } from './usage.ts'
import { verifyAccounts } from './verify.ts'

// Takes seconds: a round has 200 callers.

// Concurrent reservations of the last credits: exactly as many succeed as there are credits.

const callers = 200
const rounds = campaignSize('RACE_ROUNDS', { quick: 5, nightly: 100 })

let copy: DatabaseCopy
let opened: OpenDatabase
beforeAll(async () => {
  copy = await copyDatabase()
  const onCrash = (error: Error) => {
    throw error
  }
  opened = await openDatabase({ ...copy.options, poolSize: 20, onCrash })
})
afterAll(async () => {
  await opened.close()
  await copy.remove()
})
const ledger = ledgerOf(() => opened.database)

/** A new account that can still use so many credits of its pool and so many of its PAYG balance, by its cap. */
async function makeAccountWith({ pool, payg }: { pool: number; payg: number }): Promise<string> {
  const accountId = await ledger.makeAccount('free')
  await ledger.startCall(accountId, 100 - pool)
  await ledger.inTransaction((transaction) =>
    grantPack(transaction, { accountId, pack: 'starter', cause: 'a test', now: november }),
  )
  await updateAccount(opened.database, accountId, { paygMonthlyCap: payg })
  return accountId
}

/**
 * A caller that waited 8 s for a connection is refused with a 503, and nothing has happened for it: it calls again. So it does not
 * matter how fast the machine is.
 */
async function startCall(accountId: string): Promise<unknown> {
  for (;;) {
    try {
      return await ledger.startCall(accountId, 1)
    } catch (error) {
      const hasNotBegun = error instanceof Error && error.message === 'timeout exceeded when trying to connect'
      if (!hasNotBegun) throw error
    }
  }
}

/** All of the last credits are the pool's, or PAYG, or the half of each. */
const sources = [(left: number) => left, () => 0, (left: number) => Math.ceil(left / 2)]

for (const left of [1, 2, 10]) {
  const title = `the last ${left} credits go to exactly ${left} of ${callers} callers at once, in ${rounds} rounds`
  it(title, { timeout: rounds * 10_000 }, async () => {
    for (let round = 0; round < rounds; round++) {
      const pool = sources[round % sources.length]?.(left) ?? 0
      const payg = left - pool
      const accountId = await makeAccountWith({ pool, payg })
      const calls = await Promise.allSettled(Array.from({ length: callers }, () => startCall(accountId)))
      const refusals = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []))
      expect(refusals).toHaveLength(callers - left)
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'RATE_LIMITED' })
      expect(await readUsage(opened.database, accountId, november)).toMatchObject({
        credits: { used: 100, remaining: 0 },
        paygBalance: 1_300 - payg,
      })
      expect(await verifyAccounts(opened.database, [accountId])).toEqual([])
    }
  })
}
