import { sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { type Period, timelineOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/views/view.ts'
import { countChanges } from './differences.ts'
import { readTopicWishes, type TopicWish } from './topic-wishes.ts'
import { readTopic, type TopicSummary } from './topics.ts'

export interface TopicPage extends TopicSummary {
  platforms: { platform: PlatformName; requests: number; votes: number }[]
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
    wishes: await readTopicWishes(executor, input),
  }
}
