import { type RawBuilder, sql } from 'kysely'
import { requestColumns, standingIn, type View } from '../views/view.ts'
import { wishIdIn } from './membership.ts'

/** The wish of a request, with its numbers: those of `readWishNumbers`. */
export interface WishOfRequest {
  wishId: string
  requestCount: number
  votes: number
}

const toJson = (id: RawBuilder<unknown>, requests: RawBuilder<unknown>, votes: RawBuilder<unknown>) =>
  sql`json_build_object('wishId', ${id}, 'requestCount', ${requests}, 'votes', ${votes})`

/** A wish by itself, without a row. */
const alone = toJson(sql`requests.id`, sql`1`, sql`requests.votes`)

const sharedNumbers = (wishId: RawBuilder<unknown>) => sql`(
  select ${toJson(sql`wishes.id`, sql`wishes.requests`, sql`wishes.votes`)}
  from wishes where wishes.id = ${wishId} and wishes.requests > 0)`

/**
 * For a query over `requests`: the wish of the row in a view, as JSON; null for a request that is not likely in the view. In the same
 * statement as the row, so that both are of one moment.
 */
export function wishColumn(view: View): RawBuilder<WishOfRequest | null> {
  const { account } = view
  const ownNumbers =
    account === null
      ? sql`null::json`
      : sql`(
          select ${toJson(sql`own.wish_id`, sql`own.requests`, sql`own.votes`)} from account_wishes as own
          where own.account_id = ${account}::uuid and own.wish_id = placed.wish_id)`
  const wish = sql`(
    select coalesce(${ownNumbers}, ${sharedNumbers(sql`placed.wish_id`)}, ${alone})
    from (select ${wishIdIn(view, requestColumns.id)} as wish_id offset 0) as placed)`
  return sql<WishOfRequest | null>`case when ${standingIn(view, requestColumns)} = 2 then ${wish} end`
}
