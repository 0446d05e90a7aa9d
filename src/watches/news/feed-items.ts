import { sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { type ShownItem, type ShowOptions, type StoredItem, showItems, storedColumns } from './shown-items.ts'

export interface FeedNewsItem extends ShownItem {
  /** When its report became ready. */
  readyAt: Date
}

/** The latest news of a watch that fit its goal, one item for each report that had the wish. */
export async function readFeedNews(
  executor: Executor,
  { watchId, limit, ...options }: ShowOptions & { watchId: string; limit: number },
): Promise<FeedNewsItem[]> {
  // More than are shown, because some may be gone.
  const { rows } = await sql<StoredItem & { readyAt: Date }>`
    select ${storedColumns}, report.ready_at as "readyAt"
    from news_reports as report join news_items as item on item.report_id = report.id
    where report.watch_id = ${watchId} and report.ready_at is not null and item.fits is distinct from false
    order by report.ready_at desc, item.position limit ${2 * limit}`.execute(executor)
  const readyAt = new Map(rows.map((row) => [row.reportId, row.readyAt]))
  const shown = await showItems(executor, rows, options)
  return shown.slice(0, limit).map((item) => ({ ...item, readyAt: readyAt.get(item.stored.reportId)! }))
}
