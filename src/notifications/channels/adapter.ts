import type { TProperties } from 'typebox'
import type { Message } from '../../accounts/events/message.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { ChannelState, ChannelType } from '../../database/tables/notifications.ts'

/** The outcome of an attempt, in our own words: no answer of a receiver is stored. */
export type DeliveryOutcome =
  | { outcome: 'delivered'; status?: number }
  | {
      outcome: 'failed'
      status?: number
      /** A sentence for the delivery log (`The receiver answered 500.`), without text of the message or receiver. */
      error: string
      retryAfterMs?: number
      /** `delivery`: never retry this one. `channel`: the receiver wants nothing anymore, so disable the channel. */
      isFinal?: 'delivery' | 'channel'
      /** Why the channel is disabled; defaults to `gone`. */
      reason?: DisabledReason
    }
  /** Not attempted because of a limit of our own: retried after this time, without being counted. */
  | { outcome: 'postponed'; retryAfterMs: number; error: string }

export interface DeliveryContext {
  channelId: string
  accountId: string
  channelName: string
  now: Date
  /** The base of links, without a trailing slash. */
  publicUrl: string
  /** Aborted after an attempt's time limit, and when the service stops. */
  signal: AbortSignal
}

/** What becomes of an account's fields: what is stored, and what may be shown. */
export interface PreparedChannel<Config> {
  /** Sealed as JSON. */
  config: Config
  /** Shown in lists: a host and last characters, no secret. At most 200 characters. */
  hint: string
  /** The receiver: `host:port` of a URL, or the domain of a mail address. */
  host: string
  /** Shown once, when the channel is created. */
  secret?: string
}

/** A type of channel. `config` is the opened result of `prepare`. */
export interface ChannelAdapter<Config = unknown> {
  type: ChannelType
  /** Null if the operator has configured the type; else the sentence that refuses new channels. */
  unavailable: string | null
  /** TypeBox schemas of the type's own fields in `POST /channels`. */
  fields: TProperties
  /** Checks the fields beyond their schemas, including the address. @throws ServiceError INVALID_REQUEST */
  prepare(
    fields: Record<string, unknown>,
    context: { channelId: string; signal: AbortSignal },
  ): Promise<PreparedChannel<Config>>
  /** The state of a new channel; `unconfirmed` gets nothing until it is `active`. */
  initialState: Extract<ChannelState, 'active' | 'unconfirmed'>
  /** When a channel is stored, in the same transaction: stores the type's own data. */
  created?(
    transaction: Transaction,
    channel: { channelId: string; accountId: string; name: string; config: Config; now: Date },
  ): Promise<void>
  /** Before a channel's row is locked to enable it: takes the locks that this type takes before channel rows. */
  enabling?(transaction: Transaction, channelId: string): Promise<void>
  /** Asks the receiver of an unconfirmed channel again. @returns the earliest time; null if it was not waiting. */
  askAgain?(transaction: Transaction, channelId: string, now: Date): Promise<Date | null>
  /** When channels are deleted, in the same transaction: deletes the type's own data without foreign keys. */
  deleted?(transaction: Transaction, channelIds: readonly string[], now: Date): Promise<void>
  /** The limit of a `deliver`, if longer than usual; claims are longer. */
  timeLimitMs?: number
  /** Sends a message once. If it throws, the attempt failed for a reason that only the log tells. */
  deliver(config: Config, message: Message, context: DeliveryContext): Promise<DeliveryOutcome>
}

export type Adapters = ReadonlyMap<ChannelType, ChannelAdapter>

/** For adapters whose receiver can act: confirm, unsubscribe, bounce. */
export interface ChannelStates {
  /** `unconfirmed` → `active`. @returns false if there is no such channel in that state. */
  confirm(executor: Executor, channelId: string): Promise<boolean>
  /** Disables a channel, ends its pending deliveries and tells the account on its other channels. */
  disable(transaction: Transaction, channelId: string, reason: DisabledReason, now: Date): Promise<boolean>
}

/** Why a channel is disabled, for documentation and page. */
export const disabledReasons = {
  gone: 'The receiver answered 410: it wants nothing any more.',
  failing: 'Nothing could be delivered for days.',
  bounced: 'The mail address does not exist or refuses mail.',
  unsubscribed: 'The reader unsubscribed.',
  unreadable: 'Its secret was changed, so SECRETS_KEY does not open it.',
  expired: 'The key that made it has expired.',
} as const

export type DisabledReason = keyof typeof disabledReasons
