import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { PlatformErrorCode, PlatformName } from '../platforms/platform.ts'
import type { IdentityKind } from '../requests/identity.ts'

export type Tier = 'free' | 'pro' | 'max'
export type TaskState = 'pending' | 'running' | 'done' | 'error' | 'skipped'
export type PackName = 'starter' | 'standard' | 'bulk'
/** What credits are spent on. */
export type SpendingOperation = 'scrape' | 'expand' | 'realtime'
export type EntryKind = 'reserve' | 'settle' | 'release' | 'grant'

/** A column that is set once, when its row is inserted. */
type Fixed<T> = ColumnType<T, T, never>
type FixedWithDefault<T> = ColumnType<T, T | undefined, never>
/** jsonb: read as a value, written as JSON text, because the two drivers serialize arrays differently. */
type JsonColumn<T> = ColumnType<T, string | null, string | null>

/** Every table of Wishwell; `migrations/` holds their definitions. (pg-boss keeps its own schema, `pgboss`.) */
export interface Tables {
  accounts: {
    id: Generated<string>
    name: string
    tier: Tier
    /** The most PAYG credits that may be used in a month, held ones included; null when there is no such cap. */
    payg_monthly_cap: number | null
    created_at: Fixed<Date>
    /** Set once: the name is gone and no key opens it, but its ledger stays. */
    deleted_at: Date | null
  }
  api_keys: {
    id: Generated<string>
    account_id: Fixed<string>
    name: string
    /** SHA-256 of the key, in hex. The key itself is never stored. */
    hash: Fixed<string>
    /** The first characters of the key, for people to tell their keys apart. */
    hint: Fixed<string>
    created_at: Fixed<Date>
    revoked_at: Date | null
    /** True to within minutes: it is not written at every call. */
    last_used_at: Date | null
  }
  requests: {
    id: Generated<string>
    platform: Fixed<PlatformName>
    source_id: Fixed<string>
    title: string
    description: string
    votes: number
    tags: string[]
    comment_count: number | null
    source_url: string
    author_name: string | null
    author_handle: string | null
    author_profile_url: string | null
    license: string | null
    /** The topic that found it first, as its job wrote it. */
    topic: Fixed<string>
    original_created_at: Date | null
    created_at: Fixed<Date>
    updated_at: Date
    /**
     * When a platform with a retention last showed it unchanged, to within a day; null when not since updated_at. Refreshed is
     * the later of the two.
     */
    seen_at: Date | null
    /** original_created_at, or created_at where the platform does not say: what "new" sorts by. */
    posted_at: GeneratedAlways<Date>
  }
  /** The normalised text that the search index covers, apart from `requests` so that fresh votes do not rewrite it. */
  request_texts: {
    request_id: Fixed<string>
    text: string
  }
  /** The words of the searched texts, for words that are typed in part or wrongly. */
  search_words: {
    word: Fixed<string>
    /** How many requests have it; stop words are not counted, nor more than the first 150 words of a request. */
    requests: number
    /** Whether many have it; a column, because it changes seldom and an index may know of it. */
    frequent: GeneratedAlways<boolean>
  }
  topics: {
    /** Case-folded, spaces collapsed: what makes two topics the same. */
    key: Fixed<string>
    /** As it was first spelt. */
    name: Fixed<string>
    created_at: Fixed<Date>
    /** How many requests it has now, and their votes together; triggers keep both. */
    requests: GeneratedAlways<number>
    votes: GeneratedAlways<number>
    /** When a platform last delivered a page of it; a trigger moves it on. */
    collected_at: FixedWithDefault<Date>
  }
  /** Which topics a request belongs to, with the columns that lists of a topic filter and sort by, as triggers keep them. */
  request_topics: {
    request_id: Fixed<string>
    topic_key: Fixed<string>
    found_at: Fixed<Date>
    /** Null only inside of the statement that inserts a row without it. */
    platform: Fixed<PlatformName | null>
    posted_at: Fixed<Date | null>
    votes: Fixed<number | null>
    tags: Fixed<string[] | null>
  }
  /** How many of a topic's requests have the same platform, day of posting or tag; none without any. Only triggers write it. */
  topic_counts: {
    topic_key: GeneratedAlways<string>
    kind: GeneratedAlways<'platform' | 'day' | 'tag'>
    /** A platform, a UTC day as YYYY-MM-DD, or a tag. */
    value: GeneratedAlways<string>
    requests: GeneratedAlways<number>
    /** Of a platform only. */
    votes: GeneratedAlways<number>
  }
  scrape_jobs: {
    id: Generated<string>
    /** Null for a job of nobody: it collects for several callers, who pay for their calls. No list shows it. */
    account_id: Fixed<string | null>
    topic: Fixed<string>
    depth: Fixed<number>
    created_at: Fixed<Date>
    /** When it ends at the latest. */
    expires_at: FixedWithDefault<Date>
    /** Null while it waits in its account's line. */
    begun_at: Date | null
    /** When its last task ended. */
    ended_at: Date | null
    /** Of jobs of nobody: what makes two topics the same. */
    topic_key: FixedWithDefault<string | null>
  }
  scrape_tasks: {
    id: Generated<string>
    job_id: Fixed<string>
    platform: Fixed<PlatformName>
    /** The order in which the caller named the platforms. */
    position: Fixed<number>
    state: Generated<TaskState>
    /** Counts the takings of this task; whoever holds an older number has lost it and can write nothing. */
    claim: Generated<number>
    /** What the platform's adapter wants for the next page. */
    cursor: JsonColumn<unknown>
    pages: Generated<number>
    requests_found: Generated<number>
    requests_created: Generated<number>
    /** Failed tries of the page that is due now. */
    tries: Generated<number>
    /** How often the page that is due now was taken over from a worker that died. */
    takeovers: Generated<number>
    /** When the last page was stored, or the task began: waiting is bounded from here. */
    page_due_since: Date | null
    /** Set while the task waits for its platform; its queue job starts then. */
    waiting_until: Date | null
    queue_job_id: string | null
    error_code: PlatformErrorCode | null
    error_message: string | null
    started_at: Date | null
    completed_at: Date | null
    /** Counts the changes of state, pages, requests and waiting; 0 while it has not begun. A trigger writes it. */
    revision: GeneratedAlways<number>
  }
  /** Which account was given a place when: the higher, the later. */
  scrape_turns: {
    account_id: Fixed<string>
    turn: number
  }
  scrape_job_requests: {
    job_id: Fixed<string>
    request_id: Fixed<string>
  }
  /** Everything that decides whether an account can pay, in one row, so that one conditional update decides. */
  credit_balances: {
    account_id: Fixed<string>
    /** The UTC month of the pool's two balances and of payg_month_used, YYYY-MM; it never goes back. */
    month: string
    pool_held: Generated<number>
    pool_settled: Generated<number>
    /** Bought and not settled yet, held ones included; packs never expire. */
    payg_balance: Generated<number>
    /** Of all open reservations, whatever their month. */
    payg_held: Generated<number>
    /** Held and settled in `month`: what the cap bounds. */
    payg_month_used: Generated<number>
    /** How much of the latest reservation the pool paid: before Postgres 18 RETURNING cannot tell what a row was. */
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
    state: Generated<'open' | 'closed'>
    settled: Generated<number>
    created_at: Fixed<Date>
    closed_at: Date | null
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
  }
  /** Calls that collect live and are not answered yet; each has an open reservation with its id. */
  live_calls: {
    id: Fixed<string>
    account_id: Fixed<string>
    operation: Fixed<'expand' | 'realtime'>
    /** Of the `Idempotency-Key` that it was made with. */
    idempotency_id: Fixed<string | null>
    created_at: Fixed<Date>
    /** Its process is dead when it is still here then. */
    expires_at: Fixed<Date>
  }
  /** Calls with an `Idempotency-Key` and their first answers, kept for a day. */
  idempotency_keys: {
    /** SHA-256 of who calls, the method, the path and the key, in hex. */
    id: Fixed<string>
    /** SHA-256 of the body, in hex. */
    fingerprint: string
    status: number | null
    body: string | null
    expires_at: Date
  }
  /** The calls of the last minute, of each account and policy; only where several processes share a Postgres. */
  rate_limit_windows: {
    key: Fixed<string>
    /** The moments of the calls that were accepted, oldest first. */
    hits: Date[]
    /** Whether the last call was accepted. */
    accepted: boolean
    /** When the last call was counted or refused. */
    counted_at: Date
  }
  /** What was used of the quotas that outlive a restart. */
  platform_quotas: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    used: number
    resets_at: Date
  }
  /** What is known of each host that platforms are asked at. */
  platform_hosts: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    failures: number
    paused_until: Date | null
    rest_until: Date | null
    last_success_at: Date | null
    last_error_code: PlatformErrorCode | null
    last_error_message: string | null
    last_error_at: Date | null
    remaining: number
    remaining_limit: number
    remaining_resets_at: Date
  }
  /** How many pages of a topic a platform has delivered, to all jobs. */
  platform_topics: {
    platform: Fixed<PlatformName>
    topic_key: Fixed<string>
    pages: number
    collected_at: Date
  }
  /** What an adapter keeps because finding it again is dear. */
  platform_finds: {
    platform: Fixed<PlatformName>
    key: Fixed<string>
    value: ColumnType<unknown, string, string>
    expires_at: Date
  }
  /** What was purged and must not be stored again; no text of it is kept. */
  suppressions: {
    /** SHA-256 of the platform, the kind and the value, in hex. */
    hash: Fixed<string>
    /** The purge that it came with, by which it is lifted. */
    purge_id: Fixed<string>
    kind: Fixed<IdentityKind>
    /** Whether the operator named it; the others are the ids of the requests that were deleted then. */
    named: Fixed<boolean>
    created_at: Fixed<Date>
  }
  /** Who is signed in at the page. */
  sessions: {
    id: Generated<string>
    /** SHA-256 of the token in the cookie, in hex. */
    token_hash: Fixed<string>
    /** Null for the operator. */
    account_id: Fixed<string | null>
    /** The key that it was opened with; null where it was the admin key or a sign-in link. */
    api_key_id: Fixed<string | null>
    /** SHA-256 of the token and the admin key that opened it or made its link, in hex; null where it was an API key. */
    admin_key_hash: Fixed<string | null>
    created_at: Fixed<Date>
    /** When it ends, however much it is used. */
    expires_at: Fixed<Date>
    /** True to within minutes. */
    last_used_at: Date
  }
  /** Links that open an account's page once and were not used yet. */
  sign_in_links: {
    id: Generated<string>
    /** SHA-256 of the token in the link, in hex. */
    token_hash: Fixed<string>
    account_id: Fixed<string>
    /** SHA-256 of the token and the admin key of the service that made it, in hex. */
    admin_key_hash: Fixed<string>
    created_at: Fixed<Date>
    expires_at: Fixed<Date>
  }
}
