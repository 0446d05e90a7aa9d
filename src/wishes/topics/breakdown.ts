import { sql } from 'kysely'
import type { RequestStatus } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { standingIn, type View } from '../../requests/view.ts'

/** Breakdowns of a topic's likely requests; of the most voted if there are more than `maxCounted`. */
export interface Breakdown {
  /** By descending number of requests. Together with unknown ones they are all that were counted. */
  statuses: { status: RequestStatus; requests: number; votes: number }[]
  statusUnknown: { requests: number; votes: number }
  /** Up to 20, most voted first. */
  products: { product: string; requests: number; votes: number }[]
  /** The most voted request and its share of all votes, 0 to 1; null without votes. */
  largest: { requestId: string; votes: number; share: number } | null
  /** How many were counted: all, except for very large topics. */
  counted: number
}

/** Requests counted per topic, about 10 µs each. */
const maxCounted = 10_000
const maxProducts = 20

interface Row {
  kind: 'status' | 'unknown' | 'product'
  value: string
  requests: number
  votes: number
}

/** Counts a topic's likely requests by status and product. @param votes of all of them together */
export async function readBreakdown(
  executor: Executor,
  key: string,
  { view, votes: all }: { view: View; votes: number },
): Promise<Breakdown> {
  const link = { id: sql.ref('link.request_id'), standing: sql.ref('link.standing') }
  const { rows } = await sql<Row & { largest: { requestId: string; votes: number } | null; counted: number }>`
    with likely as materialized (
      select link.request_id, link.votes from request_topics as link
      where topic_key = ${key} and ${standingIn(view, link)} = 2
      order by link.votes desc, link.request_id desc limit ${sql.lit(maxCounted)}
    ),
    placed as materialized (
      select facet.status, facet.product, likely.votes from likely cross join lateral (
        select status, product from request_facets where request_facets.request_id = likely.request_id offset 0
      ) as facet
    ),
    parts as (
      select case when status is null then 'unknown' else 'status' end as kind, status as value, count(*)::integer as requests, sum(votes)::float8 as votes
      from placed group by status
      union all
      select * from (
        select 'product', product, count(*)::integer, sum(votes)::float8 as votes
        from placed where product is not null group by product order by 4 desc, 3 desc, 2 limit ${sql.lit(maxProducts)}
      ) as products
    )
    select parts.*, (select count(*)::integer from likely) as counted,
      (select json_build_object('requestId', request_id, 'votes', votes) from likely limit 1) as largest
    from (select) as one left join parts on true`.execute(executor)
  const largest = rows[0]?.largest ?? null
  const ofKind = (kind: Row['kind']) => rows.filter((row) => row.kind === kind)
  const { requests = 0, votes = 0 } = ofKind('unknown')[0] ?? {}
  return {
    statusUnknown: { requests, votes },
    statuses: ofKind('status')
      .map(({ value, requests, votes }) => ({ status: value as RequestStatus, requests, votes }))
      .sort((a, b) => b.requests - a.requests || (a.status < b.status ? -1 : 1)),
    products: ofKind('product').map(({ value, requests, votes }) => ({ product: value, requests, votes })),
    largest:
      largest === null || largest.votes <= 0
        ? null
        : { ...largest, share: Math.min(1, largest.votes / Math.max(all, largest.votes)) },
    counted: rows[0]?.counted ?? 0,
  }
}
