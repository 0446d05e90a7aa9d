import { sql } from 'kysely'
import type { ReadersOfRequest } from './fan-out.ts'

/**
 * The accounts that marked the wish of a request, shared or in their own view, unless they ignore it.
 * @see src/requests/wishes/membership.ts for the wish of a request in a view.
 */
export const readMarkersOf: ReadersOfRequest = async (executor, requestId) => {
  const { rows } = await sql<{ account_id: string }>`
    with shared as materialized (
      select coalesce((select wish_id from wish_members where request_id = ${requestId}), ${requestId}::uuid) as id
    ), marked as (
      select mark.account_id, mark.mark, mark.starred from wish_marks as mark join shared on shared.id = mark.wish_id
      union all
      select mark.account_id, mark.mark, mark.starred from account_wish_members as own
        join wish_marks as mark on mark.account_id = own.account_id and mark.wish_id = own.wish_id
        where own.request_id = ${requestId}
      union all
      select mark.account_id, mark.mark, mark.starred from account_wish_merges as merge join shared on shared.id = merge.wish_id
        join wish_marks as mark on mark.account_id = merge.account_id and mark.wish_id = merge.into_wish_id
    )
    select distinct account_id from marked where starred or mark is distinct from 'ignored'`.execute(executor)
  return rows.map(({ account_id }) => account_id)
}

/** The accounts that any of some functions find, each once. */
export const anyReaders =
  (...readers: readonly ReadersOfRequest[]): ReadersOfRequest =>
  async (executor, requestId) => {
    const found = new Set<string>()
    for (const read of readers) for (const accountId of await read(executor, requestId)) found.add(accountId)
    return [...found]
  }
