import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { campaignSize } from '../../test/campaign-size.ts'
import { copyDatabase, type DatabaseCopy } from '../../test/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { defaultPricing, packNames, tiers } from '../accounts/plans.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { grantPack } from './ledger.ts'
import { readStatement } from './spending.ts'
import { december, ledgerOf, november } from './testing.ts'
import { readUsage } from './usage.ts'
import { verifyAccounts } from './verify.ts'

// Holds (Credits and limits): the last credits are spent exactly once

// Takes seconds: a round has 200 callers.

// Concurrent reservations of the last credits: exactly as many succeed as there are credits.

const callers = 200
/** Of the crowd on one account, and how much each does. */
const crowdSize = 19
const stepsEach = campaignSize('CROWD_STEPS', { quick: 20, nightly: 40 })
const rounds = campaignSize('RACE_ROUNDS', { quick: 1, nightly: 100 })

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
    grantPack(transaction, { accountId, pack: 'starter', credits: 1_300, cause: 'a test', now: november }),
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
  it(title, { timeout: Math.max(120_000, rounds * 10_000) }, async () => {
    for (let round = 0; round < rounds; round++) {
      const pool = sources[round % sources.length]?.(left) ?? 0
      const payg = left - pool
      const accountId = await makeAccountWith({ pool, payg })
      const calls = await Promise.allSettled(Array.from({ length: callers }, () => startCall(accountId)))
      const refusals = calls.flatMap((call) => (call.status === 'rejected' ? [call.reason] : []))
      expect(refusals).toHaveLength(callers - left)
      for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'RATE_LIMITED' })
      expect(await readUsage(opened.database, defaultPricing, accountId, november)).toMatchObject({
        credits: { used: 100, remaining: 0 },
        paygBalance: 1_300 - payg,
      })
      expect(await verifyAccounts(opened.database, [accountId])).toEqual([])
    }
  })
}

const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const random = createRandom(seed)
const upTo = (most: number) => Math.floor(random.next() * (most + 1))
const oneOf = <T>(choices: readonly T[]) => choices[upTo(choices.length - 1)] as T

// All operations on one account, concurrently and on many connections, at the change of the month.
it('the ledger is sound, and its statement only ever grows at its end, whatever a crowd does at once', async () => {
  console.log(`crowd: seed ${seed} (set TEST_SEED to repeat its choices)`)
  const accountId = await ledger.makeAccount('free')
  const held: { callId: string; amount: number }[] = []
  const faults: unknown[] = []

  const step = async (now: Date) => {
    const dice = upTo(19)
    if (dice < 9) {
      const amount = 1 + upTo(40)
      held.push({ callId: await ledger.startCall(accountId, amount, now), amount })
    } else if (dice < 16) {
      const call = held.splice(upTo(held.length), 1)[0]
      if (call) await ledger.endCall(call.callId, upTo(call.amount), now)
    } else if (dice === 16) {
      const pack = oneOf(packNames)
      const { credits } = defaultPricing.packs[pack]
      const grant = { accountId, pack, credits, cause: 'a test', now }
      await ledger.inTransaction((transaction) => grantPack(transaction, grant))
    } else if (dice === 17) await updateAccount(opened.database, accountId, { paygMonthlyCap: oneOf([null, 0, 300]) })
    else await updateAccount(opened.database, accountId, { tier: oneOf(tiers) })
  }
  const call = async () => {
    for (let count = 0; count < stepsEach; count++) {
      // At the change of the month, clocks differ.
      const now = count < stepsEach / 3 ? november : oneOf([november, december])
      await step(now).catch((error) => error.code === 'RATE_LIMITED' || faults.push(error))
    }
  }

  let isOver = false
  const watch = async () => {
    let before: number[] = []
    while (!isOver) {
      const { results: entries } = await readStatement(opened.database, { accountId, limit: 5_000 })
      const seen = entries.map((entry) => entry.entryId).reverse()
      expect(seen.slice(0, before.length)).toEqual(before)
      before = seen
    }
    return before.length
  }
  const crowd = Promise.all(Array.from({ length: crowdSize }, call)).finally(() => {
    isOver = true
  })
  const [watched] = await Promise.all([watch(), crowd])
  expect(faults).toEqual([])
  expect(watched).toBeGreaterThan((crowdSize * stepsEach) / 4)
  expect(await verifyAccounts(opened.database, [accountId])).toEqual([])
})
