import type { PlatformName } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { type RequestRecord, readRequests } from '../requests/record.ts'
import { together, type Wish } from '../requests/similar/similar.ts'
import { groupAlike } from '../requests/similar/similarity.ts'
import { readComparedWords } from '../requests/similar/words.ts'
import { type Period, timelineOf } from './timeline.ts'
import { readTopic, type TopicSummary } from './topics.ts'

/** How many of a topic's most voted requests are compared for its wishes, and how many wishes are shown. */
const comparedRequests = 200
const shownWishes = 20

export interface TopicPage extends TopicSummary {
  platforms: { platform: PlatformName; requests: number; votes: number }[]
  timeline: Period[]
  wishes: (Wish & { request: RequestRecord })[]
}

/** The wishes of a topic: groups of similar requests among its most voted ones, the most voted first. */
async function readWishes(executor: Executor, key: string): Promise<TopicPage['wishes']> {
  const top = await executor
    .selectFrom('request_topics')
    .select('request_id as id')
    .where('topic_key', '=', key)
    .orderBy('votes', 'desc')
    .orderBy('request_id', 'desc')
    .limit(comparedRequests)
    .execute()
  const requests = await readRequests(
    executor,
    top.map(({ id }) => id),
    { fullText: false },
  )
  const groups = await groupAlike(await readComparedWords(executor, requests))
  return groups
    .map((positions) => positions.map((position) => requests[position]!))
    .map((group) => ({ request: group[0]!, ...together(group) }))
    .sort((a, b) => b.votes - a.votes)
    .slice(0, shownWishes)
}

/** The page of one topic; null when it has no requests. Its parts are read one after the other. */
export async function readTopicPage(
  executor: Executor,
  { topic, now }: { topic: string; now: Date },
): Promise<TopicPage | null> {
  const summary = await readTopic(executor, { topic, now })
  if (summary === null) return null
  const { key, ...shown } = summary
  const counts = await executor
    .selectFrom('topic_counts')
    .select(['kind', 'value', 'requests', 'votes'])
    .where('topic_key', '=', key)
    .where('kind', 'in', ['platform', 'day'])
    .execute()
  const platforms = counts
    .filter(({ kind }) => kind === 'platform')
    .map(({ value, requests, votes }) => ({ platform: value as PlatformName, requests, votes: Number(votes) }))
    .sort((a, b) => b.requests - a.requests || (a.platform < b.platform ? -1 : 1))
  const days = counts.filter(({ kind }) => kind === 'day')
  return {
    ...shown,
    platforms,
    timeline: timelineOf(days.map(({ value, requests }) => ({ day: value, requests }))),
    wishes: await readWishes(executor, key),
  }
}
