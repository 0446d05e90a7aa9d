import { type RawBuilder, sql } from 'kysely'
import { type Cursors, cursorsOf, isPositionId, isPositionNumber } from '../../http/pagination.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import type { View } from '../../requests/view.ts'
import { membersIn } from '../../requests/wish-numbers/membership.ts'

export const wishOrders = ['votes', 'requests', 'growing', 'new'] as const

export type WishOrder = (typeof wishOrders)[number]

/** A page's end: sort key (votes, requests, votes gained in 7 days, or first ask in microseconds since 1970) and id. */
export type WishPosition = [key: number, id: string]

export const wishCursors = Object.fromEntries(
  wishOrders.map((order) => [order, cursorsOf<WishPosition>(`wishes-${order}`, isPositionNumber, isPositionId)]),
) as Record<WishOrder, Cursors<WishPosition>>

/** The filters of a list of wishes; all given ones must match. Numbers stay those of the whole wish. */
export interface WishFilters extends Omit<RequestFilters, 'view'> {
  marks?: MarkFilter | undefined
}

/** A filter by an account's marks. */
export interface MarkFilter {
  /** Identifies account and marks in keys of shared reads. */
  key: string
  /** @param wishId as the query names it */
  conditions(wishId: RawBuilder<unknown>): RawBuilder<boolean>[]
  /** A query for the column `id` of matching wishes; null if the filter leaves unmarked ones. */
  wishIds: RawBuilder<{ id: string }> | null
}

/** One likely member must match all of these. */
function memberCondition({ topic, tags, products }: WishFilters, view: View): RawBuilder<unknown>[] {
  const conditions = [
    ...(tags && tags.length > 0 ? [sql`member.tags @> ${tags}::text[]`] : []),
    ...(products ? [sql`member.product = any(${products}::text[])`] : []),
    ...(topic === undefined
      ? []
      : [
          sql`exists (select from request_topics
            where request_topics.request_id = member.request_id and topic_key = ${topicKey(topic)})`,
        ]),
  ]
  if (conditions.length === 0) return []
  return [
    sql`exists (select from (${membersIn(view, sql.ref('wish.id'))}) as member
      where ${sql.join(conditions, sql` and `)})`,
  ]
}

/** The conditions on a row `wish` with a wish's numbers; empty if nothing is filtered. */
export const wishConditions = (filters: WishFilters, view: View): RawBuilder<unknown>[] => {
  const { platforms, minVotes, since, until, status, marks } = filters
  return [
    ...(platforms ? [sql`wish.platforms && ${platforms}::text[]`] : []),
    ...(minVotes === undefined ? [] : [sql`wish.votes >= ${minVotes}::bigint`]),
    ...(since ? [sql`wish.last_asked_at >= ${since}::timestamptz`] : []),
    ...(until ? [sql`wish.first_asked_at < ${until}::timestamptz`] : []),
    ...(status ? [sql`wish.status = any(${status}::text[])`] : []),
    ...(marks?.conditions(sql.ref('wish.id')) ?? []),
    ...memberCondition(filters, view),
  ]
}
