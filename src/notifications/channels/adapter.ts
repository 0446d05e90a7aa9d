import type { TProperties } from 'typebox'
import type { Message } from '../../accounts/events/message.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { ChannelState, ChannelType } from '../../database/tables/notifications.ts'

/** What an attempt came to. Its words are ours: nothing that a receiver answered is stored. */
export type DeliveryOutcome =
  | { outcome: 'delivered'; status?: number }
  | {
      outcome: 'failed'
      /** The HTTP or SMTP status, if there was one. */
      status?: number
      /** A sentence of our own for the delivery log, such as `The receiver answered 500.`; no text of the message or the receiver. */
      error: string
      /** How long the receiver asked to wait. */
      retryAfterMs?: number
      /** `delivery`: this one is never tried again. `channel`: the receiver wants nothing any more, so the channel is disabled. */
      isFinal?: 'delivery' | 'channel'
      /** Why the channel is disabled; by default `gone`. */
      reason?: DisabledReason
    }
  /** Not an attempt: it is tried again after this, without being counted (a limit of our own). */
  | { outcome: 'postponed'; retryAfterMs: number; error: string }

export interface DeliveryContext {
  channelId: string
  accountId: string
  /** The name that the account gave the channel: plain text. */
  channelName: string
  now: Date
  /** The base of links, without a slash at the end. */
  publicUrl: string
  /** Aborted after the time limit of an attempt, and when the service stops. */
  signal: AbortSignal
}

/** What an account's fields became: what is stored, and what may be shown. */
export interface PreparedChannel<Config> {
  /** Sealed as JSON. */
  config: Config
  /** Shown in lists: a host and last characters; no secret. At most 200 characters. */
  hint: string
  /** Who receives: `host:port` of an address, the domain of a mail address. */
  host: string
  /** Shown once, in the answer of the creation. */
  secret?: string
}

/** A type of channels. `config` is what `prepare` made, as opened from its seal. */
export interface ChannelAdapter<Config = unknown> {
  type: ChannelType
  /** Whether the operator has configured it; else the sentence that a creation is refused with. */
  unavailable: string | null
  /** TypeBox schemas of the fields of `POST /channels` that are its own. */
  fields: TProperties
  /** Checks the fields beyond their schemas, the address among them. @throws ServiceError INVALID_REQUEST for what is wrong. */
  prepare(
    fields: Record<string, unknown>,
    context: { channelId: string; signal: AbortSignal },
  ): Promise<PreparedChannel<Config>>
  /** The state of a new channel; `unconfirmed` gets nothing until `setChannelState(…, 'active')`. */
  initialState: Extract<ChannelState, 'active' | 'unconfirmed'>
  /** In the transaction that stores the channel: what the type stores of its own. */
  created?(
    transaction: Transaction,
    channel: { channelId: string; accountId: string; name: string; config: Config; now: Date },
  ): Promise<void>
  /** In the transaction that enables a channel, before its row is locked: locks what the type locks before rows of channels. */
  enabling?(transaction: Transaction, channelId: string): Promise<void>
  /** Has the receiver of an unconfirmed channel asked again. @returns when, at the earliest; null where nothing waits for it. */
  askAgain?(transaction: Transaction, channelId: string, now: Date): Promise<Date | null>
  /** In the transaction that deletes channels: what the type stored of its own, where no foreign key does it. */
  deleted?(transaction: Transaction, channelIds: readonly string[], now: Date): Promise<void>
  /** How long one `deliver` may take, where that is more than usual; claims are longer. */
  timeLimitMs?: number
  /** Sends one message once. It may throw: then the attempt failed for a reason that only the log says. */
  deliver(config: Config, message: Message, context: DeliveryContext): Promise<DeliveryOutcome>
}

export type Adapters = ReadonlyMap<ChannelType, ChannelAdapter>

/** For adapters whose receiver has a say: a confirmation, an unsubscription, a hard bounce. */
export interface ChannelStates {
  /** `unconfirmed` → `active`. @returns false when there is no such channel, or it is in another state. */
  confirm(executor: Executor, channelId: string): Promise<boolean>
  /**
   * Disables a channel, ends its pending deliveries and tells the account on its other channels.
   * @param reason a word of our own: `gone`, `failing`, `bounced`, `unsubscribed`, `unreadable`, `expired`.
   */
  disable(transaction: Transaction, channelId: string, reason: DisabledReason, now: Date): Promise<boolean>
}

/** Why a channel is disabled, for the documents and the page. */
export const disabledReasons = {
  gone: 'The receiver answered 410: it wants nothing any more.',
  failing: 'Nothing could be delivered for days.',
  bounced: 'The mail address does not exist or refuses mail.',
  unsubscribed: 'The reader unsubscribed.',
  unreadable: 'Its secret was changed, so SECRETS_KEY does not open it.',
  expired: 'The key that made it has expired.',
} as const

export type DisabledReason = keyof typeof disabledReasons
