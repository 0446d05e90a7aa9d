import type { EntryKind, PackName, SpendingOperation } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { cursorsOf, isPositionNumber, type PageInput } from '../http/pagination.ts'

/** One movement of an account's credits, in the form for its owner. */
export interface StatementEntry {
  entryId: number
  createdAt: string
  /** The UTC month of the pool that it belongs to, YYYY-MM. */
  month: string
  kind: EntryKind
  operation: SpendingOperation | 'pack'
  /** The id of the job or of the call. */
  cause: string
  /** Of a job. */
  topic: string | null
  /** The pack of a grant; null for other movements. */
  pack: PackName | null
  /** The API key that paid; null for a session that no key opened, and for entries of before keys were named. */
  keyId: string | null
  keyName: string | null
  /** The watch whose run it was. */
  watchId: string | null
  /** Null once it is deleted. */
  watchName: string | null
  /** The change of each balance, in whole credits. */
  changes: {
    poolHeld: number
    poolSettled: number
    paygHeld: number
    paygSettled: number
    paygGranted: number
  }
}

export interface StatementInput extends PageInput {
  accountId: string
}

const cursors = cursorsOf<[entryId: number]>('entries', isPositionNumber)

/**
 * One page of an account's entries, latest first. Entries of an account are numbered in the order in which they are
 * committed, so paging returns each of them exactly once, also while entries are added.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function readStatement(
  executor: Executor,
  { accountId, limit, cursor }: StatementInput,
): Promise<{ entries: StatementEntry[]; hasMore: boolean; cursor: string | null }> {
  let query = executor
    .selectFrom('credit_entries as entry')
    .leftJoin('api_keys as key', 'key.id', 'entry.key_id')
    .leftJoin('watches as watch', 'watch.id', 'entry.watch_id')
    .leftJoin('credit_reservations as reserved', 'reserved.id', 'entry.reservation_id')
    .leftJoin('scrape_jobs as job', 'job.id', 'reserved.job_id')
    .selectAll('entry')
    .select(['key.name as key_name', 'watch.name as watch_name', 'job.topic'])
    .where('entry.account_id', '=', accountId)
  if (cursor !== undefined) query = query.where('entry.id', '<', cursors.decode(cursor)[0])
  const rows = await query
    .orderBy('entry.id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = rows.slice(0, limit)
  const last = page.at(-1)
  const hasMore = rows.length > page.length
  return {
    entries: page.map((row) => ({
      entryId: row.id,
      createdAt: row.created_at.toISOString(),
      month: row.month,
      kind: row.kind,
      operation: row.operation,
      cause: row.cause,
      topic: row.topic,
      pack: row.pack,
      keyId: row.key_id,
      keyName: row.key_name,
      watchId: row.watch_id,
      watchName: row.watch_name,
      changes: {
        poolHeld: row.pool_held_change,
        poolSettled: row.pool_settled_change,
        paygHeld: row.payg_held_change,
        paygSettled: row.payg_settled_change,
        paygGranted: row.payg_granted_change,
      },
    })),
    hasMore,
    cursor: hasMore && last ? cursors.encode([last.id]) : null,
  }
}
