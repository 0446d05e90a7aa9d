import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Executor, Transaction } from '../database/open.ts'
import type { Tables } from '../database/tables.ts'
import { notFound } from '../http/errors.ts'
import { isId } from '../http/ids.ts'

/** Tables of what accounts make, and the name of a row. */
const singular = {
  channels: 'Channel',
  feeds: 'Feed',
  pushes: 'Push',
  saved_views: 'View',
  trackers: 'Tracker',
  watches: 'Watch',
} satisfies Partial<Record<keyof Tables, string>>

type Owned = keyof typeof singular

interface OwnedId {
  accountId: string
  id: string
}

/** An account's rows of a kind, oldest first. */
export async function listOwned<Table extends Owned>(executor: Executor, table: Table, accountId: string) {
  const { rows } = await sql<Selectable<Tables[Table]>>`
    select * from ${sql.table(table)} where account_id = ${accountId} order by created_at, id`.execute(executor)
  return rows
}

/** @param lock locks the row in the transaction @throws ServiceError NOT_FOUND, also for other accounts' rows */
export async function findOwned<Table extends Owned>(
  executor: Executor,
  table: Table,
  { accountId, id }: OwnedId,
  lock: RawBuilder<unknown> = sql``,
): Promise<Selectable<Tables[Table]>> {
  if (!isId(id)) throw notFound(singular[table])
  const { rows } = await sql<Selectable<Tables[Table]>>`
    select * from ${sql.table(table)} where id = ${id} and account_id = ${accountId} ${lock}`.execute(executor)
  if (rows[0] === undefined) throw notFound(singular[table])
  return rows[0]
}

export async function countOwned(transaction: Transaction, table: Owned, accountId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer from ${sql.table(table)} where account_id = ${accountId}`.execute(transaction)
  return rows[0]!.count
}

/** @throws ServiceError NOT_FOUND, also for other accounts' rows */
export async function deleteOwned(executor: Executor, table: Owned, { accountId, id }: OwnedId): Promise<void> {
  if (!isId(id)) throw notFound(singular[table])
  const { rows } = await sql`
    delete from ${sql.table(table)} where id = ${id} and account_id = ${accountId} returning 1`.execute(executor)
  if (rows.length === 0) throw notFound(singular[table])
}
