import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { isId } from '../../http/ids.ts'
import { lockRequestsOf } from '../../requests/store/request-locks.ts'

/**
 * Locks what a correction of these wishes may move: the requests of all wishes that merges and earlier corrections connect with them, so that no
 * page changes one of them meanwhile; and that nothing else changes a membership until the transaction ends. To be called before
 * the members are read.
 *
 * A correction also derives anew what it does not move: what corrections put beside its requests in the view of an account. Those requests
 * are not locked here. No page, placing, mark or other correction can change their membership, since all of these take `memberships`, so they are
 * written as they are; only a deletion can pass, and what is written waits for it (`apply.ts`).
 * @param accountId null for the operator, whose corrections may move the requests of any account's wishes.
 */
export async function lockWishes(
  transaction: Transaction,
  accountId: string | null,
  wishIds: readonly string[],
): Promise<void> {
  await takeLock(transaction, 'memberships')
  const ids = wishIds.filter(isId)
  const concerns = accountId === null ? sql`true` : sql`(account_id is null or account_id = ${accountId}::uuid)`
  const holds = sql`kind = 'merge' and undone_at is null and ${concerns}`
  await lockRequestsOf(
    transaction,
    sql`with recursive connected (id) as (
        select unnest(${ids}::uuid[])
        union
        select neighbour.id from connected, lateral (
          select to_wish_id as id from wish_corrections where from_wish_id = connected.id and ${holds}
          union all
          select from_wish_id from wish_corrections where to_wish_id = connected.id and ${holds}
          union all
          select wish_id from wish_placings where ${concerns} and source_hash in (
            select source_hash from wish_placings as here where here.wish_id = connected.id)
        ) as neighbour
      )
      select id from connected
      union select request_id from wish_members join connected on connected.id = wish_id
      union select request_id from wish_placings join connected on connected.id = wish_id`,
  )
}
