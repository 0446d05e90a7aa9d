import { sql } from 'kysely'
import { monthOf } from '../accounts/month.ts'
import type { Transaction } from '../database/open.ts'
import { noteEvent } from '../events/events.ts'

/** The settled credits of the pool, in percent of it, that an account is told of. These figures are defined only here. */
export const alertPercents = [80, 95, 100] as const

/** The pool of an account after a settlement, and the percents that it reached for the first time in the month. */
export interface SettledPool {
  accountId: string
  /** UTC, YYYY-MM. */
  month: string
  /** Of the monthly pool, without held credits. */
  settled: number
  limit: number
  /** What jobs and live calls under way hold of the pool. */
  held: number
  /** PAYG credits that are not held. */
  paygBalance: number
  percents: number[]
}

/**
 * A CTE for the statement that settles, after its CTE `booked`: the percents that were reached and not yet told of in the month.
 * Landing exactly on one reaches it. A month that is over, and one that the balances are not of, is not told of: nothing can be
 * done about it. It compares all that is settled, not the step of this settlement, so that a smaller plan is told of, too.
 */
export const reachingAlerts = (now: Date) => sql`reached as (
      insert into credit_alerts (account_id, month, percent)
      select account_id, month, percent from booked cross join (values ${sql.join(
        alertPercents.map((percent) => sql`(${sql.lit(percent)})`),
      )}) as alert (percent)
      where settled > 0 and is_current and month >= ${monthOf(now)} and month_settled * 100 >= percent * pool_limit
      on conflict do nothing
      returning percent
    )`

/** Notes `credits.low` for each percent, in the transaction that settles. */
export async function noteAlerts(transaction: Transaction, pool: SettledPool, now: Date): Promise<void> {
  const { accountId, percents, month, settled, limit, held, paygBalance } = pool
  for (const percent of percents) {
    const subject = { percent, month, settled, limit, held, paygBalance }
    await noteEvent(transaction, { accountId, type: 'credits.low', subject, now })
  }
}
