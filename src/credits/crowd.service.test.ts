import { afterAll, beforeAll, expect, it } from 'vitest'
import { copyDatabase, type DatabaseCopy } from '../../test/database.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { packNames, tiers } from '../accounts/plans.ts'
import { type OpenDatabase, openDatabase } from '../database/open.ts'
import { grantPack } from './ledger.ts'
import { readStatement } from './statement.ts'
import { december, ledgerOf, november } from './testing.ts'
import { verifyAccounts } from './verify.ts'

// All operations on one account, concurrently and on many connections, at the change of the month.

const callers = 19
const stepsEach = 40

let copy: DatabaseCopy
let opened: OpenDatabase
beforeAll(async () => {
  copy = await copyDatabase()
  const onCrash = (error: Error) => {
    throw error
  }
  opened = await openDatabase({ ...copy.options, poolSize: callers + 1, onCrash })
})
afterAll(async () => {
  await opened.close()
  await copy.remove()
})
const ledger = ledgerOf(() => opened.database)

const upTo = (most: number) => Math.floor(Math.random() * (most + 1))
const oneOf = <T>(choices: readonly T[]) => choices[upTo(choices.length - 1)] as T

it('the ledger is sound, and its statement only ever grows at its end, whatever a crowd does at once', async () => {
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
      const grant = { accountId, pack: oneOf(packNames), cause: 'a test', now }
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
      const { entries } = await readStatement(opened.database, { accountId, limit: 5_000 })
      const seen = entries.map((entry) => entry.entryId).reverse()
      expect(seen.slice(0, before.length)).toEqual(before)
      before = seen
    }
    return before.length
  }
  const crowd = Promise.all(Array.from({ length: callers }, call)).finally(() => {
    isOver = true
  })
  const [watched] = await Promise.all([watch(), crowd])
  expect(faults).toEqual([])
  expect(watched).toBeGreaterThan(callers * 10)
  expect(await verifyAccounts(opened.database, [accountId])).toEqual([])
})
