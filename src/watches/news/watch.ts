import { hasOwnView } from '../../accounts/keys.ts'
import type { Executor, Transaction } from '../../database/open.ts'
import type { NewsKind } from '../../database/tables/watches.ts'
import type { View } from '../../requests/view.ts'

/** The part of a watch that news need. */
export interface WatchOfNews {
  id: string
  accountId: string
  name: string
  topic: string
  goal: string | null
  filters: Record<string, unknown>
  reportsQuiet: boolean
  mutedNews: NewsKind[]
  view: View
}

const selectWatches = (executor: Executor) =>
  executor
    .selectFrom('watches')
    .innerJoin('accounts', 'accounts.id', 'watches.account_id')
    .select([
      'watches.id',
      'account_id',
      'watches.name',
      'topic',
      'goal',
      'filters',
      'reports_quiet',
      'muted_news',
      'has_own_view',
      'corrections',
    ])

type Row = Awaited<ReturnType<ReturnType<typeof selectWatches>['executeTakeFirstOrThrow']>>

const toWatch = (row: Row): WatchOfNews => ({
  id: row.id,
  accountId: row.account_id,
  name: row.name,
  topic: row.topic,
  goal: row.goal,
  filters: row.filters,
  reportsQuiet: row.reports_quiet,
  mutedNews: row.muted_news,
  view: { account: hasOwnView(row) ? row.account_id : null, least: 2 },
})

export async function readWatchOfNews(executor: Executor, watchId: string): Promise<WatchOfNews | null> {
  const row = await selectWatches(executor).where('watches.id', '=', watchId).executeTakeFirst()
  return row === undefined ? null : toWatch(row)
}

/** Locks a watch, so that nothing else writes its news. Null if it was deleted. */
export async function lockWatch(transaction: Transaction, watchId: string): Promise<WatchOfNews | null> {
  const row = await selectWatches(transaction)
    .where('watches.id', '=', watchId)
    .forNoKeyUpdate('watches')
    .executeTakeFirst()
  return row === undefined ? null : toWatch(row)
}

/** When a report becomes ready: now, but after all earlier ones. The watch must be locked. */
export async function nextReadyAt(transaction: Transaction, watchId: string, now: Date): Promise<Date> {
  const { last } = await transaction
    .selectFrom('news_reports')
    .select((eb) => eb.fn.max('ready_at').as('last'))
    .where('watch_id', '=', watchId)
    .executeTakeFirstOrThrow()
  return last === null || last < now ? now : new Date(last.getTime() + 1)
}
