import { type RawBuilder, sql } from 'kysely'
import { type Static, type TObject, Type } from 'typebox'
import type { Executor } from '../../database/open.ts'
import { type Cursors, cursorsOf, isPositionNumber, isPositionText, type PageInput } from '../../http/pagination.ts'
import { closed, moment } from '../../http/schemas.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { dayOf } from '../../requests/timeline.ts'
import type { View } from '../../requests/view.ts'
import { dayMs } from '../../runtime/durations.ts'
import { countChanges, topicChanges } from './differences.ts'
import { type TopicOrder, topicOrders } from './orders.ts'

interface TopicListInput extends PageInput {
  /** Part of a name, ignoring case and white space. */
  query?: string
  sortBy: TopicOrder
  now: Date
  view: View
}

/** A topic in a list. */
export const summaryProperties = {
  topic: Type.String({ description: 'In its first spelling; case and the amount of white space are ignored' }),
  requests: Type.Integer({ description: 'How many likely requests it has, as your account sees them' }),
  votes: Type.Integer({ description: 'Of all of them together' }),
  maybeRequests: Type.Integer({
    description: 'How many more may be requests: `include=maybe` lists them; no other number counts them',
  }),
  fromExpansion: Type.Optional(
    Type.Literal(true, {
      description: 'Only expansions of searches have collected it: no list has it until a job collects it; else absent',
    }),
  ),
  lastCollectedAt: moment('When a platform last delivered a page of it'),
  growth: closed(
    { days7: Type.Integer(), days30: Type.Integer() },
    { description: 'How many of them were posted in the last 7 and 30 UTC days, today included' },
  ),
  tags: Type.Array(closed({ tag: Type.String(), requests: Type.Integer() }), {
    description: 'The most frequent of them, at most 10',
  }),
}

export type TopicSummary = Static<TObject<typeof summaryProperties>>

interface TopicRow {
  key: string
  name: string
  requests: number
  votes: number
  maybe: number
  collected_at: Date
  from_expansion: boolean
}

/** Where the next page starts: the last topic's sort key (microseconds or votes) and its key. */
type Position = [key: number, topic: string]

const cursors = Object.fromEntries(
  topicOrders.map((order) => [order, cursorsOf<Position>(`topics-${order}`, isPositionNumber, isPositionText)]),
) as Record<TopicOrder, Cursors<Position>>

/** Topics scanned per page of a query, however few names match: bounds the work. */
const maxScanned = 5_000
const shownTags = 10

const orders = {
  new: sql`collected_at desc, key desc`,
  votes: sql`votes desc, key desc`,
  name: sql`key asc`,
} as const

/** The condition for topics after a position, in a form that the order's index can use. */
function after(sortBy: TopicOrder, [value, key]: Position) {
  if (sortBy === 'name') return sql`key > ${key}`
  const column = sql.ref(sortBy === 'new' ? 'collected_at' : 'votes')
  const from =
    sortBy === 'new' ? sql`timestamptz 'epoch' + ${value}::bigint * interval '1 microsecond'` : sql`${value}::bigint`
  return sql`(${column}, key) < (${from}, ${key})`
}

/** For a query with `changed`: topics with other numbers; those of expansions only with `own` requests. */
const changedTopics = sql`
  select key, name, topics.requests + changed.requests as requests, topics.votes + changed.votes as votes,
    topics.maybe + changed.maybe as maybe, collected_at, from_expansion
  from changed join topics using (key) where not from_expansion or own`

/** Up to `limit` topics in an order, with a view's numbers. Unchanged ones come from an index. */
function listedTopics({ sortBy, view }: TopicListInput, from: RawBuilder<unknown>, limit: number): RawBuilder<unknown> {
  const shared = sql`
    select key, name, requests, votes, maybe, collected_at, from_expansion from topics
    where requests > 0 and not from_expansion and ${from}`
  const end = sql`order by ${orders[sortBy]} limit ${limit}`
  return sql`
    with changed as materialized (${topicChanges(view, null)})
    select * from (
      (${shared} and not exists (select from changed where changed.key = topics.key) ${end})
      union all
      (select * from (${changedTopics}) as own where requests > 0 and ${from})
    ) as merged ${end}`
}

async function findTopics(executor: Executor, input: TopicListInput) {
  const { query, sortBy, limit, cursor } = input
  const position = cursor === undefined ? null : cursors[sortBy].decode(cursor)
  const key = query === undefined ? '' : topicKey(query)
  const scanned = key === '' ? limit + 1 : maxScanned
  const from = position === null ? sql`true` : after(sortBy, position)
  const { rows } = await sql<TopicRow & { micros: number; matches: boolean; rank: number }>`
    select *, (extract(epoch from collected_at) * 1000000)::bigint as micros
    from (
      select *, strpos(key, ${key}) > 0 as matches, row_number() over (order by ${orders[sortBy]})::integer as rank
      from (${listedTopics(input, from, scanned)}) as topics
    ) as scanned
    where matches or rank = ${scanned}
    order by ${orders[sortBy]} limit ${limit + 2}`.execute(executor)
  return { rows, scanned }
}

async function summarise(
  executor: Executor,
  topics: readonly TopicRow[],
  { now, view }: { now: Date; view: View },
): Promise<TopicSummary[]> {
  if (topics.length === 0) return []
  const keys = topics.map(({ key }) => key)
  const daysBack = (days: number) => dayOf(new Date(now.getTime() - (days - 1) * dayMs))
  // Tags that the view does not change are read from their index; the others are few.
  const { rows } = await sql<{ growth: TopicSummary['growth']; tags: TopicSummary['tags'] }>`
    with changes as materialized (${countChanges(view, keys)})
    select
      (select json_build_object('days7', coalesce(sum(requests) filter (where value >= ${daysBack(7)}), 0),
          'days30', coalesce(sum(requests), 0))
        from (select topic_key, kind, value, requests from topic_counts
          union all select topic_key, kind, value, requests from changes) as days
        where topic_key = key and kind = 'day' and value >= ${daysBack(30)}) as growth,
      (select coalesce(json_agg(json_build_object('tag', value, 'requests', requests)), '[]') from (
        select value, requests from (
          (select value, requests from topic_counts where topic_key = key and kind = 'tag'
            and value not in (select value from changes where topic_key = key and kind = 'tag')
            order by requests desc, value limit ${sql.lit(shownTags)})
          union all
          (select value, coalesce(shared.requests, 0) + changes.requests from changes
            left join topic_counts as shared using (topic_key, kind, value) where topic_key = key and kind = 'tag')
        ) as merged (value, requests)
        where requests > 0 order by requests desc, value limit ${sql.lit(shownTags)}) as top) as tags
    from unnest(${keys}::text[]) with ordinality as listed (key, position) order by position`.execute(executor)
  return topics.map(({ name, requests, votes, maybe, collected_at, from_expansion }, index) => ({
    topic: name,
    requests,
    votes: Number(votes),
    maybeRequests: maybe,
    lastCollectedAt: collected_at.toISOString(),
    ...(from_expansion ? { fromExpansion: true as const } : {}),
    ...rows[index]!,
  }))
}

/** A page of topics by keyset; short pages with a query. @throws ServiceError INVALID_REQUEST for a foreign cursor. */
export async function listTopics(
  executor: Executor,
  input: TopicListInput,
): Promise<{ results: TopicSummary[]; hasMore: boolean; cursor: string | null }> {
  const { rows, scanned } = await findTopics(executor, input)
  const page = rows.filter(({ matches }) => matches).slice(0, input.limit)
  const isFull = page.length === input.limit
  const hasMore = rows.length > page.length || rows.at(-1)?.rank === scanned
  // The next page skips what this page scanned in vain.
  const end = isFull ? page.at(-1) : rows.at(-1)
  const results = await summarise(executor, page, input)
  const value = (row: (typeof rows)[number]) => Number(input.sortBy === 'new' ? row.micros : row.votes)
  return { results, hasMore, cursor: hasMore && end ? cursors[input.sortBy].encode([value(end), end.key]) : null }
}

/** Reads a topic by any spelling; null if the view has no likely or maybe request of it. */
export async function readTopic(
  executor: Executor,
  { topic, now, view }: { topic: string; now: Date; view: View },
): Promise<(TopicSummary & { key: string }) | null> {
  const key = topicKey(topic)
  const { rows } = await sql<TopicRow>`
    with changed as materialized (${topicChanges(view, [key])})
    select * from (
      select key, name, topics.requests + coalesce(changed.requests, 0) as requests,
        topics.votes + coalesce(changed.votes, 0) as votes, topics.maybe + coalesce(changed.maybe, 0) as maybe, collected_at,
        from_expansion
      from topics left join changed using (key) where key = ${key}
    ) as seen where requests > 0 or maybe > 0`.execute(executor)
  const [summary] = await summarise(executor, rows, { now, view })
  return summary ? { ...summary, key } : null
}
