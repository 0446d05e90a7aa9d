import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'
import { hashIdentity, type Identity } from '../store/identity.ts'
import type { WishChanges } from '../wishes/recount.ts'
import { deletePurgedWatchRequests } from './purged-watch-requests.ts'
import { deletePurgedWishCorrections } from './purged-wish-corrections.ts'

/**
 * Deletes what accounts and the operator said about purged requests, and what watches know of them: without it their corrections would wait for a request that must not
 * come again. Corrections of requests that are still stored stay. To be called after the requests are deleted, by a transaction that took the lock
 * `memberships` before the locks of requests.
 * @returns what the transaction gives to `recount` at its end.
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
