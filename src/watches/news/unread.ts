import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import { cursorsOf, isPositionId, type PageInput, pageIn } from '../../http/pagination.ts'
import type { View } from '../../requests/view.ts'
import {
  type Counts,
  countsOf,
  isTold,
  type ListedNews,
  listItems,
  type ShownItem,
  type StoredItem,
  type StoredRise,
  showItems,
  storedColumns,
  toRise,
} from './shown-items.ts'

const maxItems = 1_000

/** A watch's news, each wish once per list however many reports had it. */
export interface WatchNews extends ListedNews {
  /** Up to where it was read; null if never. */
  readUntil: Date | null
  /** When the last of these reports became ready, to mark exactly these as read. Null without any. */
  until: Date | null
  reports: number
  /** Whether they include the watch's first report, whose wishes are all new. */
  hasFirst: boolean
}

/** Merges items, latest report first: each wish once, gains summed, new stays new; the latest decides the fit. */
function mergeItems(items: readonly ShownItem[]): ShownItem[] {
  const newWishes = new Set(items.filter(({ kind }) => kind === 'new').map(({ wishId }) => wishId))
  const merged = new Map<string, ShownItem>()
  for (const item of items) {
    const kind = item.kind === 'grown' && newWishes.has(item.wishId) ? 'new' : item.kind
    const key = `${kind} ${item.wishId}`
    const before = merged.get(key)
    if (before === undefined) merged.set(key, { ...item, kind })
    else {
      merged.set(key, {
        ...before,
        votesGained: before.votesGained + item.votesGained,
        requestsGained: before.requestsGained + item.requestsGained,
      })
    }
  }
  return [...merged.values()]
}

interface WatchRow {
  id: string
  name: string
  topic: string
  goal: string | null
  read_until: Date | null
  muted_news: NewsKind[]
}

interface ReportsRow extends Counts {
  until: Date | null
  reports: number
  has_first: boolean
  topic_rise: StoredRise | null
}

interface NewsInput extends PageInput {
  accountId: string
  view: View
  publicUrl: string
  watchId?: string | undefined
  /** Inclusive; replaces the read mark as the start. */
  since?: Date | undefined
}

async function readNewsOf(executor: Executor, watch: WatchRow, input: NewsInput): Promise<WatchNews> {
  const after = input.since
    ? sql`ready_at >= ${input.since}::timestamptz`
    : watch.read_until
      ? sql`ready_at > ${watch.read_until}::timestamptz`
      : sql`ready_at is not null`
  const { rows } = await sql<ReportsRow>`
    select max(ready_at) as until, count(*)::integer as reports, coalesce(bool_or(since is null), false) as has_first,
      coalesce(sum(new_wishes), 0)::integer as new_wishes, coalesce(sum(grown), 0)::integer as grown,
      coalesce(sum(completed), 0)::integer as completed, coalesce(sum(declined), 0)::integer as declined,
      coalesce(sum(rising), 0)::integer as rising,
      (array_agg(topic_rise order by ready_at desc) filter (where topic_rise is not null))[1] as topic_rise
    from news_reports where watch_id = ${watch.id} and ${after}`.execute(executor)
  const reports = rows[0]!
  const { rows: items } = await sql<StoredItem>`
    select ${storedColumns} from news_reports as report join news_items as item on item.report_id = report.id
    where report.watch_id = ${watch.id} and ${after} and ${isTold(watch.muted_news)}
    order by report.ready_at desc, item.position limit ${maxItems}`.execute(executor)
  const merged = mergeItems(await showItems(executor, items, input))
  return {
    watchId: watch.id,
    watchName: watch.name,
    topic: watch.topic,
    goal: watch.goal,
    readUntil: watch.read_until,
    until: reports.until,
    reports: reports.reports,
    hasFirst: reports.has_first,
    topicRise: reports.topic_rise && !watch.muted_news.includes('rising') ? toRise(reports.topic_rise) : null,
    ...listItems(merged, { found: countsOf(reports, watch.muted_news), kept: items }),
  }
}

const cursors = cursorsOf<[watchId: string]>('news', isPositionId)

/** An account's news by watch, ordered by id. @throws ServiceError INVALID_REQUEST for a cursor of another list. */
export async function readNews(
  executor: Executor,
  input: NewsInput,
): Promise<{ results: WatchNews[]; hasMore: boolean; cursor: string | null }> {
  const { accountId, watchId, limit, cursor } = input
  const after = cursor === undefined ? sql`` : sql`and watches.id > ${cursors.decode(cursor)[0]}::uuid`
  const only = watchId === undefined ? sql`` : sql`and watches.id = ${watchId}::uuid`
  const { rows } = await sql<WatchRow>`
    select id, name, topic, goal, read_until, muted_news from watches left join news_reads on watch_id = watches.id
    where account_id = ${accountId} ${only} ${after} order by watches.id limit ${limit + 1}`.execute(executor)
  const { page, ...rest } = pageIn(rows, limit, ({ id }) => cursors.encode([id]))
  const results: WatchNews[] = []
  for (const watch of page) results.push(await readNewsOf(executor, watch, input))
  return { results, ...rest }
}

interface MarkInput {
  accountId: string
  /** All watches of the account if absent. */
  watchId?: string | undefined
  /** The `until` of the read news; everything ready if absent. */
  until?: Date | undefined
}

/** Marks news as read: never more than is ready, never less than before. @returns ids of watches with news up to it. */
export async function markRead(executor: Executor, { accountId, watchId, until }: MarkInput): Promise<string[]> {
  const only = watchId === undefined ? sql`` : sql`and watches.id = ${watchId}::uuid`
  const upTo = until === undefined ? sql`` : sql`and ready_at <= ${until}::timestamptz`
  const { rows } = await sql<{ watch_id: string }>`
    insert into news_reads as marked (watch_id, read_until)
    select watches.id, last.ready_at from watches cross join lateral (
      select max(ready_at) as ready_at from news_reports where watch_id = watches.id ${upTo}
    ) as last
    where account_id = ${accountId} ${only} and last.ready_at is not null order by watches.id
    on conflict (watch_id) do update set read_until = greatest(marked.read_until, excluded.read_until)
    returning watch_id`.execute(executor)
  return rows.map((row) => row.watch_id)
}
