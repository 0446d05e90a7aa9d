import type { RequestStatus } from '../../database/column-types.ts'
import type { TrackerType } from '../../database/tables/notifications.ts'
import type { IssueText } from './issue-text.ts'
import type { TrackerText } from './references.ts'

/** An issue as its tracker names it. */
export interface Issue {
  /** By which it is read and changed; at most 200 characters. */
  id: string
  /** By which people name it, such as `#12` or `APP-12`; at most 100 characters. */
  key: string
  /** A web address; null where the tracker gave none. */
  url: string | null
  /** Null where it is not known. */
  status: RequestStatus | null
}

/** What an issue is made for. */
export interface PushToSend {
  /** Of the push: the issue carries it, so that it is found again. */
  id: string
  /** No issue of it is older. */
  since: Date
}

/** The fields of `POST /trackers` that depend on its type, as given. */
export interface TrackerFields {
  url?: string | undefined
  project?: string | undefined
  email?: string | undefined
  token?: string | undefined
  issueType?: string | undefined
}

/** What an account's fields became: what is stored, and what may be shown. */
export interface PreparedTracker<Config> {
  /** Sealed as JSON. */
  config: Config
  /** Where it leads, without a secret; at most 200 characters. */
  hint: string
  /** Shown once, in the answer of the creation. */
  secret?: string
}

/** A type of trackers. `config` is what `prepare` made, as opened from its seal. All but `prepare` throw `TrackerError`s. */
export interface TrackerAdapter<Config = unknown> {
  type: TrackerType
  /** Those that it takes. */
  fields: readonly (keyof TrackerFields)[]
  /** Checks the fields, and by one call that the tracker takes them. @throws ServiceError INVALID_REQUEST that names what is wrong. */
  prepare(fields: TrackerFields, signal: AbortSignal): Promise<PreparedTracker<Config>>
  /**
   * How long after a call of `create` that had no clear answer `find` says the truth: the issue may still be being made, or not be listed yet.
   */
  settleMs: number
  /** How long the tracker is left alone after each issue that is made or closed, by its published rules; 0 where one call after the other keeps them. */
  pauseMs: number
  /** The issue of a push, if there is one. Called before each `create`. None where the receiver itself recognises a repeat. */
  find?(config: Config, push: PushToSend, signal: AbortSignal): Promise<Issue | null>
  /** Makes the issue of a push. */
  create(config: Config, push: PushToSend, text: IssueText<TrackerText>, signal: AbortSignal): Promise<Issue>
  /** The status of issues, at most `maxRead` of them, in one call; an issue that is not there any more is left out. None where there is nothing to read. */
  read?(config: Config, ids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, RequestStatus | null>>
  /** Deletes an issue, or closes it where that is no right of its maker. One that is not there any more is no error. */
  undo(config: Config, issue: Pick<Issue, 'id'>, push: Pick<PushToSend, 'id'>, signal: AbortSignal): Promise<void>
}

export type TrackerAdapters = ReadonlyMap<TrackerType, TrackerAdapter>

/** The maximum of issues whose status one call reads. */
export const maxRead = 100

/**
 * What a failed call says.
 * `refused`: the tracker will not do this, nothing was made, and repeating does not help.
 * `missing`: it is not there, or the token does not see it.
 * `tracker`: nothing was made; the token, a limit, or the tracker as a whole is the reason, so all of it rests.
 * `unclear`: it may have been done.
 */
export type TrackerErrorKind = 'refused' | 'missing' | 'tracker' | 'unclear'

/** Its message is a sentence of our own for the account: nothing that a tracker answered is in it. */
export class TrackerError extends Error {
  override readonly name = 'TrackerError'
  readonly kind: TrackerErrorKind
  /** How long the tracker asked to wait. */
  readonly retryAfterMs: number | undefined
  /** Whether the address is the likely reason: it is refused, leads nowhere, or not to such a tracker. */
  readonly isOfAddress: boolean

  constructor(kind: TrackerErrorKind, message: string, retryAfterMs?: number, isOfAddress = false) {
    super(message)
    this.kind = kind
    this.retryAfterMs = retryAfterMs
    this.isOfAddress = isOfAddress
  }
}
