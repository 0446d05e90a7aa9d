import type { Selectable } from 'kysely'
import { lockAccount } from '../../accounts/made-by-key.ts'
import { listOwned } from '../../accounts/owned.ts'
import type { Transaction } from '../../database/open.ts'
import type { Tables } from '../../database/tables.ts'
import { notFound, ServiceError } from '../../http/errors.ts'

/** Per account: more would be hard to overview. */
export const maxSavedViews = 50

export type SavedView = Selectable<Tables['saved_views']>

export interface SavedViewContent {
  name: string
  view: object
  /** Null if the view has fixed days, or none. */
  periodDays: number | null
}

/** Serializes changes of an account's views, so that the maximum and unique names hold. */
async function lockViewsOf(transaction: Transaction, accountId: string): Promise<void> {
  if (!(await lockAccount(transaction, accountId))) throw notFound('Account')
}

function refuseName(views: readonly SavedView[], name: string): void {
  if (views.some((one) => one.name === name))
    throw new ServiceError('CONFLICT', 'The account has a saved view of this name. Choose another one.')
}

const stored = ({ name, view, periodDays }: SavedViewContent, now: Date) => ({
  name,
  view: JSON.stringify(view),
  period_days: periodDays,
  updated_at: now,
})

/** @throws ServiceError CONFLICT at the maximum, or for a name in use. */
export async function createSavedView(
  transaction: Transaction,
  accountId: string,
  content: SavedViewContent,
  now: Date,
): Promise<SavedView> {
  await lockViewsOf(transaction, accountId)
  const views = await listOwned(transaction, 'saved_views', accountId)
  refuseName(views, content.name)
  if (views.length >= maxSavedViews) {
    const message = `The account has ${maxSavedViews} saved views, which is the maximum. Delete some first.`
    throw new ServiceError('CONFLICT', message)
  }
  return transaction
    .insertInto('saved_views')
    .values({ account_id: accountId, ...stored(content, now), created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Changes a saved view. @throws ServiceError NOT_FOUND; CONFLICT for a name in use. */
export async function changeSavedView(
  transaction: Transaction,
  { accountId, viewId }: { accountId: string; viewId: string },
  change: (known: SavedViewContent) => SavedViewContent,
  now: Date,
): Promise<SavedView> {
  await lockViewsOf(transaction, accountId)
  const views = await listOwned(transaction, 'saved_views', accountId)
  const known = views.find(({ id }) => id === viewId.toLowerCase())
  if (known === undefined) throw notFound('View')
  const content = change({ name: known.name, view: known.view, periodDays: known.period_days })
  const others = views.filter(({ id }) => id !== known.id)
  refuseName(others, content.name)
  return transaction
    .updateTable('saved_views')
    .set(stored(content, now))
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow()
}
