import { sql } from 'kysely'
import { Type } from 'typebox'
import type { PlatformName, Standing } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { notFound, ServiceError } from '../http/errors.ts'
import { isId } from '../http/ids.ts'
import { closed } from '../http/schemas.ts'
import { correctionHash } from '../requests/store/standings.ts'
import { isShown, requestColumns, standingIn, type View } from '../requests/view.ts'
import { wishIdIn } from '../requests/wish-numbers/membership.ts'

export const wishPath = closed({ wishId: Type.String() })

/** The most members of a wish that can be merged or split: a correction writes a row for each. */
export const maxMembers = 1_000

export interface Member {
  id: string
  /** The hash of its id on its platform, by which corrections are stored. */
  sourceHash: string
  standing: Standing
}

interface MemberRow {
  id: string
  platform: PlatformName
  source_id: string
  standing: Standing
}

const sharedWishes = (account: string | null, wishId: string) =>
  account === null
    ? sql`select ${wishId}::uuid as id`
    : sql`select ${wishId}::uuid as id
        union select wish_id from account_wish_merges where account_id = ${account}::uuid and into_wish_id = ${wishId}`

const ownMembers = (account: string | null, wishId: string) =>
  account === null
    ? sql``
    : sql`union select request_id from account_wish_members where account_id = ${account}::uuid and wish_id = ${wishId}`

/** A superset of the requests that may be members of a wish in the view, as `candidates` with their ids. */
const candidates = (account: string | null, wishId: string) => sql`
  shared as (${sharedWishes(account, wishId)}), candidates as (
    select request_id as id from wish_members join shared on shared.id = wish_members.wish_id
    union select id from shared ${ownMembers(account, wishId)}
  )`

/** Whether a wish has a likely request in the view. */
export async function isWishSeen(executor: Executor, accountId: string | null, wishId: string): Promise<boolean> {
  if (!isId(wishId)) return false
  const view: View = { account: accountId, least: 2 }
  const { rows } = await sql`
    with ${candidates(accountId, wishId)}
    select from candidates join requests using (id)
    where ${isShown(view, requestColumns)} and ${wishIdIn(view, requestColumns.id)} = ${wishId}::uuid limit 1`.execute(
    executor,
  )
  return rows.length > 0
}

/**
 * The requests of a wish in a view, of every class the account may see, likely and most voted first. Includes unlisted
 * requests for the operator.
 * @param isCapped whether the first `maxMembers` of a larger wish are enough
 * @throws ServiceError NOT_FOUND if no request is likely in the view; CONFLICT for more than `maxMembers`.
 */
export async function readMembers(
  executor: Executor,
  accountId: string | null,
  wishId: string,
  { isCapped = false } = {},
): Promise<Member[]> {
  if (!isId(wishId)) throw notFound('Wish')
  const view: View = { account: accountId, least: 0 }
  const standing = standingIn(view, requestColumns)
  const isSeen = accountId === null ? sql`true` : sql`${standing} >= 0`
  const { rows } = await sql<MemberRow>`
    with ${candidates(accountId, wishId)}
    select requests.id, platform, source_id, ${standing} as standing from candidates join requests using (id)
    where ${isSeen} and ${wishIdIn(view, requestColumns.id)} = ${wishId}::uuid
    order by ${standing} desc, votes desc, requests.id limit ${maxMembers + 1}`.execute(executor)
  if (rows[0]?.standing !== 2) throw notFound('Wish')
  if (rows.length > maxMembers && !isCapped) {
    const maximum = maxMembers.toLocaleString('en-US')
    throw new ServiceError('CONFLICT', `Only wishes of up to ${maximum} requests can be merged or split.`)
  }
  return rows.slice(0, maxMembers).map(({ id, platform, source_id, standing: own }) => ({
    id,
    sourceHash: correctionHash(platform, source_id),
    standing: own,
  }))
}
