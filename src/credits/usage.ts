import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import type { SpendingOperation, Tier } from '../database/tables.ts'
import { endOfMonth, monthOf } from './month.ts'
import { plans } from './plans.ts'

/** The `usage.credits` object: whole credits of the monthly pool, held ones counted as used. */
export interface CreditUsage {
  used: number
  limit: number
  remaining: number
}

export interface Usage {
  tier: Tier
  /** `resetsAt`: ISO 8601, the first instant of the next UTC month. */
  credits: CreditUsage & { resetsAt: string }
  /** PAYG credits that are not held. */
  paygBalance: number
  /** The most PAYG credits a month; null when there is no cap. */
  paygMonthlyCap: number | null
}

/**
 * What an account has used and has left in the month of `now`, or in the later month that another process' clock has begun.
 * @throws when there is no such account.
 */
export async function readUsage(executor: Executor, accountId: string, now: Date): Promise<Usage> {
  const balances = await executor
    .selectFrom('credit_balances')
    .innerJoin('accounts', 'accounts.id', 'credit_balances.account_id')
    .select(['tier', 'payg_monthly_cap', 'month', 'pool_held', 'pool_settled', 'payg_balance', 'payg_held'])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { tier, month } = balances
  const thisMonth = monthOf(now)
  const used = month < thisMonth ? 0 : balances.pool_held + balances.pool_settled
  const limit = plans[tier].creditsPerMonth
  const resetsAt = endOfMonth(month < thisMonth ? thisMonth : month).toISOString()
  return {
    tier,
    credits: { used, limit, remaining: Math.max(0, limit - used), resetsAt },
    paygBalance: balances.payg_balance - balances.payg_held,
    paygMonthlyCap: balances.payg_monthly_cap,
  }
}

/** The `usage.credits` of an answer. @throws when there is no such account. */
export async function readCreditUsage(
  executor: Executor,
  { accountId }: { accountId: string },
  now: Date,
): Promise<CreditUsage> {
  const { used, limit, remaining } = (await readUsage(executor, accountId, now)).credits
  return { used, limit, remaining }
}

export interface DailyUsage {
  /** A UTC day, YYYY-MM-DD. */
  date: string
  operation: SpendingOperation
  /** Credits settled on that day, of the pool and PAYG together; what is still held is not in it. */
  credits: number
}

/** What was settled on each of the last `days` UTC days, today included, by operation; oldest first, empty days left out. */
export async function readDailyUsage(
  executor: Executor,
  { accountId, days, now }: { accountId: string; days: number; now: Date },
): Promise<DailyUsage[]> {
  const firstDay = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - days + 1))
  const { rows } = await sql<DailyUsage>`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as date, operation,
      sum(pool_settled_change + payg_settled_change) as credits
    from credit_entries
    where account_id = ${accountId} and kind = 'settle' and created_at >= ${firstDay}
    group by 1, 2 order by 1, 2`.execute(executor)
  return rows
}
