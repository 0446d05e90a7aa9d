import { type CallOptions, call, withQuery } from './client.ts'
import type { Paged } from './types.ts'
import type { WatchNews } from './watch-types.ts'

type Read = Pick<CallOptions, 'signal'>

/** What is new in the watches of the account, or in one of them, since it was last marked as read. */
export const readNews = async (input: { watch?: string; cursor?: string | undefined }, { signal }: Read) =>
  (
    await call<{ data: { watches: WatchNews[] } & Paged }>(withQuery('/api/v1/news', { limit: 20, ...input }), {
      signal,
    })
  ).data

/** Marks what was shown as read: of one watch, or of all. Repeating it changes nothing. */
export const markRead = (input: { watchId?: string; until: string }) =>
  call<unknown>('/api/v1/news/read', { method: 'POST', body: input })
