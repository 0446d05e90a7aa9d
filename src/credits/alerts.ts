import { sql } from 'kysely'
import { noteEvent } from '../accounts/events/events.ts'
import { monthOf } from '../accounts/period.ts'
import type { Transaction } from '../database/open.ts'

/** Percents of the pool, by settled credits, that trigger alerts. Defined only here. */
const alertPercents = [80, 95, 100] as const

export interface SettledPool {
  accountId: string
  /** The plan's credits at reservation. */
  limit: number
  month: string
  /** Whether the balances are of that month. */
  isCurrent: boolean
  /** Settled now. */
  settled: number
  /** Settled of the monthly pool, without held credits. */
  monthSettled: number
  /** Pool credits held by running jobs and live calls. */
  monthHeld: number
  paygBalance: number
}

/**
 * Records `credits.low` once per month and reached percent, in the settling transaction that has locked the balances.
 * Not for past months, or months the balances are not of. All settled credits count, so that a smaller plan alerts too.
 */
export async function noteAlerts(transaction: Transaction, pool: SettledPool, now: Date): Promise<void> {
  const { accountId, limit, month, isCurrent, settled, monthSettled, monthHeld: held, paygBalance } = pool
  if (settled === 0 || !isCurrent || month < monthOf(now)) return
  const reached = alertPercents.filter((percent) => monthSettled * 100 >= percent * limit)
  if (reached.length === 0) return
  const { rows } = await sql<{ percent: number }>`
    insert into credit_alerts (account_id, month, percent)
    select ${accountId}::uuid, ${month}::text, unnest(${reached}::smallint[])
    on conflict do nothing
    returning percent`.execute(transaction)
  for (const { percent } of rows.toSorted((one, other) => one.percent - other.percent)) {
    const subject = { percent, month, settled: monthSettled, limit, held, paygBalance }
    await noteEvent(transaction, { accountId, type: 'credits.low', subject, now })
  }
}
