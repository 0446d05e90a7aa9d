import { sql } from 'kysely'
import { endOfMonth, monthOf } from '../accounts/period.ts'
import type { Pricing } from '../accounts/plans.ts'
import type { SpendingOperation, Tier } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import type { Account, Pool } from '../http/callers.ts'

/** The `usage.credits` object: whole pool credits, held ones counted as used. */
export interface CreditUsage {
  used: number
  limit: number
  remaining: number
}

export interface Usage {
  tier: Tier
  /** `held`: the part of `used` held by running jobs and calls. `resetsAt`: ISO 8601, start of the next UTC month. */
  credits: CreditUsage & { held: number; resetsAt: string }
  paygBalance: number
  /** Maximum PAYG credits per month; null without a cap. */
  paygMonthlyCap: number | null
}

/** An account's month by its entries: `pool_held`, `pool_settled`, `payg_used`, held ones included. */
export const bookedIn = (accountId: string, month: string) => sql`(
    select coalesce(sum(pool_held_change), 0)::integer as pool_held,
      coalesce(sum(pool_settled_change), 0)::integer as pool_settled,
      coalesce(sum(payg_held_change + payg_settled_change), 0)::integer as payg_used
    from credit_entries where account_id = ${accountId} and month = ${month}
  )`

/** Used and remaining credits in the month of `now`. @throws without such an account */
export async function readUsage(executor: Executor, pricing: Pricing, accountId: string, now: Date): Promise<Usage> {
  const month = monthOf(now)
  const balances = await executor
    .selectFrom('credit_balances')
    .innerJoin('accounts', 'accounts.id', 'credit_balances.account_id')
    .select(['tier', 'payg_monthly_cap', 'month', 'latest_month', 'pool_held', 'pool_settled'])
    .select(['payg_balance', 'payg_held'])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const { held, ...credits } = await creditsIn(
    executor,
    pricing,
    { accountId, tier: balances.tier, pool: balances },
    month,
  )
  return {
    tier: balances.tier,
    credits: { ...credits, held, resetsAt: endOfMonth(month).toISOString() },
    paygBalance: balances.payg_balance - balances.payg_held,
    paygMonthlyCap: balances.payg_monthly_cap,
  }
}

async function creditsIn(
  executor: Executor,
  { plans }: Pricing,
  { accountId, tier, pool }: Pick<Account, 'accountId' | 'tier' | 'pool'>,
  month: string,
): Promise<CreditUsage & { held: number }> {
  const { pool_held: held, pool_settled: settled } =
    pool.month === month ? pool : await readEarlier(executor, accountId, month, pool)
  const limit = plans[tier].creditsPerMonth
  const used = held + settled
  return { used, limit, remaining: Math.max(0, limit - used), held }
}

/** The pool of another month: fresh, or as booked before a clock change. */
async function readEarlier(executor: Executor, accountId: string, month: string, { latest_month }: Pool) {
  const fresh = { pool_held: 0, pool_settled: 0 }
  if (latest_month < month) return fresh
  const { rows } = await sql<typeof fresh>`select * from ${bookedIn(accountId, month)} as booked`.execute(executor)
  return rows[0] ?? fresh
}

/** An answer's `usage.credits`. @throws without such an account */
export async function readCreditUsage(
  executor: Executor,
  pricing: Pricing,
  { accountId }: { accountId: string },
  now: Date,
): Promise<CreditUsage> {
  const { used, limit, remaining } = (await readUsage(executor, pricing, accountId, now)).credits
  return { used, limit, remaining }
}

/** `usage.credits` of a free answer, as of reading the caller's key. */
export async function creditsOfCaller(
  executor: Executor,
  pricing: Pricing,
  account: Account,
  now: Date,
): Promise<CreditUsage> {
  const { used, limit, remaining } = await creditsIn(executor, pricing, account, monthOf(now))
  return { used, limit, remaining }
}

export interface DailyUsage {
  date: string
  operation: SpendingOperation
  /** Credits settled that day, pool and PAYG, without held ones. */
  credits: number
}

/** Settled credits of the last `days` UTC days including today, by operation; oldest first, no empty days. */
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
