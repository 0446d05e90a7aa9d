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
  /** Use of quotas, surviving restarts. */
  platform_quotas: {
    platform: Fixed<PlatformName>
    name: Fixed<string>
    used: number
    resets_at: Date
  }
  /** State of each host that adapters call. */
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
  /** Pages of a topic a platform has delivered, to all jobs. */
  platform_topics: {
    platform: Fixed<PlatformName>
    topic_key: Fixed<string>
    pages: number
    collected_at: Date
  }
  /** Values an adapter would need extra calls to look up again. */
  adapter_cache: {
    platform: Fixed<PlatformName>
    key: Fixed<string>
    value: ColumnType<unknown, string, string>
    expires_at: Date
  }
}

/** What a live call collects: one page per topic and platform. */
export interface CallPlan {
  topics: string[]
  collections: Collection[]
  /** Not collected, because the platform is disabled. */
  off: { topic: string; platform: PlatformName }[]
}

/** A topic's page from a platform. */
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
    /** Its end at the latest. */
    expires_at: FixedWithDefault<Date>
    begun_at: Date | null
    /** End of its last task. */
    ended_at: Date | null
    /** Unowned jobs only: equal for equal topics. */
    topic_key: FixedWithDefault<string | null>
    /** Unowned jobs only: an expansion suggested the topic, and no call has named it. */
    from_expansion: Generated<boolean>
    /** The caller's sources by platform, normalized; null: the operator's. */
    sources: ColumnType<Record<PlatformName, string[]> | null, string | undefined, never>
    /** The watch that ran it; the job outlives it. */
    watch_id: FixedWithDefault<string | null>
    /** Collects newest first from this time on; null: by relevance. */
    newest_since: FixedWithDefault<Date | null>
  }
  scrape_tasks: {
    id: Generated<string>
    job_id: Fixed<string>
    platform: Fixed<PlatformName>
    position: Fixed<number>
    state: Generated<TaskState>
    /** Counts claims of this task: writes by a worker with a smaller number have no effect. */
    fencing_token: Generated<number>
    /** The adapter's position for the next page. */
    cursor: JsonColumn<unknown>
    pages: Generated<number>
    requests_found: Generated<number>
    requests_created: Generated<number>
    maybe_created: Generated<number>
    /** Items left out of its pages, by reason, and how many of the rest have no date. */
    discarded: ColumnType<Discarded & { undated?: number }, string | undefined, string>
    /** The account's sources, normalized; null: the operator's. */
    sources: FixedWithDefault<string[] | null>
    tries: Generated<number>
    /** How often the current page was taken over from a dead worker. */
    takeovers: Generated<number>
    /** When the last page was stored or the task began: the start of a bounded wait. */
    page_due_since: Date | null
    /** Set while waiting for the platform; its queue job starts then. */
    waiting_until: Date | null
    queue_message_id: string | null
    error_code: PlatformErrorCode | null
    error_message: string | null
    started_at: Date | null
    completed_at: Date | null
    /** Counts changes of state, pages, requests and waiting; 0 before it starts. Written by a trigger. */
    revision: GeneratedAlways<number>
  }
  /** Order in which accounts were served; greater is later. */
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
    idempotency_id: Fixed<string | null>
    created_at: Fixed<Date>
    /** A row still here then belongs to a dead process. */
    expires_at: Date
    /** What it collects; null until its collections are started or joined. */
    plan: ColumnType<CallPlan | null, string | undefined, string>
  }
}
