import { type RawBuilder, sql } from 'kysely'
import type { View } from '../views/view.ts'

/** The wish of a request in the shared view. @param id the id of the request, as the query names it. */
const sharedWishId = (id: RawBuilder<unknown>): RawBuilder<string> =>
  sql<string>`coalesce((select member.wish_id from wish_members as member where member.request_id = ${id}), ${id})`

/** The wish of a request in a view. @param id the id of the request, as the query names it. */
export const wishIdIn = ({ account }: View, id: RawBuilder<unknown>): RawBuilder<string> =>
  account === null
    ? sharedWishId(id)
    : sql<string>`coalesce(
        (select own.wish_id from account_wish_members as own
          where own.account_id = ${account}::uuid and own.request_id = ${id}),
        (select merge.into_wish_id from account_wish_merges as merge
          where merge.account_id = ${account}::uuid and merge.wish_id = ${sharedWishId(id)}),
        ${sharedWishId(id)})`

/** Whether a request is a wish by itself in the shared view: no row of `wishes` has its numbers. */
export const isSingle = (id: RawBuilder<unknown>): RawBuilder<boolean> =>
  sql<boolean>`(not exists (select from wish_members where wish_members.request_id = ${id})
    and not exists (select from wishes where wishes.id = ${id}))`
