import { type RawBuilder, sql } from 'kysely'
import { endOfMonth, monthOf } from '../accounts/period.ts'
import type { Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { formatDay } from '../runtime/dates.ts'

// Budgets besides the account's: of paying keys and their makers, and of a run's watch, with a `spender_months` row a
// month. Balances are locked before them, so no statements deadlock.

/** Who pays besides the account. */
export interface Payer {
  /** The paying key; null for a session without a key. */
  keyId: string | null
  personName?: string | null
  /** False if no key budget applies (`Account`), which saves a third of a reservation; true if unknown. */
  keyHasBudget?: boolean
  /** The watch that runs it, whose budget pays too. */
  watchId?: string | null
  /** The watch's budget: whole credits per UTC month, null without one. */
  watchMonthlyCredits?: number | null
}

/** Whether anything besides the account may bound spending. */
export const mayBeBounded = ({ keyId, keyHasBudget = true, watchId = null }: Payer): boolean =>
  (keyId !== null && keyHasBudget) || watchId !== null

/**
 * CTEs after `taken` (account_id, month) that hold `amount` for spenders whose budget allows it; others are `refusing`.
 * Decided on the current row, so no race exceeds a budget.
 */
export const holdingBySpender = (
  { keyId, watchId = null, watchMonthlyCredits = null }: Payer,
  amount: RawBuilder<unknown>,
) => sql`spender (kind, id, budget) as (
      select 'key_budget', bearer.id, bearer.monthly_credits
      from api_keys as own cross join lateral unnest(array_append(own.bearers, own.id)) as bearing (id)
        join api_keys as bearer on bearer.id = bearing.id
      where own.id = ${keyId}::uuid and bearer.monthly_credits is not null
      union all
      select 'watch', ${watchId}::uuid, ${watchMonthlyCredits}::integer where ${watchId}::uuid is not null
    ), bearing as (
      insert into spender_months as spent (account_id, month, kind, spender_id, held)
      select account_id, month, kind, id, ${amount} from taken cross join spender
      where budget is null or ${amount} <= budget
      on conflict (account_id, month, kind, spender_id) do update set held = spent.held + excluded.held
        where spent.held + spent.settled + excluded.held <= coalesce(
          (select budget from spender where spender.kind = spent.kind and spender.id = spent.spender_id), 2147483647)
      returning kind, spender_id
    ), refusing as (
      select kind from spender where (kind, id) not in (select kind, spender_id from bearing)
    )`

export interface ClosedReservation {
  accountId: string
  /** Month of its booking. */
  month: string
  keyId: string | null
  watchId: string | null
  amount: number
  settled: number
}

/** Settles spenders' months, in the transaction that closed the reservation and so locked the balances. */
export async function settleBySpender(
  transaction: Transaction,
  { accountId, month, keyId, watchId, amount, settled }: ClosedReservation,
): Promise<void> {
  await sql`
    update spender_months as spent set held = spent.held - ${amount}::integer, settled = spent.settled + ${settled}::integer
    from (
      select 'key_budget' as kind, unnest(array_append(bearers, id)) as id from api_keys where id = ${keyId}::uuid
      union all select 'watch', ${watchId}::uuid
    ) as spender
    where spent.account_id = ${accountId} and spent.month = ${month}
      and spent.kind = spender.kind and spent.spender_id = spender.id`.execute(transaction)
}

/** Whether budgets allow what was taken. */
export interface BudgetVerdict {
  keyBears: boolean
  watchBears: boolean
}

/** @throws ServiceError RATE_LIMITED if a budget is exceeded; roll back then */
export function refuseOverBudget({ keyBears, watchBears }: BudgetVerdict, now: Date): void {
  if (keyBears && watchBears) return
  const resetsAt = endOfMonth(monthOf(now)).toISOString()
  const [whose, reason] = keyBears ? (['the watch', 'watch_budget'] as const) : (['the API key', 'key_budget'] as const)
  const message = `The monthly budget of ${whose} is not sufficient for this. It is fresh on ${formatDay(resetsAt)}.`
  throw new ServiceError('RATE_LIMITED', message, { reason, resetsAt })
}

/** Removes persons' names from a deleted account's books, which stay. */
export async function forgetPersons(transaction: Transaction, accountId: string): Promise<void> {
  await transaction
    .updateTable('credit_reservations')
    .set({ person_name: null })
    .where('account_id', '=', accountId)
    .where('person_name', 'is not', null)
    .execute()
}
