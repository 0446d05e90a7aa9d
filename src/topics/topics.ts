import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { type Cursors, cursorsOf, isPositionNumber, isPositionText, type PageInput } from '../http/pagination.ts'
import { topicKey } from '../platforms/topic-key.ts'
import { type TopicOrder, topicOrders } from './orders.ts'

export interface TopicListInput extends PageInput {
  /** Part of a name; case and the amount of white space are ignored. */
  query?: string
  sortBy: TopicOrder
  now: Date
}

export interface TopicSummary {
  /** In its first spelling. */
  topic: string
  requests: number
  votes: number
  /** ISO 8601; when a platform last delivered a page of it. */
  lastCollectedAt: string
  /** How many of its requests were posted in the last 7 and 30 UTC days, today included. */
  growth: { days7: number; days30: number }
  /** The most frequent first. */
  tags: { tag: string; requests: number }[]
}

interface TopicRow {
  key: string
  name: string
  requests: number
  votes: number
  collected_at: Date
}

/** The position after which a page continues: the sort key of its last topic, in microseconds or votes, and the topic's key. */
type Position = [key: number, topic: string]

const cursors = Object.fromEntries(
  topicOrders.map((order) => [order, cursorsOf<Position>(`topics-${order}`, isPositionNumber, isPositionText)]),
) as Record<TopicOrder, Cursors<Position>>

/** How many topics a page with a query scans: this bounds the work of a query, however few names match. */
const maxScanned = 5_000
const shownTags = 10

const orders = {
  new: sql`collected_at desc, key desc`,
  votes: sql`votes desc, key desc`,
  name: sql`key asc`,
} as const

/** The condition for topics after a position, in a form that the index of the order can use. */
function after(sortBy: TopicOrder, [value, key]: Position) {
  if (sortBy === 'name') return sql`key > ${key}`
  const column = sql.ref(sortBy === 'new' ? 'collected_at' : 'votes')
  const from =
    sortBy === 'new' ? sql`timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'` : sql`${value}::bigint`
  return sql`(${column}, key) < (${from}, ${key})`
}

async function findTopics(executor: Executor, { query, sortBy, limit, cursor }: TopicListInput) {
  const position = cursor === undefined ? null : cursors[sortBy].decode(cursor)
  const key = query === undefined ? '' : topicKey(query)
  const scanned = key === '' ? limit + 1 : maxScanned
  const { rows } = await sql<TopicRow & { micros: number; matches: boolean; rank: number }>`
    select *, (extract(epoch from collected_at) * 1000000)::bigint as micros
    from (
      select *, strpos(key, ${key}) > 0 as matches, row_number() over (order by ${orders[sortBy]})::integer as rank
      from (
        select key, name, requests, votes, collected_at from topics
        where requests > 0 and ${position === null ? sql`true` : after(sortBy, position)}
        order by ${orders[sortBy]} limit ${scanned}
      ) as topics
    ) as scanned
    where matches or rank = ${scanned}
    order by ${orders[sortBy]} limit ${limit + 2}`.execute(executor)
  return { rows, scanned }
}

/** UTC day, YYYY-MM-DD. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

export const dayMs = 86_400_000

/** The counts of several topics, in two queries at most. */
async function summarise(executor: Executor, topics: readonly TopicRow[], now: Date): Promise<TopicSummary[]> {
  if (topics.length === 0) return []
  const daysBack = (days: number) => dayOf(new Date(now.getTime() - (days - 1) * dayMs))
  const { rows } = await sql<{ days7: number; days30: number; tags: TopicSummary['tags'] }>`
    select
      (select json_build_object('days7', coalesce(sum(requests) filter (where value >= ${daysBack(7)}), 0),
          'days30', coalesce(sum(requests), 0))
        from topic_counts where topic_key = key and kind = 'day' and value >= ${daysBack(30)}) as growth,
      (select coalesce(json_agg(json_build_object('tag', value, 'requests', requests)), '[]') from (
        select value, requests from topic_counts where topic_key = key and kind = 'tag'
        order by requests desc, value limit ${sql.lit(shownTags)}) as top) as tags
    from unnest(${topics.map(({ key }) => key)}::text[]) with ordinality as listed (key, position) order by position`.execute(
    executor,
  )
  return topics.map(({ name, requests, votes, collected_at }, index) => ({
    topic: name,
    requests,
    votes: Number(votes),
    lastCollectedAt: collected_at.toISOString(),
    ...(rows[index] as unknown as Pick<TopicSummary, 'growth' | 'tags'>),
  }))
}

/**
 * One page of the topics that have requests. Keyset paging: a topic whose position does not change is listed exactly once. With a
 * query a page may hold fewer topics than `limit`, even none, although more follow.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listTopics(
  executor: Executor,
  input: TopicListInput,
): Promise<{ topics: TopicSummary[]; hasMore: boolean; cursor: string | null }> {
  const { rows, scanned } = await findTopics(executor, input)
  const page = rows.filter(({ matches }) => matches).slice(0, input.limit)
  const isFull = page.length === input.limit
  const hasMore = rows.length > page.length || rows.at(-1)?.rank === scanned
  // The next page skips what this page scanned without a match.
  const end = isFull ? page.at(-1) : rows.at(-1)
  const topics = await summarise(executor, page, input.now)
  const value = (row: (typeof rows)[number]) => Number(input.sortBy === 'new' ? row.micros : row.votes)
  return { topics, hasMore, cursor: hasMore && end ? cursors[input.sortBy].encode([value(end), end.key]) : null }
}

/** One topic, by any spelling; null when it has no requests. */
export async function readTopic(
  executor: Executor,
  { topic, now }: { topic: string; now: Date },
): Promise<(TopicSummary & { key: string }) | null> {
  const key = topicKey(topic)
  const row = await executor
    .selectFrom('topics')
    .select(['key', 'name', 'requests', 'votes', 'collected_at'])
    .where('key', '=', key)
    .where('requests', '>', 0)
    .executeTakeFirst()
  const [summary] = row ? await summarise(executor, [row], now) : []
  return summary ? { ...summary, key } : null
}
