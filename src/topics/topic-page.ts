import { sql } from 'kysely'
import type { PlatformName } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { listRequests } from '../requests/list/list.ts'
import type { RequestRecord } from '../requests/record.ts'
import { together, type Wish } from '../requests/similar/similar.ts'
import { groupAlike } from '../requests/similar/similarity.ts'
import { readComparedWords } from '../requests/similar/words.ts'
import { type Period, timelineOf } from '../requests/timeline.ts'
import type { View } from '../requests/views/view.ts'
import { countChanges } from './differences.ts'
import { readTopic, type TopicSummary } from './topics.ts'

/** How many of a topic's most voted requests are compared for its wishes, and how many wishes are shown. */
const comparedRequests = 200
const shownWishes = 20

export interface TopicPage extends TopicSummary {
  platforms: { platform: PlatformName; requests: number; votes: number }[]
  timeline: Period[]
  wishes: (Wish & { request: RequestRecord })[]
}

interface TopicInput {
  topic: string
  now: Date
  view: View
}

/** In a view with few of the topic's requests one page of the list may not have all that are compared. */
const maxPages = 5

async function readMostVoted(executor: Executor, { topic, view }: TopicInput): Promise<RequestRecord[]> {
  const found: RequestRecord[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < maxPages && found.length < comparedRequests; pages++) {
    const limit = comparedRequests - found.length
    const page = await listRequests(executor, { topic, view, sortBy: 'votes', fullText: false, limit, cursor })
    found.push(...page.results)
    if (page.cursor === null) break
    cursor = page.cursor
  }
  return found
}

/** The wishes of a topic: groups of similar requests among its most voted ones, the most voted first. */
async function readWishes(executor: Executor, input: TopicInput): Promise<TopicPage['wishes']> {
  const requests = await readMostVoted(executor, { ...input, view: { ...input.view, least: 2 } })
  const groups = await groupAlike(await readComparedWords(executor, requests))
  return groups
    .map((positions) => positions.map((position) => requests[position]!))
    .map((group) => ({ request: group[0]!, ...together(group) }))
    .sort((a, b) => b.votes - a.votes)
    .slice(0, shownWishes)
}

interface Count {
  kind: 'platform' | 'day'
  value: string
  requests: number
  votes: number
}

/** By platform and by day of posting, in a view. */
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

/** The page of one topic; null when the view has no request of it. Its parts are read one after the other. */
export async function readTopicPage(executor: Executor, input: TopicInput): Promise<TopicPage | null> {
  const summary = await readTopic(executor, input)
  if (summary === null) return null
  const { key, ...shown } = summary
  const counts = await readCounts(executor, key, input.view)
  const platforms = counts
    .filter(({ kind }) => kind === 'platform')
    .map(({ value, requests, votes }) => ({ platform: value as PlatformName, requests, votes }))
    .sort((a, b) => b.requests - a.requests || (a.platform < b.platform ? -1 : 1))
  const days = counts.filter(({ kind }) => kind === 'day')
  return {
    ...shown,
    platforms,
    timeline: timelineOf(days.map(({ value, requests }) => ({ day: value, requests }))),
    wishes: await readWishes(executor, input),
  }
}
