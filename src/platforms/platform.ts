import type { Discarded, PlatformErrorCode, PlatformName, RequestStatus } from '../database/column-types.ts'

/** JSON, because cursors are stored with their task between pages. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * Plain text, cleaned and capped when read (`content/text.ts`). Unknown values are null, never invented; title,
 * description, votes and tags are never null.
 */
export interface FoundRequest {
  /** Unique within the platform and stable: refreshes find the stored row by it. */
  sourceId: string
  title: string
  description: string
  votes: number
  tags: string[]
  commentCount: number | null
  /** The author's rating of the whole product, 1 to 5, null if not asked. Not votes for the request. */
  stars: number | null
  sourceUrl: string
  authorName: string | null
  authorHandle: string | null
  authorProfileUrl: string | null
  license: string | null
  originalCreatedAt: Date | null
  /** Status from the platform's data; null if it has none. */
  status: RequestStatus | null
  /** The platform's date of the status change; null if unknown: the store then uses when it saw the change. */
  statusChangedAt: Date | null
  /** Whether the description is only the part of the text that the search returns. */
  excerpt: boolean
  /** Human-readable name of the repository, project, site, forum category, community or video. */
  sourceName: string | null
  /** Handle for `Platform.refresh`; null if impossible. */
  refreshHandle: string | null
  /** The account's source it was found in (`PageRequest.sources`); null if found in the operator's. */
  ownSource: string | null
  /** Probability of a feature request, 0 to 1, if the source states it; else `requests/detection/` judges. */
  confidence?: number
}

/** `gone`: by an explicit sign. `missing` from a readable source: deleted on day three. `unreadable` proves nothing. */
export type Refreshed = { handle: string } & (
  | { state: 'found'; request: FoundRequest }
  | { state: 'gone' | 'missing' | 'unreadable' }
)

/** A page of search results: one upstream request of the largest sensible size. */
export interface Page {
  /** Requests about the topic, which join it. */
  requests: FoundRequest[]
  /** Excerpts without the topic's words, which the full text may have: stored, but not in the topic. */
  incomplete?: FoundRequest[]
  /** Not about the topic: not stored, only refreshed if already stored. Counted by `discarded.offTopic`. */
  offTopic?: FoundRequest[]
  discarded?: Discarded
  nextCursor: Json
  /** Newest first, used if a page is all known: skips its source, whose rest is older. Null without other sources. */
  nextCursorIfKnown?: Json
}

export interface PageRequest {
  /** Trimmed, 2 to 100 characters, any text. */
  topic: string
  /** Null for the first page, then the previous page's `nextCursor`. */
  cursor: Json
  /** Aborted on cancellation, on shutdown, or with a TimeoutError at the job's time limit. */
  signal: AbortSignal
  /** Pages of this topic delivered before, to all jobs: round-robin starts there. */
  pagesBefore: number
  /** Whether part of a first page suffices. Platforms with one request at a time can then combine topics. */
  mayShare?: boolean
  /** An account's sources, normalized by `PlatformDefinition.sources`; by default the operator's. */
  sources?: readonly string[]
  /**
   * Newest first from this time on, if the platform can. A source ends with the page that reaches older items, which
   * are returned too: they may be unseen. Set for all pages of a task or none, because cursors depend on it.
   */
  newestSince?: Date | null
}

export interface Platform {
  readonly name: PlatformName
  /**
   * @returns null if nothing is left: no request was sent, nothing is stored or charged
   * @throws PlatformError if the platform cannot answer; `retryAt` says when to retry, if at all
   */
  fetchPage(request: PageRequest): Promise<Page | null>
  /**
   * Checks that an account's source exists and is public.
   * @param source normalized by `PlatformDefinition.sources`
   * @throws SourceRefusedError if not; PlatformError if unclear now
   */
  verifySource?(source: string, signal: AbortSignal): Promise<void>
  /** Set if the platform can cheaply read known requests again. */
  readonly refresh?: Refresh
}

/** The enabled platforms, looked up on each use because tests replace them at runtime. */
export type PlatformsByName = Pick<ReadonlyMap<PlatformName, Platform>, 'get'>

export interface Refresh {
  /** Maximum handles per call, which is one upstream request. */
  readonly maxHandles: number
  /** Handles with the same key, such as a repository or site, can be read in one call. */
  groupOf(handle: string): string
  /**
   * @returns a result for each handle of a group: `unreadable` if invalid, or if the platform omits existing items
   * @throws PlatformError as `fetchPage`
   */
  read(handles: readonly string[], signal: AbortSignal): Promise<Refreshed[]>
}

/** Combines found requests with a verdict for each other handle. */
export function byHandle(
  handles: readonly string[],
  found: readonly FoundRequest[],
  otherwise: (handle: string) => 'missing' | 'unreadable',
): Refreshed[] {
  const requests = new Map(found.map((request) => [request.refreshHandle, request]))
  return handles.map((handle) => {
    const request = requests.get(handle)
    return request ? { handle, state: 'found', request } : { handle, state: otherwise(handle) }
  })
}

/** The result if no handle is readable. */
export const unreadable = (handles: readonly string[]): Refreshed[] =>
  handles.map((handle) => ({ handle, state: 'unreadable' }))

/** The message tells the operator what to do, without body, token or query string. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  /** When a retry can succeed; null if never: the task ends. */
  readonly retryAt: Date | null
  /** Whether there was no answer: no connection, or silence. */
  readonly isUnreachable: boolean

  constructor(
    code: PlatformErrorCode,
    message: string,
    options: { retryAt?: Date; cause?: unknown; isUnreachable?: boolean } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryAt = options.retryAt ?? null
    this.isUnreachable = options.isUnreachable ?? false
  }
}

/** The host works, but refuses this source or lacks it. Its other sources are not affected. */
export class SourceRefusedError extends PlatformError {
  constructor(message: string) {
    super('bad_response', message)
  }
}

/** The host works, but a source lacks what it should have now. Its other sources are not affected. */
export class SourceUnavailableError extends PlatformError {
  constructor(message: string, retryAt: Date) {
    super('unavailable', message, { retryAt })
  }
}

/** A planned wait, not a failure: no request may be sent before `retryAt`. */
export class PlannedWaitError extends PlatformError {
  constructor(code: 'rate_limited' | 'unavailable', message: string, retryAt: Date, isUnreachable = false) {
    super(code, message, { retryAt, isUnreachable })
  }
}

/** The host's slot queue is full. Live calls retry at once, other tasks at `retryAt`. */
export class HostBusyError extends PlannedWaitError {
  constructor(message: string, retryAt: Date) {
    super('rate_limited', message, retryAt)
  }
}
