import type { Logger } from 'pino'
import { closeReservation, reserve } from '../credits/ledger.ts'
import type { Database, Transaction } from '../database/open.ts'
import type { CallPlan } from '../database/tables/scraping.ts'
import { ServiceError } from '../http/errors.ts'
import { forget, noteEffect } from '../idempotency/store.ts'
import { passOverFailures } from '../runtime/maintenance.ts'
import { type Gathered, summarise } from './gathered.ts'
import { readTasks, type WatchedTask } from './task-watch.ts'

/** What a live call is, for the ledger: an expanded search, or a list with `source=realtime`. */
export type LiveOperation = 'expand' | 'realtime'

export interface OpenedCall {
  callId: string
  accountId: string
  operation: LiveOperation
  /** Of the row of its `Idempotency-Key`; null without one. */
  keyId: string | null
  now: Date
  /** When its process must be dead if it has not ended. */
  expiresAt: Date
}

/**
 * Reserves the one credit of a live call, before anything is asked.
 * @throws ServiceError RATE_LIMITED (reason `credits`) when the account cannot pay it; the transaction must be undone then.
 */
export async function openCall(transaction: Transaction, call: OpenedCall): Promise<void> {
  const { callId, accountId, operation, keyId, now, expiresAt } = call
  await reserve(transaction, { accountId, operation, callId, amount: 1, now })
  await transaction
    .insertInto('live_calls')
    .values({
      id: callId,
      account_id: accountId,
      operation,
      idempotency_id: keyId,
      created_at: now,
      expires_at: expiresAt,
    })
    .execute()
}

const givenUp = () =>
  new ServiceError('UNAVAILABLE', 'This call was interrupted for so long that it was given up. Make it again.')

/**
 * Writes down what a call asks for, in the transaction that begins or joins its collections: from then on the call pays for
 * what they deliver, whatever becomes of its process.
 * @throws ServiceError UNAVAILABLE when it was given up as dead; the transaction must be undone then.
 */
export async function recordPlan(transaction: Transaction, callId: string, plan: CallPlan): Promise<void> {
  const { numUpdatedRows } = await transaction
    .updateTable('live_calls')
    .set({ plan: JSON.stringify(plan) })
    .where('id', '=', callId)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw givenUp()
}

/** What a call under way asks for; null when it has not asked yet, or has ended. */
export async function readPlan(database: Database, callId: string): Promise<CallPlan | null> {
  const call = await database.selectFrom('live_calls').select('plan').where('id', '=', callId).executeTakeFirst()
  return call?.plan ?? null
}

/** What a call has come to for good: its answer is made of this alone, by its own process or later by another one. */
export interface CallEffect extends Gathered {
  callId: string
  topics: string[]
  /** ISO 8601. */
  startedAt: string
  /** ISO 8601: when the waiting was over. */
  endedAt: string
}

export interface SettledCall {
  /** The `CallEffect` as JSON. */
  effect: string
  tasks: WatchedTask[]
}

export interface Settling {
  callId: string
  /** Nobody will answer it now: without a page its key is free again, else it is there for whoever repeats the call. */
  isBroken: boolean
  now: Date
}

/**
 * Ends a call: it pays its credit when a page is stored for any collection that it asked for, as the database has it at this
 * moment, and gets it back when none is. Nothing that a process remembers decides. The effect is noted with the call's key in
 * the same transaction.
 * @returns null when the call has ended already.
 */
export async function settleCall(
  transaction: Transaction,
  { callId, isBroken, now }: Settling,
): Promise<SettledCall | null> {
  const call = await transaction
    .deleteFrom('live_calls')
    .where('id', '=', callId)
    .returning(['operation', 'plan', 'created_at as startedAt', 'idempotency_id as keyId'])
    .executeTakeFirst()
  if (!call) return null
  const plan = call.plan ?? { topics: [], collections: [], off: [] }
  const { topics } = plan
  const taskIds = plan.collections.flatMap(({ taskId }) => taskId ?? [])
  const tasks = await readTasks(transaction, taskIds)
  const gathered = summarise(plan, tasks)
  const isPaid = gathered.topicsScraped > 0
  const [startedAt, endedAt] = [call.startedAt.toISOString(), now.toISOString()]
  const effect = JSON.stringify({ callId, topics, ...gathered, startedAt, endedAt } satisfies CallEffect)
  await closeReservation(transaction, { operation: call.operation, callId, settled: isPaid ? 1 : 0, now })
  if (call.keyId !== null) {
    if (isBroken && !isPaid) await forget(transaction, call.keyId)
    else await noteEffect(transaction, call.keyId, effect)
  }
  return { effect, tasks }
}

/** Ends a call whose answer its own process makes. @throws ServiceError UNAVAILABLE when it was given up as dead. */
export async function settleOwnCall(database: Database, callId: string, now: Date): Promise<SettledCall> {
  const settled = await database
    .transaction()
    .execute((transaction) => settleCall(transaction, { callId, isBroken: false, now }))
  if (settled === null) throw givenUp()
  return settled
}

const callsPerSlice = 50

/**
 * Ends calls whose process died before it did: by the same rule as any other, so what was delivered to them is paid.
 * @param expiredBefore null for every call: at the start of the embedded database nobody can be at work on one.
 * @returns whether there may be more.
 */
export async function sweepCalls(
  database: Database,
  log: Logger,
  now: Date,
  expiredBefore: Date | null,
): Promise<boolean> {
  let query = database.selectFrom('live_calls').select('id')
  if (expiredBefore) query = query.where('expires_at', '<=', expiredBefore)
  const dead = await query.orderBy('expires_at').limit(callsPerSlice).execute()
  const swept = await passOverFailures(dead, log, ({ id: callId }) =>
    database.transaction().execute((transaction) => settleCall(transaction, { callId, isBroken: true, now })),
  )
  return swept > 0 && dead.length === callsPerSlice
}
