import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type {
  Discarded,
  Fixed,
  FixedWithDefault,
  JsonColumn,
  PlatformErrorCode,
  PlatformName,
  TaskState,
} from '../column-types.ts'

export interface PlatformsTables {
  /** The used part of quotas that outlive a restart. */
  platform_quotas: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    used: number
    resets_at: Date
  }
  /** The state of each host that a platform's adapter calls. */
  platform_hosts: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    failures: number
    paused_until: Date | null
    cooldown_until: Date | null
    last_success_at: Date | null
    last_error_code: PlatformErrorCode | null
    last_error_message: string | null
    last_error_at: Date | null
    remaining: number
    remaining_limit: number
    remaining_resets_at: Date
  }
  /** How many pages of a topic a platform has delivered to all jobs. */
  platform_topics: {
    platform: Fixed<PlatformName>
    topic_key: Fixed<string>
    pages: number
    collected_at: Date
  }
  /** Values that an adapter would need further calls to look up again. */
  adapter_cache: {
    platform: Fixed<PlatformName>
    key: Fixed<string>
    value: ColumnType<unknown, string, string>
    expires_at: Date
  }
}

/** What a live call collects: topics, and a page of each from platforms. */
export interface CallPlan {
  topics: string[]
  collections: Collection[]
  /** What is not collected because the platform is off. */
  off: { topic: string; platform: PlatformName }[]
}

/** A page of a topic from a platform. */
export interface Collection {
  topic: string
  platform: PlatformName
  /** The collecting task, started by this or an earlier call; null if no platform is called. */
  taskId: string | null
  /** The platform is not called because it is at capacity. If false without a task, the topic is fresh. */
  isRefused: boolean
}

export interface ScrapingTables {
  scrape_jobs: {
    id: Generated<string>
    /** Null for an unowned job, shared by live calls of several accounts and never listed. */
    account_id: Fixed<string | null>
    topic: Fixed<string>
    depth: Fixed<number>
    created_at: Fixed<Date>
    /** When it ends at the latest. */
    expires_at: FixedWithDefault<Date>
    /** Null while it is queued. */
    begun_at: Date | null
    /** When its last task ended. */
    ended_at: Date | null
    /** Of unowned jobs: what makes two topics the same. */
    topic_key: FixedWithDefault<string | null>
    /** Unowned jobs only: an expansion suggested the topic, and no call has named it. */
    from_expansion: Generated<boolean>
    /** What the caller named, normalised, by platform; null: the sources of the operator. */
    sources: ColumnType<Record<PlatformName, string[]> | null, string | undefined, never>
    /** The watch whose run it is; the job outlives it. */
    watch_id: FixedWithDefault<string | null>
    /** It collects newest first what is newer; null: by relevance. */
    newest_since: FixedWithDefault<Date | null>
  }
  scrape_tasks: {
    id: Generated<string>
    job_id: Fixed<string>
    platform: Fixed<PlatformName>
    /** The order in which the caller named the platforms. */
    position: Fixed<number>
    state: Generated<TaskState>
    /** Counts claims of this task: writes by a worker with a smaller number have no effect. */
    fencing_token: Generated<number>
    /** What the platform's adapter needs for the next page. */
    cursor: JsonColumn<unknown>
    pages: Generated<number>
    requests_found: Generated<number>
    /** New requests of the class likely. */
    requests_created: Generated<number>
    /** New requests of the class maybe. */
    maybe_created: Generated<number>
    /** Items left out of its pages, by reason, and how many of the rest have no date. */
    discarded: ColumnType<Discarded & { undated?: number }, string | undefined, string>
    /** Of its account, normalised; null: those of the operator. */
    sources: FixedWithDefault<string[] | null>
    /** Failed tries of the page that is due now. */
    tries: Generated<number>
    /** How often the page that is due now was taken over from a dead worker. */
    takeovers: Generated<number>
    /** When the last page was stored, or the task began: waiting is bounded from here. */
    page_due_since: Date | null
    /** Set while the task waits for its platform; its queue job starts then. */
    waiting_until: Date | null
    queue_message_id: string | null
    error_code: PlatformErrorCode | null
    error_message: string | null
    started_at: Date | null
    completed_at: Date | null
    /** Counts changes of state, pages, requests and waiting; 0 before it starts. Written by a trigger. */
    revision: GeneratedAlways<number>
  }
  /** When each account was last served: the greater, the later. */
  account_schedule: {
    account_id: Fixed<string>
    last_served: number
  }
  scrape_job_requests: {
    job_id: Fixed<string>
    request_id: Fixed<string>
  }
  /** Unanswered live calls; each has an open reservation with its id. */
  live_calls: {
    id: Fixed<string>
    account_id: Fixed<string>
    operation: Fixed<'expand' | 'realtime'>
    /** Of the `Idempotency-Key` that it was made with. */
    idempotency_id: Fixed<string | null>
    created_at: Fixed<Date>
    /** A row that is still here then belongs to a dead process. */
    expires_at: Date
    /** What it collects; null until its collections are started or joined. */
    plan: ColumnType<CallPlan | null, string | undefined, string>
  }
}
