import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import {
  type Counts,
  countsOf,
  isTold,
  type ListedNews,
  listItems,
  type ShownItem,
  type ShownRise,
  type ShowOptions,
  type StoredItem,
  type StoredRise,
  showItems,
  storedColumns,
  toRise,
} from './shown-items.ts'
import { readWatchOfNews } from './watch.ts'

/** A report as it can be told now. */
export interface NewsReport extends ListedNews {
  reportId: string
  /** When the previous report was made; null for the first, whose wishes are all new. */
  since: Date | null
  until: Date
  isFirst: boolean
  /** How many `newWishes` were not compared with the goal; 0 without a goal. */
  notCompared: number
}

interface ReadReportInput {
  reportId: string
  publicUrl: string
}

interface ReportRow extends Counts {
  watch_id: string
  since: Date | null
  made_at: Date
  topic_rise: StoredRise | null
}

/**
 * Reads a report with current texts and numbers, in its account's view; null if it does not exist, is still being
 * judged, or nothing is left.
 * @param mutedNews kinds to leave out, besides the watch's
 */
export async function readReport(
  executor: Executor,
  { reportId, publicUrl, mutedNews = [] }: ReadReportInput & { mutedNews?: readonly NewsKind[] },
): Promise<NewsReport | null> {
  const { rows } = await sql<ReportRow>`
    select watch_id, since, made_at, new_wishes, grown, completed, declined, rising, topic_rise from news_reports
    where id = ${reportId} and state = 'ready'`.execute(executor)
  const [report] = rows
  const watch = report === undefined ? null : await readWatchOfNews(executor, report.watch_id)
  if (report === undefined || watch === null) return null
  const muted = [...mutedNews, ...watch.mutedNews]
  const { rows: items } = await sql<StoredItem>`
    select ${storedColumns} from news_items as item where report_id = ${reportId} and ${isTold(muted)} order by position`.execute(
    executor,
  )
  const shown = await showItems(executor, items, { view: watch.view, publicUrl })
  const all = report.new_wishes + report.grown + report.completed + report.declined
  if (all > 0 && shown.length === 0) return null
  const found = countsOf(report, muted)
  const { totals, ...sections } = listItems(shown, { found, kept: items })
  return {
    reportId,
    watchId: watch.id,
    watchName: watch.name,
    topic: watch.topic,
    goal: watch.goal,
    since: report.since,
    until: report.made_at,
    isFirst: report.since === null,
    topicRise: report.topic_rise && !muted.includes('rising') ? toRise(report.topic_rise) : null,
    totals,
    // Only new wishes are compared; others keep their earlier answer.
    notCompared: watch.goal === null ? 0 : shown.filter(({ kind, fits }) => kind === 'new' && fits === null).length,
    ...sections,
  }
}

/** A wish that rose, as the account sees it now; null if nothing is left, or it does not fit the goal. */
export async function readRise(
  executor: Executor,
  { reportId, wishId, publicUrl }: ReadReportInput & { wishId: string },
): Promise<ShownItem | null> {
  const { rows } = await sql<StoredItem & { watchId: string }>`
    select ${storedColumns}, report.watch_id as "watchId"
    from news_items as item join news_reports as report on report.id = item.report_id
    where report.id = ${reportId} and item.kind = 'rising' and item.wish_id = ${wishId} and item.fits is distinct from false`.execute(
    executor,
  )
  const watch = rows[0] === undefined ? null : await readWatchOfNews(executor, rows[0].watchId)
  if (watch === null) return null
  const [item] = await showItems(executor, rows, { view: watch.view, publicUrl })
  return item ?? null
}

export interface FeedNewsItem extends ShownItem {
  readyAt: Date
}

interface FeedRise {
  reportId: string
  readyAt: Date
  topic: string
  rise: ShownRise
}

/** The latest rises of a watch's topic. */
export async function readFeedRises(
  executor: Executor,
  { watchId, limit }: { watchId: string; limit: number },
): Promise<FeedRise[]> {
  const { rows } = await sql<FeedRise & { rise: StoredRise }>`
    select report.id as "reportId", ready_at as "readyAt", topic, topic_rise as rise
    from news_reports as report join watches on watches.id = watch_id
    where watch_id = ${watchId} and ready_at is not null and topic_rise is not null and 'rising' <> all(muted_news) order by ready_at desc limit ${limit}`.execute(
    executor,
  )
  return rows.map((row) => ({ ...row, rise: toRise(row.rise) }))
}

/** A watch's latest news that fit its goal, one item per report and wish. */
export async function readFeedNews(
  executor: Executor,
  { watchId, limit, ...options }: ShowOptions & { watchId: string; limit: number },
): Promise<FeedNewsItem[]> {
  // With spares, since some may have been deleted.
  const { rows } = await sql<StoredItem & { readyAt: Date }>`
    select ${storedColumns}, report.ready_at as "readyAt"
    from watches join news_reports as report on report.watch_id = watches.id join news_items as item on item.report_id = report.id
    where watches.id = ${watchId} and item.kind <> all(muted_news) and report.ready_at is not null and item.fits is distinct from false
    order by report.ready_at desc, item.position limit ${2 * limit}`.execute(executor)
  const readyAt = new Map(rows.map((row) => [row.reportId, row.readyAt]))
  const shown = await showItems(executor, rows, options)
  return shown.slice(0, limit).map((item) => ({ ...item, readyAt: readyAt.get(item.stored.reportId)! }))
}
