import { sql } from 'kysely'
import type { Executor, Transaction } from '../database/open.ts'
import type { Tier } from '../database/tables.ts'
import { ServiceError } from '../http/errors.ts'
import { endOfMonth, monthOf } from './month.ts'
import { plans } from './plans.ts'

/** The `usage.credits` object: whole credits of the monthly pool. */
export interface CreditUsage {
  used: number
  limit: number
  remaining: number
}

const toUsage = (used: number, tier: Tier): CreditUsage => {
  const limit = plans[tier].creditsPerMonth
  return { used, limit, remaining: Math.max(0, limit - used) }
}

/** What an account has used of its pool in the month of `now`, held credits included. */
export async function readCreditUsage(
  executor: Executor,
  account: { accountId: string; tier: Tier },
  now: Date,
): Promise<CreditUsage> {
  const row = await executor
    .selectFrom('credit_months')
    .select(({ eb }) => eb('held', '+', eb.ref('settled')).as('used'))
    .where('account_id', '=', account.accountId)
    .where('month', '=', monthOf(now))
    .executeTakeFirst()
  return toUsage(row?.used ?? 0, account.tier)
}

/** The limit of each plan as a SQL value, so that the plan is read in the very statement that decides. */
const limitOfTier = sql<number>`case accounts.tier ${sql.join(
  Object.entries(plans).map(([tier, plan]) => sql`when ${sql.lit(tier)} then ${sql.lit(plan.creditsPerMonth)}`),
  sql` `,
)} end`

/**
 * Holds `amount` credits for a job, in the transaction that makes the job.
 * @throws ServiceError RATE_LIMITED (reason `credits`) when the pool does not have them all; nothing is held then.
 */
export async function reserve(
  transaction: Transaction,
  { accountId, jobId, amount, now }: { accountId: string; jobId: string; amount: number; now: Date },
): Promise<void> {
  const month = monthOf(now)
  await transaction
    .insertInto('credit_months')
    .values({ account_id: accountId, month, held: 0, settled: 0 })
    .onConflict((conflict) => conflict.columns(['account_id', 'month']).doNothing())
    .execute()
  const held = await sql`
    update credit_months set held = held + ${amount}::integer from accounts
    where accounts.id = credit_months.account_id and credit_months.account_id = ${accountId} and month = ${month}
      and held + settled + ${amount}::integer <= ${limitOfTier}
    returning held`.execute(transaction)
  if (held.rows.length === 0) throw await insufficientCredits(transaction, accountId, now)

  const reservation = await transaction
    .insertInto('credit_reservations')
    .values({ account_id: accountId, month, job_id: jobId, amount, created_at: now })
    .returning('id')
    .executeTakeFirstOrThrow()
  await transaction
    .insertInto('credit_entries')
    .values({
      account_id: accountId,
      month,
      kind: 'reserve',
      reservation_id: reservation.id,
      job_id: jobId,
      held_change: amount,
      settled_change: 0,
      created_at: now,
    })
    .execute()
}

async function insufficientCredits(transaction: Transaction, accountId: string, now: Date): Promise<ServiceError> {
  const { tier } = await transaction
    .selectFrom('accounts')
    .select('tier')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { used, limit } = await readCreditUsage(transaction, { accountId, tier }, now)
  const resetsAt = endOfMonth(now).toISOString()
  return new ServiceError(
    'RATE_LIMITED',
    `Credit limit exceeded (${used}/${limit}). Resets on ${resetsAt.slice(0, 10)}.`,
    { reason: 'credits', resetsAt },
  )
}

/**
 * Settles what a job delivered and releases the rest, in the transaction that ends the job.
 * @throws when the reservation was closed before, or less was held than is settled: a fault that must undo the transaction.
 */
export async function closeReservation(
  transaction: Transaction,
  { jobId, settled, now }: { jobId: string; settled: number; now: Date },
): Promise<void> {
  const reservation = await transaction
    .updateTable('credit_reservations')
    .set({ state: 'closed', settled, closed_at: now })
    .where('job_id', '=', jobId)
    .where('state', '=', 'open')
    .returning(['id', 'account_id', 'month', 'amount'])
    .executeTakeFirst()
  if (!reservation) throw new Error(`the reservation of job ${jobId} is not open`)
  const { id, account_id, month, amount } = reservation
  const released = amount - settled
  await transaction
    .updateTable('credit_months')
    .set((eb) => ({ held: eb('held', '-', amount), settled: eb('settled', '+', settled) }))
    .where('account_id', '=', account_id)
    .where('month', '=', month)
    .execute()
  const entry = { account_id, month, reservation_id: id, job_id: jobId, created_at: now }
  const entries = [
    { ...entry, kind: 'settle' as const, held_change: -settled, settled_change: settled },
    { ...entry, kind: 'release' as const, held_change: -released, settled_change: 0 },
  ].filter((movement) => movement.held_change !== 0)
  if (entries.length > 0) await transaction.insertInto('credit_entries').values(entries).execute()
}
