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
    /** Bought but not settled, including held ones; packs never expire. */
    payg_balance: Generated<number>
    /** Of all open reservations, whatever their month. */
    payg_held: Generated<number>
    /** Held and settled in `month`, bounded by the cap. */
    payg_month_used: Generated<number>
    /** The pool's part of the latest reservation: RETURNING cannot read the old row before Postgres 18. */
    latest_pool_part: Generated<number>
  }
  credit_reservations: {
    id: Generated<string>
    account_id: Fixed<string>
    /** UTC month (YYYY-MM) of its booking and settlement. */
    month: Fixed<string>
    operation: Fixed<SpendingOperation>
    /** Scrape jobs only; others have `call_id`. */
    job_id: Fixed<string | null>
    call_id: Fixed<string | null>
    pool_part: Fixed<number>
    payg_part: Fixed<number>
    /** The plan's monthly credits at the time. */
    pool_limit: Fixed<number>
    state: Generated<'open' | 'closed'>
    settled: Generated<number>
    created_at: Fixed<Date>
    closed_at: Date | null
    /** The paying key; null: a session without a key. */
    key_id: FixedWithDefault<string | null>
    /** The watch that ran it. */
    watch_id: FixedWithDefault<string | null>
    /** Whether it may hold credits in budgets' months. */
    is_bounded: FixedWithDefault<boolean>
    /** Who started it, if the sign-in was named; removed with the account. */
    person_name: string | null
    /** What a live call collects; null for a job. */
    topic: FixedWithDefault<string | null>
    platforms: FixedWithDefault<PlatformName[] | null>
  }
  /** Held and settled per month and spender; derived from the entries. */
  spender_months: {
    account_id: Fixed<string>
    month: Fixed<string>
    /** The runs of a watch, or a budgeted key plus the keys it made. */
    kind: Fixed<SpenderKind>
    spender_id: Fixed<string>
    held: Generated<number>
    settled: Generated<number>
  }
  /** Thresholds of settled credits reported in a month. */
  credit_alerts: {
    account_id: Fixed<string>
    month: Fixed<string>
    percent: Fixed<number>
  }
  /** Append-only: a trigger refuses updates and deletes. */
  credit_entries: {
    id: GeneratedAlways<number>
    account_id: Fixed<string>
    month: Fixed<string>
    kind: Fixed<EntryKind>
    operation: Fixed<SpendingOperation | 'pack'>
    cause: Fixed<string>
    /** What was bought; null except for grants. */
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
