import { type RawBuilder, sql } from 'kysely'
import { topicKey } from '../../platforms/topic-words.ts'
import type { RequestFilters } from './filters.ts'

type Condition = RawBuilder<boolean>

/** How a query names a filtered column. `request_topics` has all of them except `status` and `product`. */
type ColumnName = (column: 'platform' | 'tags' | 'votes' | 'posted_at' | 'status' | 'product') => RawBuilder<unknown>

const unqualified: ColumnName = (column) => sql.ref(column)
/** The tables that can be filtered, with their column of the request id. */
const idColumns = {
  requests: 'requests.id',
  request_facets: 'request_facets.request_id',
  searchable_requests: 'searchable_requests.request_id',
} as const

/** The conjunction of conditions; true if there are none. */
export const all = (conditions: readonly RawBuilder<unknown>[]): Condition =>
  conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`

export const platformCondition = ({ platforms }: RequestFilters, name = unqualified): Condition[] =>
  platforms ? [sql`${name('platform')} = any(${platforms}::text[])`] : []

export const tagCondition = ({ tags }: RequestFilters, name = unqualified): Condition[] =>
  tags && tags.length > 0 ? [sql`${name('tags')} @> ${tags}::text[]`] : []

export const voteCondition = ({ minVotes }: RequestFilters, name = unqualified): Condition[] =>
  minVotes === undefined ? [] : [sql`${name('votes')} >= ${minVotes}::bigint`]

export const dateConditions = ({ since, until }: RequestFilters, name = unqualified): Condition[] => [
  ...(since ? [sql<boolean>`${name('posted_at')} >= ${since}::timestamptz`] : []),
  ...(until ? [sql<boolean>`${name('posted_at')} < ${until}::timestamptz`] : []),
]

export const statusCondition = ({ status }: RequestFilters, name = unqualified): Condition[] =>
  status ? [sql`${name('status')} = any(${status}::text[])`] : []

export const productCondition = ({ products }: RequestFilters, name = unqualified): Condition[] =>
  products ? [sql`${name('product')} = any(${products}::text[])`] : []

const topicCondition = ({ topic }: RequestFilters, id: RawBuilder<unknown>): Condition[] =>
  topic === undefined
    ? []
    : [
        sql`exists (select from request_topics
          where request_topics.request_id = ${id} and request_topics.topic_key = ${topicKey(topic)})`,
      ]

/** The conditions of the filters on a table, without the view's; empty if nothing is filtered. */
export function conditionsOn(table: keyof typeof idColumns, filters: RequestFilters): Condition[] {
  const name: ColumnName = (column) => sql.ref(`${table}.${column}`)
  return [
    ...platformCondition(filters, name),
    ...topicCondition(filters, sql.ref(idColumns[table])),
    ...tagCondition(filters, name),
    ...voteCondition(filters, name),
    ...dateConditions(filters, name),
    ...statusCondition(filters, name),
    ...productCondition(filters, name),
  ]
}

/** The conditions of the filters on a row of `requests`. */
export const requestConditions = (filters: RequestFilters): Condition[] => conditionsOn('requests', filters)

/** A query for up to `max` ids (column `id`) that pass one filter, read from an index; null without that filter. */
export type IdsOfFilter = (filters: RequestFilters, max: number) => RawBuilder<{ id: string }> | null

export const idsOfTopic: IdsOfFilter = ({ topic }, max) =>
  topic === undefined
    ? null
    : sql`select request_id as id from request_topics where topic_key = ${topicKey(topic)} limit ${sql.lit(max)}`

export const idsWithTags: IdsOfFilter = ({ tags }, max) =>
  tags && tags.length > 0 ? sql`select id from requests_with_tags(${tags}::text[], ${sql.lit(max)}) as id` : null

export const idsOfProducts: IdsOfFilter = ({ products }, max) =>
  products ? sql`select id from requests_of_products(${products}::text[], ${sql.lit(max)}) as id` : null

export const idsOnPlatforms: IdsOfFilter = ({ platforms }, max) =>
  platforms ? sql`select id from requests_on_platforms(${platforms}::text[], ${sql.lit(max)}) as id` : null
