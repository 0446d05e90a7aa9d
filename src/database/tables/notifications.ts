import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { Fixed, RequestStatus } from '../column-types.ts'
import type { NewsKind } from './watches.ts'

/** `refused`: unsubscribed without ever confirming. */
export type ConsentState = 'asked' | 'confirmed' | 'unsubscribed' | 'refused'

export interface MailTables {
  /** Whether an address wants an account's mails. */
  mail_consents: {
    account_id: Fixed<string>
    /** SHA-256 (hex) of the address. */
    address_hash: Fixed<string>
    /** Equal for all names of a mailbox. */
    mailbox_hash: Fixed<string>
    state: ConsentState
    /** Whether a confirmation must be sent. */
    is_due: boolean
    next_confirmation_at: Date
    /** Confirmations sent, possibly, since it was last requested. */
    confirmations: Generated<number>
    changed_at: Date
  }
  /** A mailbox's responses to confirmations, for all accounts. */
  mailboxes: {
    mailbox_hash: Fixed<string>
    unanswered: Generated<number>
    rests_until: Date | null
    refused_at: Date | null
  }
  /** Channels to an address, kept for some time after deletion. */
  mail_channels: {
    channel_id: Fixed<string>
    account_id: Fixed<string>
    address_hash: Fixed<string>
    unsubscribe_token: Fixed<string>
    created_at: Fixed<Date>
    deleted_at: Generated<Date | null>
  }
  /** Links of confirmations that were sent, possibly. */
  mail_confirmations: {
    token_hash: Fixed<string>
    account_id: Fixed<string>
    address_hash: Fixed<string>
    expires_at: Fixed<Date>
    used_at: Date | null
  }
  mail_limits: {
    key: Fixed<string>
    count: number
    ends_at: Date
  }
}

export interface EventsTables {
  events: {
    id: Generated<string>
    sequence: GeneratedAlways<number>
    /** Null: all accounts it concerns. */
    account_id: Fixed<string | null>
    type: Fixed<string>
    /** The watch whose channels to notify; null: channels subscribed to the type. */
    watch_id: Fixed<string | null>
    subject: ColumnType<Record<string, string | number | null>, string, never>
    created_at: Fixed<Date>
    /** When its deliveries were written. */
    fanned_out_at: Date | null
  }
}

export type ChannelType = 'webhook' | 'email' | 'slack' | 'discord' | 'ntfy' | 'apprise'
export type ChannelCadence = 'now' | 'daily' | 'weekly'
export type ChannelState = 'active' | 'unconfirmed' | 'disabled'
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'nothing_left'

export interface ChannelsTables {
  channels: {
    id: Fixed<string>
    account_id: Fixed<string>
    type: Fixed<ChannelType>
    name: string
    /** Its type's fields, sealed. */
    config: string
    hint: string
    /** The receiver, as host and port. */
    host: string
    events: string[]
    /** Kinds of watch news not sent to it. */
    muted_news: Generated<NewsKind[]>
    cadence: ChannelCadence
    timezone: string
    hour: number
    state: ChannelState
    disabled_reason: string | null
    created_at: Fixed<Date>
    /** The key that made it, or enabled it after expiry, and that key's expiry. */
    made_by: string | null
    expires_at: Date | null
    failing_since: Date | null
    failures: Generated<number>
    last_delivered_at: Date | null
    rests_until: Date | null
    /** Next attempt; null while nothing is pending. */
    due_at: Date | null
    claimed_by: string | null
    claimed_until: Date | null
  }
  channel_deliveries: {
    id: Generated<string>
    channel_id: Fixed<string>
    event_id: Fixed<string>
    state: Generated<DeliveryState>
    /** Of the event or its digest; null before the first attempt. */
    message_id: string | null
    attempts: Generated<number>
    due_at: Date | null
    created_at: Fixed<Date>
    last_attempt_at: Date | null
    ended_at: Date | null
    last_status: number | null
    last_error: string | null
  }
}

export type TrackerType = 'github' | 'gitlab' | 'linear' | 'jira' | 'webhook'
/** `undoing`: an issue may exist and must be closed. `gone`: deleted there. `nothing_left`: purged before sending. */
export type PushState = 'waiting' | 'sent' | 'failed' | 'nothing_left' | 'undoing' | 'undone' | 'gone'

export interface TrackersTables {
  trackers: {
    id: Fixed<string>
    account_id: Fixed<string>
    type: Fixed<TrackerType>
    name: string
    /** Its type's fields, sealed. */
    config: string
    hint: string
    created_at: Fixed<Date>
    made_by: string | null
    expires_at: Date | null
    failures: Generated<number>
    last_error: string | null
    rests_until: Date | null
    /** Next call; null while there is nothing to do. */
    due_at: Date | null
    claimed_by: string | null
    claimed_until: Date | null
  }
  pushes: {
    id: Generated<string>
    account_id: Fixed<string>
    tracker_id: Fixed<string>
    wish_id: Fixed<string>
    state: PushState
    /** When to send, undo or read it next; null if nothing is left to do. */
    due_at: Date | null
    attempts: Generated<number>
    /** When an issue may first have been created. */
    tried_at: Date | null
    issue_id: string | null
    issue_key: string | null
    issue_url: string | null
    status: RequestStatus | null
    status_at: Date | null
    last_error: string | null
    made_by: string
    created_at: Fixed<Date>
  }
}
