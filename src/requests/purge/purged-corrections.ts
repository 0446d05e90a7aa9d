import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { hashIdentity, type Identity } from '../identity.ts'
import type { OwnWish, WishChanges } from '../wish-numbers/recount.ts'

type PurgedRequest = Identity & { platform: string }

async function readGone(transaction: Transaction, requests: readonly PurgedRequest[]): Promise<string[]> {
  const { rows } = await sql<{ platform: string; value: string }>`
    select platform, value from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as purged (platform text, value text)
    where not exists (select from requests where requests.platform = purged.platform and source_id = value)`.execute(
    transaction,
  )
  return rows.map(({ platform, value }) => hashIdentity(platform, { kind: 'id', value }))
}

/** Deletes purged requests from wish corrections. Needs the lock `memberships`. @returns input for `recount`. */
async function deletePurgedWishCorrections(
  transaction: Transaction,
  requests: readonly PurgedRequest[],
): Promise<WishChanges> {
  const hashes = await readGone(transaction, requests)
  if (hashes.length === 0) return {}
  await sql`delete from wish_placings where source_hash = any(${hashes}::text[])`.execute(transaction)
  const { rows } = await sql<{ id: string }>`
    with moves as (
      delete from wish_moves where source_hash = any(${hashes}::text[]) returning correction_id
    ), partings as (
      delete from wish_partings where one_hash = any(${hashes}::text[]) or other_hash = any(${hashes}::text[])
      returning correction_id
    )
    select correction_id as id from moves union select correction_id from partings`.execute(transaction)
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return {}
  const { rows: own } = await sql<OwnWish>`
    with removed as (
      delete from wish_corrections as correction where id = any(${ids}::uuid[])
        and not exists (select from wish_moves where correction_id = correction.id)
        and not exists (select from wish_partings where correction_id = correction.id)
      returning id, account_id
    ), merges as (
      delete from account_wish_merges using removed where correction_id = removed.id
      returning account_wish_merges.account_id, wish_id, into_wish_id
    ), counted as (
      select account_id, count(*)::integer as removed from removed where account_id is not null group by 1
    ), lowered as (
      update accounts set corrections = corrections - counted.removed from counted
      where accounts.id = counted.account_id
    )
    select account_id as "accountId", unnest(array[wish_id, into_wish_id]) as "wishId" from merges`.execute(transaction)
  return { own }
}

/** Deletes what watches know of deleted requests, locking rows in the usual order. */
async function deletePurgedWatchRequests(transaction: Transaction, hashes: readonly string[]): Promise<void> {
  await sql`
    with known as materialized (
      select watch_id, source_hash from watch_requests as known where source_hash = any(${[...hashes]}::text[])
        and not exists (select from requests where requests.id = known.request_id)
      order by watch_id, source_hash for update of known
    )
    delete from watch_requests using known
    where watch_requests.watch_id = known.watch_id and watch_requests.source_hash = known.source_hash`.execute(
    transaction,
  )
}

/**
 * Deletes corrections of purged requests, and what watches know of them. Call after deleting the requests, in a
 * transaction that took the lock `memberships` before locking requests.
 * @returns the changes for the transaction's `recount`.
 */
export async function deletePurgedCorrections(
  transaction: Transaction,
  identities: readonly (Identity & { platform: string })[],
): Promise<WishChanges> {
  const named = identities.filter(({ kind }) => kind === 'id')
  if (named.length === 0) return {}
  await takeLock(transaction, 'memberships')
  const hashes = named.map((identity) => hashIdentity(identity.platform, identity))
  await deleteCorrectionsOfRequests(transaction, hashes)
  const wishes = await deletePurgedWishCorrections(transaction, named)
  await deletePurgedWatchRequests(transaction, hashes)
  return wishes
}

async function deleteCorrectionsOfRequests(transaction: Transaction, hashes: readonly string[]): Promise<void> {
  await sql`
    with drawn as materialized (
      select source_hash, account_id from label_draws where source_hash = any(${hashes}::text[])
        and not exists (select from requests where requests.id = request_id)
      order by source_hash, account_id for update
    )
    delete from label_draws using drawn
    where label_draws.source_hash = drawn.source_hash and label_draws.account_id is not distinct from drawn.account_id`.execute(
    transaction,
  )
  await sql`
    with removed as (
      delete from request_corrections where source_hash = any(${hashes}::text[])
        and not exists (select from requests where requests.id = request_id)
      returning account_id
    ), counted as (
      select account_id, count(*)::integer as removed from removed where account_id is not null group by 1
    ), owners as materialized (
      select id from accounts where id in (select account_id from counted) order by id for no key update
    )
    update accounts set corrections = corrections - counted.removed from counted join owners on owners.id = counted.account_id
    where accounts.id = counted.account_id`.execute(transaction)
}
