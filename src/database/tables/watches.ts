import type { ColumnType, Generated } from 'kysely'
import type { Fixed, PlatformName } from '../column-types.ts'

export type WatchState = 'active' | 'paused' | 'asking'

/** Why a run was skipped: nothing paid for it, or the run before was still under way. */
export type SkipReason = 'no_credits' | 'under_way'

export interface WatchesTables {
  watches: {
    id: Generated<string>
    account_id: Fixed<string>
    /** The key that made it, or last changed what it costs, pays for its runs; null: a session that no key opened. */
    key_id: string | null
    name: string
    topic: Fixed<string>
    platforms: PlatformName[]
    sources: ColumnType<Record<PlatformName, string[]> | null, string | null, string | null>
    depth: number
    /** `hourly`, `daily`, `weekly`, `monthly` or a cron expression of five fields. */
    schedule: string
    timezone: string
    /** Credits of all its runs in a UTC month. */
    monthly_credits: number
    goal: string | null
    /** Which requests are news; the grammar of lists of requests. */
    filters: ColumnType<Record<string, unknown>, string | undefined, string>
    channels: string[]
    /** Whether a report without news is sent. */
    reports_quiet: Generated<boolean>
    /** `asking`: nobody has looked at it for 90 days, or its key was revoked or has expired: it waits for its owner. */
    state: Generated<WatchState>
    created_at: Fixed<Date>
    /** The next instant of its schedule; null while it does not run. */
    next_run_at: Date | null
    last_looked_at: Date
    /** The UTC month in which its owner was last told that a run could not be paid. */
    told_unpaid_in: string | null
  }
  watch_runs: {
    id: Generated<string>
    watch_id: Fixed<string>
    trigger: Fixed<'schedule' | 'manual'>
    /** The instant of the schedule, or of the call. */
    due_at: Fixed<Date>
    begun_at: Fixed<Date>
    /** Null for a run that was skipped. */
    job_id: Fixed<string | null>
    skipped: Fixed<SkipReason | null>
    reported_at: Date | null
  }
}
