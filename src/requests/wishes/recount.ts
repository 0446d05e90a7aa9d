import { sql } from 'kysely'
import { takeAccountWishesLock } from '../../database/advisory-locks.ts'
import type { Transaction } from '../../database/open.ts'

/** A wish as an account sees it, or saw it. */
export interface OwnWish {
  accountId: string
  wishId: string
}

/** What a transaction changed in what the numbers of wishes follow from. */
export interface WishChanges {
  /** Requests whose numbers, standing, view or wish changed: the wishes that they are in now are counted. */
  requests?: readonly string[]
  /** Wishes that requests left. */
  left?: readonly string[]
  /** Wishes whose requests an account put there, or took away. */
  own?: readonly OwnWish[]
}

/**
 * Counts the wishes again that a transaction changed, for all and for accounts. It must be the last that a transaction locks: it locks the wishes in the
 * order of their ids and then the accounts, and others wait for them until the commit (decision 052).
 */
export async function recount(transaction: Transaction, ...changes: readonly WishChanges[]): Promise<void> {
  const requests = [...new Set(changes.flatMap((change) => change.requests ?? []))]
  const left = [...new Set(changes.flatMap((change) => change.left ?? []))]
  const own = changes.flatMap((change) => change.own ?? [])
  if (requests.length === 0 && left.length === 0 && own.length === 0) return
  await sql`
    select recount_wishes(${requests}::uuid[], ${left}::uuid[], ${own.map(({ accountId }) => accountId)}::uuid[],
      ${own.map(({ wishId }) => wishId)}::uuid[])`.execute(transaction)
}

/**
 * Deletes the numbers of an account that has no view of its own any more. Called last, like `recount`: who was counting its wishes has ended then, and
 * who counts them later finds nothing that differs.
 */
export async function forgetOwnWishes(transaction: Transaction, accountId: string): Promise<void> {
  await takeAccountWishesLock(transaction, accountId)
  await sql`delete from account_wishes where account_id = ${accountId}`.execute(transaction)
}
