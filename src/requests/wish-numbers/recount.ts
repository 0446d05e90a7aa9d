import { sql } from 'kysely'
import { takeAccountWishesLock, takeLock } from '../../database/advisory-locks.ts'
import { noClaim } from '../../database/claimed-work.ts'
import { standings } from '../../database/column-types.ts'
import type { Transaction } from '../../database/open.ts'

/**
 * Puts stored-again requests back where corrections placed them (`wish_placings`). The operator's placing sets the
 * shared wish; an account needs a row for a split, or for a merge that the shared wish does not lead to.
 * @param fresh the ids of new requests, by correction hash
 * @returns the ids of requests that had a placing
 */
export async function placeAgain(transaction: Transaction, fresh: ReadonlyMap<string, string>): Promise<string[]> {
  const hashes = [...fresh.keys()]
  const named = sql`source_hash = any(${hashes}::text[])`
  const { rows } = await sql<{ hash: string }>`
    select distinct source_hash as hash from wish_placings where ${named}`.execute(transaction)
  if (rows.length === 0) return []
  // Keeps other changes of memberships out. A page that found corrections already holds the lock.
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
  return rows.flatMap(({ hash }) => fresh.get(hash) ?? [])
}

/**
 * Queues, in order, requests to place: in no wish, likely for anyone, with a text. Queuing again drops the claim, whose
 * data is stale. `offset 0` keeps the planner from hashing whole tables.
 */
export const insertQueued = (ids: readonly string[]) => sql`
  insert into wish_queue (request_id)
  select id from requests
  where id = any(${[...ids]}::uuid[]) and not exists (select from wish_members where wish_members.request_id = id)
    and (standing = ${sql.lit(standings.likely)} or exists (
      select from account_requests as own where own.request_id = id and own.standing = ${sql.lit(standings.likely)} offset 0))
    and exists (select from request_texts where request_texts.request_id = id offset 0)
  order by array_position(${[...ids]}::uuid[], id)
  on conflict (request_id) do update set position = excluded.position, ${noClaim}`

/** Queues requests whose text changed or that became likely, in the transaction of the change. */
export async function queuePlacing(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertQueued(ids).execute(transaction)
}

/** A wish as an account sees it, or saw it. */
export interface OwnWish {
  accountId: string
  wishId: string
}

/** What a transaction changed that wish numbers depend on. */
export interface WishChanges {
  /** Requests whose numbers, standing, view or wish changed: their current wishes are recounted. */
  requests?: readonly string[]
  /** Newly stored unlisted requests, which are in no wish yet. */
  fresh?: readonly string[]
  /** Wishes that lost requests. */
  left?: readonly string[]
  /** Wishes to which an account moved requests, or from which it took them. */
  own?: readonly OwnWish[]
}

/** Bulk `wish_numbers` for fresh requests: each is a wish by itself for accounts that see it as likely. */
async function countFresh(transaction: Transaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`
    insert into account_wishes (account_id, wish_id, requests, votes, own_requests, own_votes, platforms, first_asked_at, last_asked_at, status,
      top_request_id)
    select account_id, request_id, is_public::integer, votes * is_public::integer, 1 - is_public::integer,
      votes * (1 - is_public::integer), array[platform], posted_at, posted_at, status, request_id
    from (select *, platform <> 'import' as is_public from request_facets where request_id = any(${[...ids]}::uuid[])) as facet
      join account_requests as own using (request_id)
    where own.standing = ${sql.lit(standings.likely)} order by account_id, request_id`.execute(transaction)
}

/** Recounts changed wishes. Must take the transaction's last locks: wishes by id, then accounts (decision 052). */
export async function recount(transaction: Transaction, ...changes: readonly WishChanges[]): Promise<void> {
  const requests = [...new Set(changes.flatMap((change) => change.requests ?? []))]
  const left = [...new Set(changes.flatMap((change) => change.left ?? []))]
  const own = changes.flatMap((change) => change.own ?? [])
  await countFresh(
    transaction,
    changes.flatMap((change) => change.fresh ?? []),
  )
  if (requests.length === 0 && left.length === 0 && own.length === 0) return
  await sql`
    select recount_wishes(${requests}::uuid[], ${left}::uuid[], ${own.map(({ accountId }) => accountId)}::uuid[],
      ${own.map(({ wishId }) => wishId)}::uuid[])`.execute(transaction)
}

/** Deletes the numbers of an account without its own view. Call last, like `recount`, to wait for others' counts. */
export async function forgetOwnWishes(transaction: Transaction, accountId: string): Promise<void> {
  await takeAccountWishesLock(transaction, accountId)
  await sql`delete from account_wishes where account_id = ${accountId}`.execute(transaction)
}
