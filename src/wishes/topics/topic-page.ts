import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { votesOf } from '../../platforms/registry.ts'
import type { RequestRecord } from '../../requests/record.ts'
import { type Period, timelineOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/view.ts'
import { listWishes } from '../list/list.ts'
import type { WishSummary } from '../list/summary.ts'
import { type Breakdown, readBreakdown } from './breakdown.ts'
import { countChanges } from './differences.ts'
import { readInWords } from './in-words.ts'
import { readTopic, type TopicSummary } from './topics.ts'

export interface TopicPage extends TopicSummary {
  platforms: { platform: PlatformName; requests: number; votes: number; votesAre: string | null }[]
  breakdown: Breakdown
  timeline: Period[]
  wishes: TopicWish[]
}

interface TopicInput {
  topic: string
  now: Date
  view: View
}

interface Count {
  kind: 'platform' | 'day'
  value: string
  requests: number
  votes: number
}

async function readCounts(executor: Executor, key: string, view: View): Promise<Count[]> {
  const { rows } = await sql<Count>`
    with changes as materialized (${countChanges(view, [key])})
    select kind, value, sum(requests)::integer as requests, sum(votes)::bigint as votes
    from (
      select kind, value, requests, votes from topic_counts where topic_key = ${key} and kind in ('platform', 'day')
      union all
      select kind, value, requests, votes from changes where kind in ('platform', 'day')
    ) as counts
    group by kind, value having sum(requests) > 0`.execute(executor)
  return rows.map((row) => ({ ...row, votes: Number(row.votes) }))
}

/** Reads a topic's page, one part after the other; null if the view has no request of it. */
export async function readTopicPage(executor: Executor, input: TopicInput): Promise<TopicPage | null> {
  const summary = await readTopic(executor, input)
  if (summary === null) return null
  const { key, ...shown } = summary
  const counts = await readCounts(executor, key, input.view)
  const platforms = counts
    .filter(({ kind }) => kind === 'platform')
    .map(({ value, requests, votes }) => ({
      platform: value as PlatformName,
      requests,
      votes,
      votesAre: votesOf(value as PlatformName),
    }))
    .sort((a, b) => b.requests - a.requests || (a.platform < b.platform ? -1 : 1))
  const days = counts.filter(({ kind }) => kind === 'day')
  return {
    ...shown,
    platforms,
    breakdown: await readBreakdown(executor, key, { view: input.view, votes: summary.votes }),
    timeline: timelineOf(days.map(({ value, requests }) => ({ day: value, requests }))),
    wishes: await readTopicWishes(executor, input),
  }
}

const shownWishes = 20

/** A wish of a topic. Its numbers cover the whole wish, including requests of other topics. */
interface TopicWish extends Pick<WishSummary, 'wishId' | 'votes' | 'own' | 'platforms' | 'product' | 'status'> {
  /** Its most telling request, which gives the title. */
  request: RequestRecord
  requests: number
  /** Whether the topic is only a tag, in neither title nor text. */
  isTagOnly: boolean
}

/** Because a page of the list scans a bounded part of its order, it may have too few wishes of a large topic. */
const maxPages = 3

/** A topic's most voted wishes in a view; those with the topic only as a tag come last. */
async function readTopicWishes(
  executor: Executor,
  { topic, view, now }: { topic: string; view: View; now: Date },
): Promise<TopicWish[]> {
  const found: WishSummary[] = []
  let cursor: string | undefined
  const tagged: WishSummary[] = []
  for (let pages = 0; pages < maxPages && found.length < shownWishes; pages++) {
    const page = await listWishes(executor, { topic, view, now, sortBy: 'votes', limit: shownWishes, cursor })
    const ids = page.results.map(({ wishId }) => wishId)
    const inWords = await readInWords(executor, ids, { topic, view })
    for (const wish of page.results) (inWords.has(wish.wishId) ? found : tagged).push(wish)
    if (page.cursor === null) break
    cursor = page.cursor
  }
  const named = [
    ...found.map((wish) => ({ ...wish, isTagOnly: false })),
    ...tagged.map((wish) => ({ ...wish, isTagOnly: true })),
  ]
  return named
    .slice(0, shownWishes)
    .map(
      ({ wishId, isTagOnly, topRequest: request, votes, own, requestCount: requests, platforms, product, status }) => ({
        wishId,
        isTagOnly,
        request,
        votes,
        requests,
        own,
        platforms,
        product,
        status,
      }),
    )
}
