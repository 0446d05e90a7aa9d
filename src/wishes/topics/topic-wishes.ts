import type { Executor } from '../../database/open.ts'
import type { RequestRecord } from '../../requests/record.ts'
import type { View } from '../../requests/views/view.ts'
import { listWishes } from '../list/list.ts'
import type { WishSummary } from '../list/summary.ts'

const shownWishes = 20

/** A wish of a topic, with the numbers of the whole wish: also of its requests that other topics found. */
export interface TopicWish extends Pick<WishSummary, 'wishId' | 'votes' | 'platforms' | 'status'> {
  /** Its most telling request, whose title is that of the wish. */
  request: RequestRecord
  requests: number
}

/** One page of the list may have too few wishes of a topic with many requests, because it scans a bounded part of its order. */
const maxPages = 3

/** The most voted wishes of a topic in a view: those of the list of wishes. */
export async function readTopicWishes(
  executor: Executor,
  { topic, view, now }: { topic: string; view: View; now: Date },
): Promise<TopicWish[]> {
  const found: WishSummary[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages && found.length < shownWishes; pages++) {
    const limit = shownWishes - found.length
    const page = await listWishes(executor, { topic, view, now, sortBy: 'votes', limit, cursor })
    found.push(...page.results)
    if (page.cursor === null) break
    cursor = page.cursor
  }
  return found.map(({ wishId, topRequest: request, votes, requestCount: requests, platforms, status }) => ({
    wishId,
    request,
    votes,
    requests,
    platforms,
    status,
  }))
}
