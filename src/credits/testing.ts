import { sql } from 'kysely'
import { expect } from 'vitest'
import { makeKey } from '../accounts/account-keys.ts'
import { createAccount } from '../accounts/accounts.ts'
import type { KeyTerms } from '../accounts/keys.ts'
import { defaultPricing, type Pricing } from '../accounts/plans.ts'
import type { Tier } from '../database/column-types.ts'
import type { Database, Transaction } from '../database/open.ts'
import { platformNames } from '../platforms/registry.ts'
import { closeReservation, reserve } from './ledger.ts'
import type { Payer } from './spenders.ts'
import { verifyLedger } from './verify.ts'

/** The moments that most tests use. */
export const november = new Date('2026-11-21T12:00:00.000Z')
export const december = new Date('2026-12-01T00:00:00.000Z')

const hourMs = 3600_000

/** The operations of ledger tests on a database, each in a transaction of its own. */
export function ledgerOf(database: () => Database) {
  const inTransaction = <T>(run: (transaction: Transaction) => Promise<T>) => database().transaction().execute(run)
  return {
    inTransaction,
    makeAccount: (tier: Tier, now = november) => createAccount(database(), { name: 'a', tier, now }),
    startJob: (accountId: string, job: TestJob = {}) =>
      inTransaction((transaction) => startJob(transaction, accountId, job)),
    endJob: (jobId: string, pages: number, now = november) =>
      inTransaction((transaction) => endJob(transaction, jobId, pages, now)),
    startCall: (accountId: string, amount: number, now = november, payer: TestPayer = { keyId: null }) =>
      inTransaction((transaction) => startCall(transaction, { accountId, amount, now, ...payer })),
    /** Makes a key of an account, within the budget of `maker`. @returns its id. */
    makeKey: (accountId: string, terms: Partial<KeyTerms> = {}, maker: string | null = null) =>
      inTransaction(async (transaction) => {
        const made = await makeKey(transaction, { accountId, name: 'a key', ...terms, maker, now: november })
        return made?.keyId ?? ''
      }),
    endCall: (callId: string, settled: number | 'reserved', now = november) =>
      inTransaction((transaction) => endCall(transaction, callId, settled, now)),
    expectSound: async () => expect(await verifyLedger(database())).toEqual([]),
  }
}

type TestPayer = Payer & { pricing?: Pricing }

interface TestJob extends Partial<TestPayer> {
  /** Pages of each platform. */
  depth?: number
  /** How many. */
  platforms?: number
  now?: Date
}

/** Stores a job with its tasks and reservation, without a queue. @returns its id. */
async function startJob(
  transaction: Transaction,
  accountId: string,
  { depth = 1, platforms = 1, now = november, pricing = defaultPricing, ...payer }: TestJob,
): Promise<string> {
  const { id: jobId } = await transaction
    .insertInto('scrape_jobs')
    .values({ account_id: accountId, topic: 'a topic', depth, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  const amount = depth * platforms * pricing.prices.page
  await reserve(transaction, { operation: 'scrape', accountId, keyId: null, ...payer, jobId, amount, now, pricing })
  const tasks = platformNames.slice(0, platforms).map((platform, position) => ({ job_id: jobId, platform, position }))
  await transaction.insertInto('scrape_tasks').values(tasks).execute()
  return jobId
}

/** Ends a job that has stored `pages` pages. */
async function endJob(transaction: Transaction, jobId: string, pages: number, now: Date): Promise<void> {
  await transaction
    .updateTable('scrape_tasks')
    .set({ state: 'done', pages: sql`case position when 0 then ${pages}::integer else 0 end` })
    .where('job_id', '=', jobId)
    .execute()
  await closeReservation(transaction, { operation: 'scrape', jobId, settled: pages, now })
}

/** Holds credits for a live call. @returns the id of the call. */
async function startCall(
  transaction: Transaction,
  {
    accountId,
    amount,
    now,
    pricing = defaultPricing,
    ...payer
  }: TestPayer & { accountId: string; amount: number; now: Date },
): Promise<string> {
  const callId = crypto.randomUUID()
  await reserve(transaction, { operation: 'expand', accountId, ...payer, callId, amount, now, pricing })
  await transaction
    .insertInto('live_calls')
    .values({
      id: callId,
      account_id: accountId,
      operation: 'expand',
      idempotency_id: null,
      created_at: now,
      expires_at: new Date(now.getTime() + hourMs),
    })
    .execute()
  return callId
}

async function endCall(
  transaction: Transaction,
  callId: string,
  settled: number | 'reserved',
  now: Date,
): Promise<void> {
  await transaction.deleteFrom('live_calls').where('id', '=', callId).execute()
  await closeReservation(transaction, { operation: 'expand', callId, settled, now })
}
