import { type RawBuilder, sql } from 'kysely'
import { requestColumns, standingIn, type View } from '../view.ts'

/** The imported requests of a wish: what the caller's own people ask for, including the operator's imports. */
export interface OwnAsks {
  asks: number
  votes: number
  /** How many people asked; only if the wish's voices are read, too. */
  voices?: number
}

/** A request's wish, with its numbers (`readWishNumbers`). */
export interface WishOfRequest {
  wishId: string
  requestCount: number
  votes: number
  own: OwnAsks | null
}

const alone = sql`json_build_object('wishId', requests.id, 'requestCount', 1, 'votes', requests.votes, 'own', null)`

const rowAsJson = (row: string, id: string) => {
  const column = (name: string) => sql.ref(`${row}.${name}`)
  return sql`json_build_object('wishId', ${column(id)}, 'requestCount', ${column('requests')}, 'votes', ${column('votes')},
    'own', case when ${column('own_requests')} > 0
      then json_build_object('asks', ${column('own_requests')}, 'votes', ${column('own_votes')}) end)`
}

const sharedNumbers = (wishId: RawBuilder<unknown>) => sql`(
  select ${rowAsJson('wishes', 'id')}
  from wishes where wishes.id = ${wishId} and wishes.requests + wishes.own_requests > 0)`

/** SQL: the wish of the row in a view, as JSON; null if not likely there. Read with the row: one snapshot. */
export function wishColumn(view: View): RawBuilder<WishOfRequest | null> {
  const { account } = view
  const ownNumbers =
    account === null
      ? sql`null::json`
      : sql`(
          select ${rowAsJson('own', 'wish_id')} from account_wishes as own
          where own.account_id = ${account}::uuid and own.wish_id = placed.wish_id)`
  const wish = sql`(
    select coalesce(${ownNumbers}, ${sharedNumbers(sql`placed.wish_id`)}, ${alone})
    from (select ${wishIdIn(view, requestColumns.id)} as wish_id offset 0) as placed)`
  return sql<WishOfRequest | null>`case when ${standingIn(view, requestColumns)} = 2 then ${wish} end`
}

/** SQL: the wish of a request in the shared view. @param id the request id, as the query names it */
const sharedWishId = (id: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`coalesce((select member.wish_id from wish_members as member where member.request_id = ${id}), ${id})`

/** SQL: the wish of a request in a view. @param id the request id, as the query names it */
export const wishIdIn = ({ account }: View, id: RawBuilder<unknown>): RawBuilder<string> =>
  account === null
    ? sharedWishId(id)
    : sql<string>`coalesce(
        (select own.wish_id from account_wish_members as own
          where own.account_id = ${account}::uuid and own.request_id = ${id}),
        (select merge.into_wish_id from account_wish_merges as merge
          where merge.account_id = ${account}::uuid and merge.wish_id = ${sharedWishId(id)}),
        ${sharedWishId(id)})`

/** SQL: whether a request is a wish by itself for all. `not exists` might make the planner scan a whole table. */
export const isSingle = (id: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`((select wish_id from wish_members where wish_members.request_id = ${id}) is null
    and (select wishes.id from wishes where wishes.id = ${id}) is null)`

/** Whether the view's numbers of a wish are the shared ones. */
export const hasSharedNumbers = ({ account }: View, wishId: RawBuilder<unknown>): RawBuilder<boolean> =>
  account === null
    ? sql<boolean>`true`
    : sql<boolean>`((select own.wish_id from account_wishes as own
        where own.account_id = ${account}::uuid and own.wish_id = ${wishId}) is null)`

const sharedMembers = (wishId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select request_id from wish_members where wish_members.wish_id = ${wishId}
  union all
  select request_id from request_facets where request_facets.request_id = ${wishId}
    and not exists (select from wish_members where wish_members.request_id = ${wishId})`

/** A query for the members of a wish of any class, as `request_id`. @param wishId as the query names it */
export function allMembers(account: string | null, wishId: RawBuilder<unknown>): RawBuilder<unknown> {
  if (account === null) return sharedMembers(wishId)
  const own = sql`${account}::uuid`
  return sql`
    select request_id from account_wish_members where account_id = ${own} and wish_id = ${wishId}
    union all
    select request_id from (
      select ${wishId} as source_id
        where not exists (select from account_wish_merges where account_id = ${own} and wish_id = ${wishId})
      union
      select wish_id from account_wish_merges where account_id = ${own} and into_wish_id = ${wishId}
    ) as source cross join lateral (${sharedMembers(sql.ref('source.source_id'))}) as shared
    where not exists (select from account_wish_members as placed
      where placed.account_id = ${own} and placed.request_id = shared.request_id)`
}

/** The likely members of a wish in a view, as rows of `request_facets`. @param wishId as the query names it */
export const membersIn = (view: View, wishId: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select facet.* from (${allMembers(view.account, wishId)}) as member
    cross join lateral (
      select * from request_facets where request_facets.request_id = member.request_id offset 0
    ) as facet
  where ${standingIn(view, { id: sql.ref('facet.request_id'), standing: sql.ref('facet.standing') })} = 2`
