import type { Generated, GeneratedAlways } from 'kysely'
import type {
  EntryKind,
  Fixed,
  FixedWithDefault,
  PackName,
  PlatformName,
  SpenderKind,
  SpendingOperation,
} from '../column-types.ts'

export interface CreditsTables {
  /** Everything that decides whether an account can pay, in one row for one conditional update. */
  credit_balances: {
    account_id: Fixed<string>
    /** UTC month (YYYY-MM) of the pool's two balances and payg_month_used: that of the latest reservation. */
    month: string
    /** Latest month ever booked in; `month` is earlier after a clock was set back. */
    latest_month: string
    pool_held: Generated<number>
    pool_settled: Generated<number>
    /** Bought and not settled yet, held ones included; packs never expire. */
    payg_balance: Generated<number>
    /** Of all open reservations, whatever their month. */
    payg_held: Generated<number>
    /** Held and settled in `month`: what the cap bounds. */
    payg_month_used: Generated<number>
    /** The pool's part of the latest reservation: RETURNING cannot read the old row before Postgres 18. */
    latest_pool_part: Generated<number>
  }
  credit_reservations: {
    id: Generated<string>
    account_id: Fixed<string>
    /** The UTC month that it was booked in and will be settled in, YYYY-MM. */
    month: Fixed<string>
    operation: Fixed<SpendingOperation>
    /** Of a scrape job; all others carry `call_id`. */
    job_id: Fixed<string | null>
    call_id: Fixed<string | null>
    pool_part: Fixed<number>
    payg_part: Fixed<number>
    /** The monthly credits of the plan then. */
    pool_limit: Fixed<number>
    state: Generated<'open' | 'closed'>
    settled: Generated<number>
    created_at: Fixed<Date>
    closed_at: Date | null
    /** The key that pays, by its budget; null: a session that no key opened. */
    key_id: FixedWithDefault<string | null>
    /** The watch whose run it is. */
    watch_id: FixedWithDefault<string | null>
    /** Whether it may hold credits in months of budgets. */
    is_bounded: FixedWithDefault<boolean>
    /** Who began it, where a sign-in has a name; a deleted account has none any more. */
    person_name: string | null
    /** What a live call collects; null for a job. */
    topic: FixedWithDefault<string | null>
    platforms: FixedWithDefault<PlatformName[] | null>
  }
  /** What is held and settled in a month, by spender; derived from the entries. */
  spender_months: {
    account_id: Fixed<string>
    /** UTC, YYYY-MM. */
    month: Fixed<string>
    /** The runs of a watch, or a budgeted key plus the keys it made. */
    kind: Fixed<SpenderKind>
    spender_id: Fixed<string>
    held: Generated<number>
    settled: Generated<number>
  }
  /** Which thresholds of settled credits were told in a month. */
  credit_alerts: {
    account_id: Fixed<string>
    month: Fixed<string>
    percent: Fixed<number>
  }
  /** Append-only: a trigger refuses every update and delete. */
  credit_entries: {
    id: GeneratedAlways<number>
    account_id: Fixed<string>
    month: Fixed<string>
    kind: Fixed<EntryKind>
    operation: Fixed<SpendingOperation | 'pack'>
    /** The id of the job or of the call. */
    cause: Fixed<string>
    /** What was bought; null but for a grant. */
    pack: Fixed<PackName | null>
    reservation_id: Fixed<string | null>
    pool_held_change: FixedWithDefault<number>
    pool_settled_change: FixedWithDefault<number>
    payg_held_change: FixedWithDefault<number>
    payg_settled_change: FixedWithDefault<number>
    payg_granted_change: FixedWithDefault<number>
    created_at: Fixed<Date>
    key_id: FixedWithDefault<string | null>
    watch_id: FixedWithDefault<string | null>
  }
}
