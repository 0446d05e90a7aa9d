import type { PlatformErrorCode, PlatformName } from '../database/column-types.ts'

/** A value that survives JSON: a cursor is stored with its task between two pages. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/**
 * A feature request as one platform describes it: plain text only, cleaned and capped at the door (`text.ts`).
 * What the platform does not say is null, never invented; title, description, votes and tags are never null.
 */
export interface FoundRequest {
  /** Unique within the platform and stable over time: the key that a later refresh is matched by. */
  sourceId: string
  title: string
  description: string
  votes: number
  tags: string[]
  commentCount: number | null
  sourceUrl: string
  authorName: string | null
  authorHandle: string | null
  authorProfileUrl: string | null
  license: string | null
  originalCreatedAt: Date | null
}

/** One page of a platform's search: one upstream request of the largest sensible size. */
export interface Page {
  requests: FoundRequest[]
  /** What to pass for the page after this one; null when the platform has no more for this topic. */
  nextCursor: Json
}

export interface PageRequest {
  /** Trimmed, 2 to 100 characters, otherwise anything that a user can type. */
  topic: string
  /** null for the first page, then the `nextCursor` of the page before. */
  cursor: Json
  /** Aborted when the task is cancelled, the service shuts down, or (with a TimeoutError) the time of the job is over. */
  signal: AbortSignal
  /** How many pages of this topic the platform has delivered before, to all jobs: where its sources begin to take turns. */
  pagesBefore: number
  /** Whether a part of a first page will do, so that a platform that is asked one thing at a time can be asked for several topics at once. */
  mayShare?: boolean
}

export interface Platform {
  readonly name: PlatformName
  /**
   * Fetches one page.
   * @returns null when there is nothing to ask any more: no page was fetched, so nothing is stored or charged.
   * @throws PlatformError when the platform cannot answer; `retryAt` tells whether and when it makes sense to ask again.
   */
  fetchPage(request: PageRequest): Promise<Page | null>
}

/**
 * Why a page could not be had. The message is for the operator: it says what to do, and never holds a body, a token or
 * a query string.
 */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
  readonly code: PlatformErrorCode
  /** When asking again can succeed; null when it cannot, so that the task ends. */
  readonly retryAt: Date | null
  /** Whether no answer came at all: no connection, or silence. */
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

/** The host works, but knows no such source or does not let it be searched: the others behind the same host are no worse for it. */
export class SourceRefusedError extends PlatformError {
  constructor(message: string) {
    super('bad_response', message)
  }
}

/** The platform was not asked, because it may not be before `retryAt`: a planned wait, not a failure. */
export class PlannedWaitError extends PlatformError {
  constructor(code: 'rate_limited' | 'unavailable', message: string, retryAt: Date, isUnreachable = false) {
    super(code, message, { retryAt, isUnreachable })
  }
}

/** Enough others wait for a place at the host: who has a caller waiting tries again at once, everybody else at `retryAt`. */
export class HostBusyError extends PlannedWaitError {
  constructor(message: string, retryAt: Date) {
    super('rate_limited', message, retryAt)
  }
}
