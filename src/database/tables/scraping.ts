import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type {
  Fixed,
  FixedWithDefault,
  JsonColumn,
  PlatformErrorCode,
  PlatformName,
  TaskState,
} from '../column-types.ts'

/** What a live call asks for: topics, and a page of each from platforms. */
export interface CallPlan {
  topics: string[]
  collections: Collection[]
  /** What of it nobody collects, because the platform is off. */
  off: { topic: string; platform: PlatformName }[]
}

/** A page of a topic from a platform. */
export interface Collection {
  topic: string
  platform: PlatformName
  /** The task that collects it, begun for this call or for an earlier one; null when no platform is called. */
  taskId: string | null
  /** Whether the platform is not called because it is at capacity; else, without a task, the topic is fresh. */
  isRefused: boolean
}

export interface ScrapingTables {
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
    /** What it asks for; null until its collections are begun or joined. */
    plan: ColumnType<CallPlan | null, string | undefined, string>
  }
}
