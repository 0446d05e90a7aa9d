import type { Discarded, PlatformErrorCode, PlatformName, RequestStatus } from '../database/column-types.ts'

/** A value that survives JSON: a cursor is stored with its task between two pages. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * A feature request as one platform describes it: plain text only, cleaned and capped when it is read (`content/text.ts`).
 * A value that the platform does not give is null, never invented; title, description, votes and tags are never null.
 */
export interface FoundRequest {
  /** Unique within the platform and stable over time: a refresh finds the stored row by it. */
  sourceId: string
  title: string
  description: string
  votes: number
  tags: string[]
  commentCount: number | null
  /** How its author rates the whole product, 1 to 5; null where that is not asked. No votes: they say nothing of the request. */
  stars: number | null
  sourceUrl: string
  authorName: string | null
  authorHandle: string | null
  authorProfileUrl: string | null
  license: string | null
  originalCreatedAt: Date | null
  /** What became of it, in the platform's own data; null where the platform says nothing of the kind. */
  status: RequestStatus | null
  /** When the status changed, by the platform; null where it gives no date: then the store notes when it saw the change. */
  statusChangedAt: Date | null
  /** Whether the description is only a part of the text, because the platform's search gives no more. */
  excerpt: boolean
  /** The repository, project, site, forum category, community or video that it was posted in, as people call it. */
  sourceName: string | null
  /** What `Platform.refresh` reads it again by; null where that is impossible. */
  refreshHandle: string | null
  /** The source of an account in which it was found (`PageRequest.sources`); null when it was found in a source of the operator. */
  ownSource: string | null
  /** Only where the source itself says how likely it is a feature request, 0 to 1; otherwise `requests/detection/` judges it. */
  confidence?: number
}

/**
 * What a platform says of a request that is read again. `gone` only after an explicit sign; `missing` when its source can be read and does
 * not have it, which deletes it on the third day; `unreadable` proves nothing.
 */
export type Refreshed = { handle: string } & (
  | { state: 'found'; request: FoundRequest }
  | { state: 'gone' | 'missing' | 'unreadable' }
)

/** One page of a platform's search: one upstream request of the largest sensible size. */
export interface Page {
  /** About the topic: they join it. */
  requests: FoundRequest[]
  /** Excerpts that do not have the words of the topic, while the rest of their text may: stored, but they do not join the topic. */
  incomplete?: FoundRequest[]
  /** Not about the topic: not stored, but those that are stored already are refreshed. `discarded.offTopic` counts them. */
  offTopic?: FoundRequest[]
  /** How many items of the answer are not stored, by reason. */
  discarded?: Discarded
  /** The cursor of the next page; null when the platform has no more for this topic. */
  nextCursor: Json
  /**
   * Newest first, where the task goes on when nothing of the page is new: what follows in its source is older still, so it is the cursor
   * of the other sources. Null or absent when there are none.
   */
  nextCursorIfKnown?: Json
}

export interface PageRequest {
  /** Trimmed, 2 to 100 characters, otherwise any text. */
  topic: string
  /** null for the first page, then the `nextCursor` of the page before. */
  cursor: Json
  /** Aborted when the task is cancelled, the service shuts down, or (with a TimeoutError) the job reaches its time limit. */
  signal: AbortSignal
  /** How many pages of this topic the platform has delivered before, to all jobs: the round-robin of sources begins there. */
  pagesBefore: number
  /** Whether a part of a first page is enough. A platform that allows one request at a time can then search for several topics in one query. */
  mayShare?: boolean
  /** The sources of an account, in the normalised form of `PlatformDefinition.sources`; without them, those of the operator. */
  sources?: readonly string[]
  /**
   * Asks newest first for what was posted since this instant, wherever the platform can. A source ends with the page that reaches what is
   * older. Older items of such a page are returned like any other: they are about the topic, and may never have been seen. Where a
   * platform ignores the order, its pages end as without this. A task has it on all of its pages or on none, because cursors depend on it.
   */
  newestSince?: Date | null
}

export interface Platform {
  readonly name: PlatformName
  /**
   * Fetches one page.
   * @returns null when there is nothing left to fetch: no request was sent, so nothing is stored or charged.
   * @throws PlatformError when the platform cannot answer; `retryAt` says whether and when another try makes sense.
   */
  fetchPage(request: PageRequest): Promise<Page | null>
  /**
   * Checks that a source of an account exists and that everybody may read it.
   * @param source in the normalised form of `PlatformDefinition.sources`.
   * @throws SourceRefusedError when it does not exist or is not public; PlatformError when that cannot be known now.
   */
  verifySource?(source: string, signal: AbortSignal): Promise<void>
  /** Present where the platform has a cheap way to read known requests again. */
  readonly refresh?: Refresh
}

/** The platforms that are on. They are looked up when they are needed: tests replace them while the service runs. */
export type PlatformsByName = Pick<ReadonlyMap<PlatformName, Platform>, 'get'>

export interface Refresh {
  /** The maximum handles of one call, which is one upstream request. */
  readonly maxHandles: number
  /** Which of two handles can be read in one call: those with the same key, such as a repository or a site. */
  groupOf(handle: string): string
  /**
   * Reads known requests again, by handles of one group.
   * @returns something for each handle: `unreadable` also for a handle that cannot be parsed, and where the platform leaves out what exists.
   * @throws PlatformError as `fetchPage` does.
   */
  read(handles: readonly string[], signal: AbortSignal): Promise<Refreshed[]>
}

/** What was found of handles, and what is said of each other one. */
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

/** What is returned where none of the handles can be read. */
export const unreadable = (handles: readonly string[]): Refreshed[] =>
  handles.map((handle) => ({ handle, state: 'unreadable' }))

/**
 * Why a page could not be fetched. The message is for the operator: it says what to do, and never holds a body, a token or
 * a query string.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  /** When another try can succeed; null when none can, so that the task ends. */
  readonly retryAt: Date | null
  /** Whether there was no answer at all: no connection, or silence. */
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

/** The host works, but has no such source or refuses a search of it. Other sources of the same host are not affected. */
export class SourceRefusedError extends PlatformError {
  constructor(message: string) {
    super('bad_response', message)
  }
}

/** The host works, but a source has nothing now that it should have. Other sources of the same host are not affected. */
export class SourceUnavailableError extends PlatformError {
  constructor(message: string, retryAt: Date) {
    super('unavailable', message, { retryAt })
  }
}

/** No request was sent, because none is allowed before `retryAt`: a planned wait, not a failure. */
export class PlannedWaitError extends PlatformError {
  constructor(code: 'rate_limited' | 'unavailable', message: string, retryAt: Date, isUnreachable = false) {
    super(code, message, { retryAt, isUnreachable })
  }
}

/** The queue for the slots of the host is full. A live call tries again at once, every other task at `retryAt`. */
export class HostBusyError extends PlannedWaitError {
  constructor(message: string, retryAt: Date) {
    super('rate_limited', message, retryAt)
  }
}
