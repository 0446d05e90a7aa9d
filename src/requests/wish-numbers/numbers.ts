import { type RawBuilder, sql } from 'kysely'
import { type PlatformName, type RequestStatus, standings } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { importPlatform } from '../../platforms/registry.ts'
import { standingIn, type View } from '../view.ts'
import { hasSharedNumbers, isSingle, type OwnAsks, wishIdIn } from './membership.ts'

/**
 * The numbers of a wish over its likely members in a view. Imported members count only in `own`; they give status,
 * dates and title only if there are no others.
 */
export interface WishNumbers {
  wishId: string
  requestCount: number
  votes: number
  /** Null if nothing is imported. */
  own: OwnAsks | null
  platforms: PlatformName[]
  /** The first of these that a member has: in progress, planned, open, completed, declined, closed, duplicate. */
  status: RequestStatus | null
  firstAskedAt: Date
  lastAskedAt: Date
  /** The member whose title the wish has. */
  topRequestId: string
}

/** The columns of `wishNumbers`. */
export interface NumbersRow {
  id: string
  requests: number
  votes: number
  own_requests: number
  own_votes: number
  platforms: PlatformName[]
  status: RequestStatus | null
  first_asked_at: Date
  last_asked_at: Date
  top_request_id: string
}

export const numberColumns = sql`requests, votes, own_requests, own_votes, platforms, status, first_asked_at,
  last_asked_at, top_request_id`

/** Whether a wish exists in the view; for rows with `numberColumns`. */
export const isSeen = sql<boolean>`requests + own_requests > 0`

/** The `numberColumns` of a likely request that is a wish by itself. Imported ones have a row of `wishes` instead. */
export const singleColumns = sql`1 as requests, votes::bigint as votes, 0 as own_requests, 0::bigint as own_votes, array[platform] as platforms, status,
  posted_at as first_asked_at, posted_at as last_asked_at`

/** A query for wishes' numbers in a view, without those that have no likely member. @param ids an array of ids */
export function wishNumbers(ids: RawBuilder<unknown>, view: View): RawBuilder<NumbersRow> {
  const shared = sql`
    select id, ${numberColumns} from wishes where id = any(${ids}) and ${isSeen}
    union all
    select request_id, ${singleColumns}, request_id from request_facets
    where request_id = any(${ids}) and standing = ${sql.lit(standings.likely)} and ${isSingle(sql.ref('request_facets.request_id'))}`
  if (view.account === null) return sql<NumbersRow>`${shared}`
  return sql<NumbersRow>`
    select * from (${shared}) as shared where ${hasSharedNumbers(view, sql.ref('shared.id'))}
    union all
    select wish_id, ${numberColumns} from account_wishes
    where account_id = ${view.account}::uuid and wish_id = any(${ids}) and ${isSeen}`
}

/** The numbers of a request in no wish, because it is not likely. */
export const numbersAlone = (platform: string, votes: number): Pick<WishNumbers, 'requestCount' | 'votes' | 'own'> =>
  platform === importPlatform
    ? { requestCount: 0, votes: 0, own: { asks: 1, votes } }
    : { requestCount: 1, votes, own: null }

export const toNumbers = (row: NumbersRow): WishNumbers => ({
  wishId: row.id,
  requestCount: row.requests,
  votes: Number(row.votes),
  own: row.own_requests === 0 ? null : { asks: row.own_requests, votes: Number(row.own_votes) },
  platforms: row.platforms,
  status: row.status,
  firstAskedAt: row.first_asked_at,
  lastAskedAt: row.last_asked_at,
  topRequestId: row.top_request_id,
})

/** Reads the numbers of wishes in a view. A wish without a likely member does not exist there. */
export async function readWishNumbers(
  executor: Executor,
  wishIds: readonly string[],
  view: View,
): Promise<Map<string, WishNumbers>> {
  if (wishIds.length === 0) return new Map()
  const { rows } = await wishNumbers(sql`${wishIds}::uuid[]`, view).execute(executor)
  return new Map(rows.map((row) => [row.id, toNumbers(row)]))
}

/** The wishes of the requests that are likely in the view. */
export async function readWishIds(
  executor: Executor,
  requestIds: readonly string[],
  view: View,
): Promise<Map<string, string>> {
  if (requestIds.length === 0) return new Map()
  const id = sql.ref('requests.id')
  const { rows } = await sql<{ id: string; wish_id: string }>`
    select id, ${wishIdIn(view, id)} as wish_id from requests
    where id = any(${requestIds}::uuid[])
      and ${standingIn(view, { id, standing: sql.ref('requests.standing') })} = 2`.execute(executor)
  return new Map(rows.map(({ id: requestId, wish_id: wishId }) => [requestId, wishId]))
}
