import type { Generated } from 'kysely'
import type { Fixed } from '../column-types.ts'

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
    /** The fields of its type, sealed. */
    config: string
    hint: string
    /** Who receives, as host and port. */
    host: string
    events: string[]
    cadence: ChannelCadence
    timezone: string
    hour: number
    state: ChannelState
    disabled_reason: string | null
    created_at: Fixed<Date>
    failing_since: Date | null
    failures: Generated<number>
    last_delivered_at: Date | null
    rests_until: Date | null
    /** When its next attempt is due; null while nothing is pending. */
    due_at: Date | null
    claimed_by: string | null
    claimed_until: Date | null
  }
  channel_deliveries: {
    id: Generated<string>
    channel_id: Fixed<string>
    event_id: Fixed<string>
    state: Generated<DeliveryState>
    /** Of the event, or of the digest that it is part of; null before the first attempt. */
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
