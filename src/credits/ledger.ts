import { type RawBuilder, sql } from 'kysely'
import { monthOf } from '../accounts/period.ts'
import type { Pricing } from '../accounts/plans.ts'
import type { PackName, PlatformName } from '../database/column-types.ts'
import type { Transaction } from '../database/open.ts'
import { ServiceError } from '../http/errors.ts'
import { noteAlerts, type SettledPool } from './alerts.ts'
import {
  type BudgetVerdict,
  type ClosedReservation,
  holdingBySpender,
  mayBeBounded,
  type Payer,
  refuseOverBudget,
  settleBySpender,
} from './spenders.ts'
import { bookedIn, readUsage } from './usage.ts'

/** The job, or live call (by the service's id), that credits are held for. */
export type Cause = { operation: 'scrape'; jobId: string } | { operation: 'expand' | 'realtime'; callId: string }

const idsOf = (cause: Cause): { jobId: string | null; callId: string | null } =>
  'jobId' in cause ? { jobId: cause.jobId, callId: null } : { jobId: null, callId: cause.callId }

const allowanceOf = ({ plans }: Pricing) => sql`(
      select id, payg_monthly_cap, case tier ${sql.join(
        Object.entries(plans).map(([tier, plan]) => sql`when ${sql.lit(tier)} then ${sql.lit(plan.creditsPerMonth)}`),
        sql` `,
      )} end as pool_limit
      from accounts
    ) as allowance`

type Reservation = Cause &
  Payer & {
    accountId: string
    /** Whole credits. With 0, only who started it is recorded, and nothing booked. */
    amount: number
    /** For live calls, which leave nothing else; a job stores them itself. */
    collects?: { topic: string; platforms: readonly PlatformName[] }
    now: Date
    pricing: Pricing
  }

/**
 * Holds credits in the month of `now`, of the pool first, then pay-as-you-go. One statement decides, books and applies
 * budgets, without prior reads.
 * @param transaction makes the job or call
 * @throws ServiceError RATE_LIMITED (`credits`, `key_budget`, `watch_budget`); roll back then
 */
export async function reserve(transaction: Transaction, reservation: Reservation): Promise<void> {
  const { accountId, now } = reservation
  let taken = await take(transaction, reservation)
  if (taken === null) {
    // Perhaps refused only because the row is of another month than this clock's.
    await returnToMonth(transaction, accountId, monthOf(now))
    taken = await take(transaction, reservation)
  }
  if (taken === null) throw await insufficientCredits(transaction, reservation)
  refuseOverBudget(taken, now)
}

/** End of the statement without budgets besides the account's: the usual case. */
const unboundedVerdict = sql`select true as "keyBears", true as "watchBears" from taken`

const boundedVerdict = (payer: Payer, amount: RawBuilder<unknown>) => sql`, ${holdingBySpender(payer, amount)}
    select not exists (select from refusing where kind = 'key_budget') as "keyBears",
      not exists (select from refusing where kind = 'watch') as "watchBears"
    from taken`

/** Takes from the row of this or an earlier month. @returns null, holding nothing, if the account cannot pay */
async function take(transaction: Transaction, reservation: Reservation): Promise<BudgetVerdict | null> {
  const { accountId, operation, keyId, personName = null, watchId = null, now, pricing } = reservation
  const { jobId, callId } = idsOf(reservation)
  const { topic, platforms } = reservation.collects ?? { topic: null, platforms: [] }
  // A used-up budget does not refuse what is free.
  const isBounded = reservation.amount > 0 && mayBeBounded(reservation)
  const month = monthOf(now)
  const amount = sql`${reservation.amount}::integer`
  /** 1, or 0 if the row is of another month: nothing of this month is used. */
  const isCurrent = sql`(balances.month = ${month})::integer`
  const poolPart = sql`least(${amount}, greatest(0, pool_limit - ${isCurrent} * (pool_held + pool_settled)))`
  const paygPart = sql`(${amount} - ${poolPart})`
  // Never negative: a cap below past use must not refuse what the pool alone can pay.
  const capLeft = sql`greatest(0, coalesce(payg_monthly_cap, 2147483647) - ${isCurrent} * payg_month_used)`
  const { rows } = await sql<BudgetVerdict>`
    with taken as (
      update credit_balances as balances set
        month = ${month},
        latest_month = greatest(latest_month, ${month}),
        pool_held = ${isCurrent} * pool_held + ${poolPart},
        pool_settled = ${isCurrent} * pool_settled,
        payg_held = payg_held + ${paygPart},
        payg_month_used = ${isCurrent} * payg_month_used + ${paygPart},
        latest_pool_part = ${poolPart}
      from ${allowanceOf(pricing)}
      where account_id = ${accountId} and allowance.id = ${accountId}
        and (balances.month = ${month} or latest_month < ${month})
        and ${paygPart} <= least(payg_balance - payg_held, ${capLeft})
      returning account_id, balances.month, latest_pool_part as pool_part, ${amount} - latest_pool_part as payg_part, pool_limit
    ), reservation as (
      insert into credit_reservations
        (account_id, month, operation, job_id, call_id, pool_part, payg_part, pool_limit, created_at, key_id, watch_id, is_bounded,
         person_name, topic, platforms)
      select account_id, month, ${operation}::text, ${jobId}::uuid, ${callId}::uuid, pool_part, payg_part, pool_limit,
        ${now}::timestamptz, ${keyId}::uuid, ${watchId}::uuid, ${isBounded}::boolean,
        ${personName}::text, ${topic}::text, nullif(${[...platforms]}::text[], '{}')
      from taken
      returning *
    ), entry as (
      insert into credit_entries
        (account_id, month, kind, operation, cause, reservation_id, pool_held_change, payg_held_change, created_at, key_id, watch_id)
      select account_id, month, 'reserve', operation, ${jobId ?? callId}::text, id, pool_part, payg_part, created_at, key_id, watch_id
      from reservation where pool_part + payg_part > 0
    ) ${isBounded ? boundedVerdict(reservation, amount) : unboundedVerdict}`.execute(transaction)
  return rows[0] ?? null
}

/** After a clock change. Locks the row first, in its own statement, so the sums miss no entry. */
async function returnToMonth(transaction: Transaction, accountId: string, month: string): Promise<void> {
  const { rows } = await sql<{ month: string; latest: string }>`
    select month, latest_month as latest from credit_balances where account_id = ${accountId}
    for no key update`.execute(transaction)
  const [row] = rows
  if (!row || row.month === month || row.latest < month) return
  await sql`
    update credit_balances set month = ${month}, pool_held = booked.pool_held, pool_settled = booked.pool_settled,
      payg_month_used = booked.payg_used
    from ${bookedIn(accountId, month)} as booked where account_id = ${accountId}`.execute(transaction)
}

async function insufficientCredits(transaction: Transaction, { pricing, accountId, now }: Reservation) {
  const { used, limit, resetsAt } = (await readUsage(transaction, pricing, accountId, now)).credits
  return new ServiceError(
    'RATE_LIMITED',
    `Credit limit exceeded (${used}/${limit}). Resets on ${resetsAt.slice(0, 10)}.`,
    { reason: 'credits', resetsAt },
  )
}

export type Closing = Cause & {
  /** Whole credits; `reserved` settles all. The pool pays first, the rest is released. */
  settled: number | 'reserved'
  now: Date
}

/**
 * Settles in the booking's month, releases the rest, and records `credits.low`, under the balances' lock.
 * @param transaction ends the job or call
 * @throws if not open, or less than `settled`: roll back then
 */
export async function closeReservation(transaction: Transaction, closing: Closing): Promise<void> {
  const { operation, settled, now } = closing
  const { jobId, callId } = idsOf(closing)
  const reserved = sql`(pool_part + payg_part)`
  const settledCredits =
    settled === 'reserved' ? reserved : sql`case ${reserved} when 0 then 0 else ${settled}::integer end`
  const held = jobId === null ? sql`call_id = ${callId}::uuid` : sql`job_id = ${jobId}::uuid`
  const { rows } = await sql<SettledPool & ClosedReservation & { isBounded: boolean }>`
    with closed as (
      update credit_reservations set state = 'closed', settled = ${settledCredits}, closed_at = ${now}::timestamptz
      where ${held} and operation = ${operation}::text and state = 'open'
      returning *, least(settled, pool_part) as pool_settled, settled - least(settled, pool_part) as payg_settled
    ), booked as (
      update credit_balances as balances set
        pool_held = pool_held - case when balances.month = closed.month then closed.pool_part else 0 end,
        pool_settled = balances.pool_settled + case when balances.month = closed.month then closed.pool_settled else 0 end,
        payg_month_used = payg_month_used
          - case when balances.month = closed.month then closed.payg_part - closed.payg_settled else 0 end,
        payg_held = payg_held - closed.payg_part,
        payg_balance = payg_balance - closed.payg_settled
      from closed where balances.account_id = closed.account_id
      returning closed.*, balances.month = closed.month as is_current,
        balances.pool_settled as month_settled, balances.pool_held as month_held,
        payg_balance - payg_held as payg_available
    ), entries as (
      insert into credit_entries
        (account_id, month, kind, operation, cause, reservation_id,
         pool_held_change, pool_settled_change, payg_held_change, payg_settled_change, created_at, key_id, watch_id)
      select account_id, month, movement.kind, operation, ${jobId ?? callId}::text, id,
        -movement.pool, case movement.kind when 'settle' then movement.pool else 0 end,
        -movement.payg, case movement.kind when 'settle' then movement.payg else 0 end, closed_at, key_id, watch_id
      from booked cross join lateral (values
        (1, 'settle', pool_settled, payg_settled),
        (2, 'release', pool_part - pool_settled, payg_part - payg_settled)
      ) as movement (position, kind, pool, payg)
      where movement.pool + movement.payg > 0
      order by movement.position
    )
    select account_id as "accountId", month, key_id as "keyId", watch_id as "watchId", is_bounded as "isBounded",
      pool_part + payg_part as amount, settled, is_current as "isCurrent", month_settled as "monthSettled",
      month_held as "monthHeld", payg_available as "paygBalance", pool_limit as "limit"
    from booked`.execute(transaction)
  const [booked] = rows
  if (!booked) throw new Error(`the reservation of ${operation} ${jobId ?? callId} is not open`)
  if (booked.isBounded) await settleBySpender(transaction, booked)
  await noteAlerts(transaction, booked, now)
}

interface Grant {
  accountId: string
  pack: PackName
  credits: number
  /** Id of the granting call, for the statement. */
  cause: string
  now: Date
}

/** @returns the PAYG balance without held credits; null if the account is unknown or deleted */
export async function grantPack(
  transaction: Transaction,
  { accountId, pack, credits, cause, now }: Grant,
): Promise<number | null> {
  const { rows } = await sql<{ paygBalance: number }>`
    with granted as (
      update credit_balances set payg_balance = payg_balance + ${credits}::integer
      where account_id = ${accountId}
        and exists (select from accounts where id = ${accountId} and deleted_at is null)
      returning account_id, payg_balance - payg_held as available
    ), entry as (
      insert into credit_entries (account_id, month, kind, operation, cause, pack, payg_granted_change, created_at)
      select account_id, ${monthOf(now)}, 'grant', 'pack', ${cause}::text, ${pack}::text, ${credits}::integer, ${now}::timestamptz
      from granted
    )
    select available as "paygBalance" from granted`.execute(transaction)
  return rows[0]?.paygBalance ?? null
}
