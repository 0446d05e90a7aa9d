import type { Static } from 'typebox'
import type { channelList, madeChannel, testAnswer } from '../../../src/channels/routes/schemas.ts'
import type { ChannelDescription } from '../../../src/channels/store/channels.ts'
import type { DeliveryDescription } from '../../../src/channels/store/deliveries.ts'
import type { feedList, madeFeed } from '../../../src/feeds/schemas.ts'

// What the service says of channels, their deliveries and feeds, by its own types.

export type Channel = ChannelDescription
export type ChannelType = Channel['type']
export type ChannelCadence = Channel['cadence']
export type Delivery = DeliveryDescription
export type ChannelList = Static<typeof channelList>['data']
/** A type of channels, and why the service does not offer it. */
export type OfferedType = ChannelList['types'][number]
/** With the signing secret of a webhook, this once. */
export type MadeChannel = Static<typeof madeChannel>['data']
export type TestOutcome = Static<typeof testAnswer>['data']
export type Feed = Static<typeof feedList>['data']['feeds'][number]
/** With its address, this once. */
export type MadeFeed = Static<typeof madeFeed>['data']

export interface ChannelSettings {
  name: string
  events: string[]
  cadence: ChannelCadence
  timezone: string
  hour: number
}

/** The settings of a new channel, with the fields of its type. */
export type NewChannel = ChannelSettings & { type: ChannelType } & Record<string, unknown>

export type FeedTarget =
  | { kind: 'topic'; topic: string }
  | { kind: 'watch'; watchId: string }
  | { kind: 'search'; query: string; filters?: Record<string, unknown> }
