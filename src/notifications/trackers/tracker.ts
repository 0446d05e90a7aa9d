import type { RequestStatus } from '../../database/column-types.ts'
import type { TrackerType } from '../../database/tables/notifications.ts'
import type { IssueText } from './issue-text.ts'
import type { TrackerText } from './references.ts'

export interface Issue {
  /** For reading and changing it; at most 200 characters. */
  id: string
  /** Its name for people, such as `#12` or `APP-12`; at most 100 characters. */
  key: string
  /** Null if the tracker gave none. */
  url: string | null
  status: RequestStatus | null
}

/** The push to make an issue for. */
export interface PushToSend {
  /** Of the push. The issue carries it, so that it can be found again. */
  id: string
  /** Its issue cannot be older. */
  since: Date
}

/** The type-specific fields of `POST /trackers`, as given. */
export interface TrackerFields {
  url?: string | undefined
  project?: string | undefined
  email?: string | undefined
  token?: string | undefined
  issueType?: string | undefined
}

/** What becomes of an account's fields: what is stored, and what may be shown. */
export interface PreparedTracker<Config> {
  /** Sealed as JSON. */
  config: Config
  /** Its target without secrets; at most 200 characters. */
  hint: string
  /** Shown once, when the tracker is created. */
  secret?: string
}

/** A type of tracker. `config` is the opened result of `prepare`. All others throw `TrackerError`s. */
export interface TrackerAdapter<Config = unknown> {
  type: TrackerType
  fields: readonly (keyof TrackerFields)[]
  /** Checks the fields, and with one call that the tracker accepts them. @throws ServiceError INVALID_REQUEST */
  prepare(fields: TrackerFields, signal: AbortSignal): Promise<PreparedTracker<Config>>
  /** After an unclear `create`, the time until `find` is reliable: the issue may still be created or indexed. */
  settleMs: number
  /** Pause after each created or closed issue, by published rules; 0 if sequential calls suffice. */
  pauseMs: number
  /** Finds the issue of a push; called before each `create`. Absent if the receiver recognizes repeats. */
  find?(config: Config, push: PushToSend, signal: AbortSignal): Promise<Issue | null>
  create(config: Config, push: PushToSend, text: IssueText<TrackerText>, signal: AbortSignal): Promise<Issue>
  /** Reads up to `maxRead` statuses in one call, omitting deleted issues. Absent if there is nothing to read. */
  read?(config: Config, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, RequestStatus | null>>
  /** Deletes an issue, or closes it if its maker may not delete. A missing issue is no error. */
  undo(config: Config, issue: Pick<Issue, 'id'>, push: Pick<PushToSend, 'id'>, signal: AbortSignal): Promise<void>
}

export type TrackerAdapters = ReadonlyMap<TrackerType, TrackerAdapter>

/** Issues per call for reading statuses. */
export const maxRead = 100

/**
 * `refused`: nothing was made, and repeating does not help. `missing`: the object does not exist or the token cannot
 * see it. `tracker`: nothing was made because of the token, a limit or the tracker as a whole, so all of it rests.
 * `unclear`: it may have been done.
 */
export type TrackerErrorKind = 'refused' | 'missing' | 'tracker' | 'unclear'

/** Its message is our own sentence for the account, without any answer of the tracker. */
export class TrackerError extends Error {
  override readonly name = 'TrackerError'
  readonly kind: TrackerErrorKind
  readonly retryAfterMs: number | undefined
  /** Whether the address is the likely cause: refused, unreachable, or no such tracker. */
  readonly isOfAddress: boolean

  constructor(kind: TrackerErrorKind, message: string, retryAfterMs?: number, isOfAddress = false) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.isOfAddress = isOfAddress
  }
}
