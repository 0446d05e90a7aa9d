import { randomUUID } from 'node:crypto'
import type { ChannelDescription } from '../channels/store/channels.ts'
import type { DeliveryDescription } from '../channels/store/deliveries.ts'
import type { Connection } from './connection.ts'

export interface MadeChannel {
  channelId: string
  state: string
  /** Of a webhook; shown this once. */
  secret?: string
}

export interface TestOutcome {
  delivered: boolean
  status: number | null
  error: string | null
  eventId: string
}

export interface DeliveryPage {
  data: { deliveries: DeliveryDescription[]; hasMore: boolean; cursor: string | null }
}

/** The calls about channels. All of them throw ApiError. */
export interface ChannelCalls {
  add(body: Record<string, unknown>): Promise<{ data: MadeChannel }>
  list(): Promise<{ data: { channels: ChannelDescription[] } }>
  read(channelId: string): Promise<{ data: ChannelDescription }>
  test(channelId: string): Promise<{ data: TestOutcome }>
  enable(channelId: string): Promise<{ data: ChannelDescription }>
  remove(channelId: string): Promise<{ data: { channelId: string } }>
  listDeliveries(channelId: string, query: { limit?: number; cursor?: string }): Promise<DeliveryPage>
  replay(channelId: string, deliveryId: string): Promise<{ data: { deliveryId: string } }>
}

const path = '/api/v1/channels'
const pathOf = (channelId: string) => `${path}/${encodeURIComponent(channelId)}`

export function createChannelCalls(call: Connection['call']): ChannelCalls {
  const once = () => ({ 'idempotency-key': randomUUID() })
  return {
    add: (body) => call(path, { method: 'POST', body, headers: once() }),
    list: () => call(path),
    read: (channelId) => call(pathOf(channelId)),
    test: (channelId) => call(`${pathOf(channelId)}/test`, { method: 'POST' }),
    enable: (channelId) => call(`${pathOf(channelId)}/enable`, { method: 'POST', headers: once() }),
    remove: (channelId) => call(pathOf(channelId), { method: 'DELETE' }),
    listDeliveries: (channelId, query) => {
      const text = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
      ).toString()
      return call(`${pathOf(channelId)}/deliveries${text === '' ? '' : `?${text}`}`)
    },
    replay: (channelId, deliveryId) =>
      call(`${pathOf(channelId)}/deliveries/${encodeURIComponent(deliveryId)}/replay`, {
        method: 'POST',
        headers: once(),
      }),
  }
}
