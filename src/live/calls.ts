import type { Logger } from 'pino'
import { closeReservation, reserve } from '../credits/ledger.ts'
import type { Database, Transaction } from '../database/open.ts'
import { passOverFailures } from '../housekeeping.ts'
import { forget } from '../idempotency/store.ts'

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

/**
 * Settles the credit of a call, or gives it back. One that was given up as dead and comes back pays nothing.
 * @returns whether it was under way. If not, its key was freed and may be another call's: it must be left alone.
 */
export async function closeCall(
  transaction: Transaction,
  { callId, delivered, now }: { callId: string; delivered: boolean; now: Date },
): Promise<boolean> {
  const call = await transaction
    .deleteFrom('live_calls')
    .where('id', '=', callId)
    .returning('operation')
    .executeTakeFirst()
  if (!call) return false
  await closeReservation(transaction, { operation: call.operation, callId, settled: delivered ? 1 : 0, now })
  return true
}

const callsPerSlice = 50

/**
 * Gives back the credits of calls that died before they were answered, and frees their keys: nothing was delivered.
 * @param expiredBefore null for every call: at the start of the embedded database nobody can be at work on one.
 * @returns whether there may be more.
 */
export async function sweepCalls(
  database: Database,
  log: Logger,
  now: Date,
  expiredBefore: Date | null,
): Promise<boolean> {
  let query = database.selectFrom('live_calls').select(['id', 'idempotency_id as keyId'])
  if (expiredBefore) query = query.where('expires_at', '<=', expiredBefore)
  const dead = await query.orderBy('expires_at').limit(callsPerSlice).execute()
  const swept = await passOverFailures(dead, log, ({ id: callId, keyId }) =>
    database.transaction().execute(async (transaction) => {
      const wasOpen = await closeCall(transaction, { callId, delivered: false, now })
      if (wasOpen && keyId !== null) await forget(transaction, keyId)
    }),
  )
  return swept > 0 && dead.length === callsPerSlice
}
