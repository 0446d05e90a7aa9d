import { type CallOptions, call, withQuery } from './client.ts'
import type {
  ChannelList,
  ChannelSettings,
  Delivery,
  Feed,
  FeedTarget,
  MadeChannel,
  MadeFeed,
  NewChannel,
  Paged,
  TestOutcome,
} from './types.ts'

// The calls of channels and feeds, one function each.

type Data<T> = { data: T }
type Read = Pick<CallOptions, 'signal'>
const dataOf = async <T>(answer: Promise<Data<T>>): Promise<T> => (await answer).data
const pathOf = (channelId: string) => `/api/v1/channels/${encodeURIComponent(channelId)}`

/** The channels of the account, and the types that the service offers. */
export const listChannels = ({ signal }: Read): Promise<ChannelList> =>
  dataOf(call<Data<ChannelList>>('/api/v1/channels', { signal }))

export const makeChannel = (channel: NewChannel, idempotencyKey: string): Promise<MadeChannel> =>
  dataOf(call<Data<MadeChannel>>('/api/v1/channels', { method: 'POST', body: channel, idempotencyKey }))

export const changeChannel = (channelId: string, change: Partial<ChannelSettings>) =>
  call<unknown>(pathOf(channelId), { method: 'PATCH', body: change })

export const removeChannel = (channelId: string) => call<unknown>(pathOf(channelId), { method: 'DELETE' })

export const enableChannel = (channelId: string) => call<unknown>(`${pathOf(channelId)}/enable`, { method: 'POST' })

/** Sends a test once, at once. */
export const testChannel = (channelId: string): Promise<TestOutcome> =>
  dataOf(call<Data<TestOutcome>>(`${pathOf(channelId)}/test`, { method: 'POST' }))

export const listDeliveries = (channelId: string, cursor: string | undefined, { signal }: Read) =>
  dataOf(
    call<Data<{ deliveries: Delivery[] } & Paged>>(
      withQuery(`${pathOf(channelId)}/deliveries`, { limit: 20, cursor }),
      {
        signal,
      },
    ),
  )

export const replayDelivery = (channelId: string, deliveryId: string) =>
  call<unknown>(`${pathOf(channelId)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, { method: 'POST' })

export const listFeeds = async ({ signal }: Read): Promise<Feed[]> =>
  (await call<Data<{ feeds: Feed[] }>>('/api/v1/feeds', { signal })).data.feeds

export const makeFeed = (target: FeedTarget, idempotencyKey: string): Promise<MadeFeed> =>
  dataOf(call<Data<MadeFeed>>('/api/v1/feeds', { method: 'POST', body: target, idempotencyKey }))

export const revokeFeed = (feedId: string) =>
  call<unknown>(`/api/v1/feeds/${encodeURIComponent(feedId)}`, { method: 'DELETE' })
