// What the service says of channels, their deliveries and feeds.

export const channelTypes = ['webhook', 'email', 'slack', 'discord', 'ntfy', 'apprise'] as const
export type ChannelType = (typeof channelTypes)[number]
export type ChannelCadence = 'now' | 'daily' | 'weekly'
export type ChannelState = 'active' | 'unconfirmed' | 'disabled'
export type DeliveryState = 'pending' | 'delivered' | 'failed' | 'nothing_left'

export interface Channel {
  channelId: string
  type: ChannelType
  name: string
  /** Where it leads: a host and last characters. */
  target: string
  events: string[]
  cadence: ChannelCadence
  timezone: string
  hour: number
  state: ChannelState
  disabledReason: string | null
  createdAt: string
  lastDeliveredAt: string | null
  failingSince: string | null
  /** How many deliveries wait. */
  pending: number
}

export interface ChannelSettings {
  name: string
  events: string[]
  cadence: ChannelCadence
  timezone: string
  hour: number
}

/** The settings of a new channel, with the fields of its type. */
export type NewChannel = ChannelSettings & { type: ChannelType } & Record<string, unknown>

export interface MadeChannel {
  channelId: string
  state: ChannelState
  /** The signing secret of a webhook, this once. */
  secret?: string
}

export interface TestOutcome {
  delivered: boolean
  status: number | null
  /** What failed, in words of the service. */
  error: string | null
  eventId: string
}

export interface Delivery {
  deliveryId: string
  eventId: string
  type: string
  messageId: string | null
  state: DeliveryState
  attempts: number
  createdAt: string
  dueAt: string | null
  lastAttemptAt: string | null
  endedAt: string | null
  status: number | null
  error: string | null
}

export type FeedTarget =
  | { kind: 'topic'; topic: string }
  | { kind: 'watch'; watchId: string }
  | { kind: 'search'; query: string; filters?: Record<string, unknown> }

export interface Feed {
  feedId: string
  kind: FeedTarget['kind']
  name: string
  topic: string | null
  watchId: string | null
  query: string | null
  hint: string
  createdAt: string
  lastReadAt: string | null
}

export interface MadeFeed {
  feedId: string
  name: string
  /** As Atom, this once. */
  url: string
  jsonUrl: string
}
