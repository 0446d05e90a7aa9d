import { sql } from 'kysely'
import type { PlatformName, RequestStatus } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { standingIn, type View } from '../views/view.ts'
import { isSingle, wishIdIn } from './membership.ts'

/** The numbers of a wish in a view: those of its likely members. */
export interface WishNumbers {
  wishId: string
  requestCount: number
  votes: number
  /** In alphabetical order. */
  platforms: PlatformName[]
  status: RequestStatus | null
  firstAskedAt: Date
  lastAskedAt: Date
  /** The member whose title is that of the wish. */
  topRequestId: string
}

interface NumbersRow {
  wish_id: string
  requests: number
  votes: number
  platforms: PlatformName[]
  status: RequestStatus | null
  first_asked_at: Date
  last_asked_at: Date
  top_request_id: string
}

/**
 * The numbers of some wishes in a view. Wishes without a likely member in the view are left out: they do not exist there.
 */
export async function readWishNumbers(
  executor: Executor,
  wishIds: readonly string[],
  view: View,
): Promise<Map<string, WishNumbers>> {
  if (wishIds.length === 0) return new Map()
  const own =
    view.account === null
      ? sql`select null::uuid as wish_id where false`
      : sql`select * from account_wishes where account_id = ${view.account}::uuid and wish_id = any(${wishIds}::uuid[])`
  const columns = sql`wish_id, requests, votes, platforms, status, first_asked_at, last_asked_at, top_request_id`
  const { rows } = await sql<NumbersRow>`
    with own as materialized (${own}),
    shared as (
      select id as wish_id, requests, votes, platforms, status, first_asked_at, last_asked_at, top_request_id
      from wishes where id = any(${wishIds}::uuid[])
      union all
      select request_id, 1, votes, array[platform], status, posted_at, posted_at, request_id
      from request_facets where request_id = any(${wishIds}::uuid[]) and standing = 2 and ${isSingle(sql.ref('request_facets.request_id'))}
    )
    select ${columns} from shared where not exists (select from own where own.wish_id = shared.wish_id) and requests > 0
    ${view.account === null ? sql`` : sql`union all select ${columns} from own where requests > 0`}`.execute(executor)
  return new Map(
    rows.map((row) => [
      row.wish_id,
      {
        wishId: row.wish_id,
        requestCount: row.requests,
        votes: Number(row.votes),
        platforms: row.platforms,
        status: row.status,
        firstAskedAt: row.first_asked_at,
        lastAskedAt: row.last_asked_at,
        topRequestId: row.top_request_id,
      },
    ]),
  )
}

/** The wish of each request that is likely in the view; the others are left out. */
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
