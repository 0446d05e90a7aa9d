import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'

/**
 * Puts requests that are stored again where corrections said that they belong (`wish_placings`). What the operator said decides the shared wish; an account
 * needs a row of its own for a split, and for a merge where the shared wish does not lead to the right one.
 * @param fresh the ids of new requests, by the hash that corrections have of them.
 */
export async function placeAgain(transaction: Transaction, fresh: ReadonlyMap<string, string>): Promise<void> {
  const hashes = [...fresh.keys()]
  const named = sql`source_hash = any(${hashes}::text[])`
  const { rows } = await sql`select from wish_placings where ${named} limit 1`.execute(transaction)
  if (rows.length === 0) return
  // Nothing else may change a membership now. A page that knew of the corrections has the lock already.
  await takeLock(transaction, 'memberships')
  await sql`
    update wish_placings set request_id = fresh.id
    from unnest(${hashes}::text[], ${[...fresh.values()]}::uuid[]) as fresh (hash, id) where source_hash = fresh.hash`.execute(
    transaction,
  )
  await sql`
    insert into wishes (id)
    select distinct wish_id from wish_placings where ${named} and account_id is null order by 1
    on conflict do nothing`.execute(transaction)
  await sql`
    insert into wish_members (request_id, wish_id, is_core)
    select requests.id, placed.wish_id,
      row_number() over (partition by placed.wish_id order by requests.standing desc, requests.votes desc, requests.id) = 1
        and not exists (select from wish_members as core where core.wish_id = placed.wish_id and core.is_core)
    from wish_placings as placed join requests on requests.id = placed.request_id
    where ${named} and account_id is null
    on conflict do nothing`.execute(transaction)
  await sql`
    insert into account_wish_members (account_id, request_id, wish_id, correction_id)
    select placed.account_id, placed.request_id, placed.wish_id, placed.correction_id
    from wish_placings as placed left join wish_members as member on member.request_id = placed.request_id
    left join account_wish_merges as merged
      on merged.account_id = placed.account_id and merged.wish_id = coalesce(member.wish_id, placed.request_id)
    where ${named} and placed.account_id is not null
      and (placed.is_split or placed.wish_id <> coalesce(merged.into_wish_id, member.wish_id, placed.request_id))
    on conflict do nothing`.execute(transaction)
}
