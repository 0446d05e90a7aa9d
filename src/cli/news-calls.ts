import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'

/** A wish in the news. */
export interface ListedNews {
  wishId: string
  title: string
  url: string
  votes: number
  votesGained: number
  requestsGained: number
  platforms: string[]
  status: string | null
}

/** The lists of news. */
export type NewsSections = Record<'newWishes' | 'grown' | 'completed' | 'declined' | 'other', ListedNews[]>

export interface ListedWatchNews extends NewsSections {
  watchId: string
  watchName: string
  goal: string | null
  until: string | null
  reports: number
  hasFirst: boolean
  totals: Record<keyof NewsSections, number>
}

export interface NewsAnswer {
  data: { watches: ListedWatchNews[]; hasMore: boolean; cursor: string | null }
}

export interface NewFeedBody {
  kind: 'topic' | 'watch' | 'search'
  name?: string
  topic?: string
  watchId?: string
  query?: string
}

export interface ListedFeed {
  feedId: string
  kind: string
  name: string
  topic: string | null
  watchId: string | null
  query: string | null
  hint: string
  lastReadAt: string | null
}

/** The calls about news and feeds. All of them throw ApiError. */
export interface NewsCalls {
  read(query: { watch?: string; since?: string; limit?: number; cursor?: string }): Promise<NewsAnswer>
  markRead(body: { watchId?: string; until?: string }): Promise<{ data: { watchIds: string[] } }>
  addFeed(body: NewFeedBody): Promise<{ data: { feedId: string; name: string; url: string; jsonUrl: string } }>
  listFeeds(): Promise<{ data: { feeds: ListedFeed[] } }>
  removeFeed(feedId: string): Promise<{ data: { feedId: string } }>
}

export const createNewsCalls = (call: Connection['call']): NewsCalls => ({
  read: (query) => call(`/api/v1/news?${new URLSearchParams(query as Record<string, string>)}`),
  markRead: (body) => call('/api/v1/news/read', { method: 'POST', body }),
  addFeed: (body) => call('/api/v1/feeds', { method: 'POST', body, headers: { 'idempotency-key': randomUUID() } }),
  listFeeds: () => call('/api/v1/feeds'),
  removeFeed: (feedId) => call(`/api/v1/feeds/${encodeURIComponent(feedId)}`, { method: 'DELETE' }),
})
