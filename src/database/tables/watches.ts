import type { ColumnType, Generated } from 'kysely'
import type { Fixed, PlatformName, RequestStatus } from '../column-types.ts'

export const newsKinds = ['new', 'grown', 'completed', 'declined', 'rising'] as const
export type NewsKind = (typeof newsKinds)[number]

export interface NewsTables {
  /** What a watch knows of its jobs' requests. */
  watch_requests: {
    watch_id: Fixed<string>
    source_hash: Fixed<string>
    /** The stored request; an unused id after deletion. */
    request_id: string
    /** Maximum votes in a report; null if none had it. The end of strictness does not show it. */
    votes: number | null
    status: RequestStatus | null
    /** As of the last report with it. */
    wish_id: string | null
    /** Whether the last report had it. */
    is_present: Generated<boolean>
    fits: boolean | null
  }
  news_reports: {
    id: Generated<string>
    watch_id: Fixed<string>
    since: Fixed<Date | null>
    made_at: Fixed<Date>
    /** `judging`: a model is comparing its new wishes with the goal, and it is not shown yet. */
    state: 'judging' | 'ready'
    /** Later than in all earlier reports of the watch. */
    ready_at: Date | null
    new_wishes: Fixed<number>
    grown: Fixed<number>
    completed: Fixed<number>
    declined: Fixed<number>
    rising: Fixed<number>
    topic_rise: ColumnType<{ voices: number; expected: number; chance: number } | null, string | null, never>
    claimed_by: string | null
    claimed_until: Date | null
  }
  /** Ids and numbers only: texts are read when shown. */
  news_items: {
    report_id: Fixed<string>
    kind: Fixed<NewsKind>
    wish_id: Fixed<string>
    request_ids: Fixed<string[]>
    votes_gained: Fixed<number>
    requests_gained: Fixed<number>
    fits: boolean | null
    position: Fixed<number>
    /** For a rising wish: voices in seven days, the expected number, and the probability of as many. */
    voices: Fixed<number | null>
    expected: Fixed<number | null>
    chance: Fixed<number | null>
  }
  news_reads: {
    watch_id: Fixed<string>
    read_until: Date
  }
  /** Texts compared with goals on a UTC day (YYYY-MM-DD). */
  news_judgement_days: {
    day: Fixed<string>
    judged: number
  }
}

export interface FeedsTables {
  feeds: {
    id: Generated<string>
    account_id: Fixed<string>
    kind: Fixed<'topic' | 'watch' | 'search'>
    name: Fixed<string>
    topic: Fixed<string | null>
    watch_id: Fixed<string | null>
    query: Fixed<string | null>
    filters: ColumnType<Record<string, unknown> | null, string | null, never>
    secret_hash: Fixed<string>
    hint: Fixed<string>
    /** Part of its entries' ids. */
    authority: Fixed<string>
    created_at: Fixed<Date>
    /** Its making key, and that key's expiry. */
    made_by: Fixed<string | null>
    expires_at: Fixed<Date | null>
    last_read_at: Date | null
    /** Hash of what it showed last, and since when. */
    content_hash: string | null
    content_changed_at: Date | null
  }
}

export type WatchState = 'active' | 'paused' | 'asking'

/** Why a run was skipped: nothing paid for it, or the previous one was still running. */
export type SkipReason = 'no_credits' | 'under_way'

export interface WatchesTables {
  watches: {
    id: Generated<string>
    account_id: Fixed<string>
    /** The API key that pays: it made the watch or last changed its cost. Null for a session without a key. */
    key_id: string | null
    made_by: Fixed<string | null>
    name: string
    topic: Fixed<string>
    platforms: PlatformName[]
    sources: ColumnType<Record<PlatformName, string[]> | null, string | null, string | null>
    depth: number
    /** `hourly`, `daily`, `weekly`, `monthly` or a five-field cron expression. */
    schedule: string
    timezone: string
    /** Credits for all its runs per UTC month. */
    monthly_credits: number
    goal: string | null
    /** Filters for news, in the grammar of request lists. */
    filters: ColumnType<Record<string, unknown>, string | undefined, string>
    channels: string[]
    /** Whether to send reports without news. */
    reports_quiet: Generated<boolean>
    /** Kinds of news not sent. */
    muted_news: Generated<NewsKind[]>
    /** `asking`: waits for its owner after 90 days unseen, or because its key was revoked or expired. */
    state: Generated<WatchState>
    created_at: Fixed<Date>
    /** Next run by the schedule; null while paused. */
    next_run_at: Date | null
    asking_because: 'key_ended' | 'not_looked_at' | null
    last_looked_at: Date
    /** UTC month of the last notice that a run could not be paid. */
    told_unpaid_in: string | null
  }
  watch_runs: {
    id: Generated<string>
    watch_id: Fixed<string>
    trigger: Fixed<'schedule' | 'manual'>
    /** Time by the schedule, or of the call. */
    due_at: Fixed<Date>
    begun_at: Fixed<Date>
    job_id: Fixed<string | null>
    skipped: Fixed<SkipReason | null>
    reported_at: Date | null
  }
}
