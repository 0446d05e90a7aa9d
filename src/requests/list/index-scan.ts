import { type RawBuilder, sql } from 'kysely'
import type { PlatformName } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { type RequestRecord, type RequestRow, recordColumns, type TextChoice, toRecord } from '../record.ts'
import type { ListOrder, Position } from './cursor.ts'

/** Which requests a list has; everything that is given must hold. */
export interface ListFilters {
  topic?: string
  platforms?: readonly PlatformName[]
  /** All of them, as they are written. */
  tags?: readonly string[]
  minVotes?: number
  /** Posted then or later, by the platform's date or, where it has none, by when it entered the cache. */
  since?: Date
  /** Posted before. */
  until?: Date
  /** A job that the caller may see. */
  jobId?: string
}

export interface WindowInput extends ListFilters, TextChoice {
  sortBy: ListOrder
  /** The most requests that are wanted. */
  limit: number
  after: Position | null
}

export interface ListedRequest {
  position: Position
  record: RequestRecord
}

export const all = (conditions: readonly RawBuilder<unknown>[]) =>
  conditions.length === 0 ? sql`true` : sql`${sql.join(conditions, sql` and `)}`

/** Microseconds since 1970: exact, where a JavaScript date would round a sort key to milliseconds. */
export const keyOf = (sortBy: ListOrder) =>
  sortBy === 'new' ? sql`(extract(epoch from posted_at) * 1000000)::bigint` : sql`votes::bigint`

export const columnOf = (sortBy: ListOrder) => sql.ref(sortBy === 'new' ? 'posted_at' : 'votes')

export const postedBetween = ({ since, until }: ListFilters) => [
  ...(since ? [sql`posted_at >= ${since}::timestamptz`] : []),
  ...(until ? [sql`posted_at < ${until}::timestamptz`] : []),
]
export const votedEnough = ({ minVotes }: ListFilters) =>
  minVotes === undefined ? [] : [sql`votes >= ${minVotes}::bigint`]

/** The conditions that bound the part of the order's index in which the list lies; the column `id` is named by the caller. */
export function rangeOf(input: WindowInput, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { sortBy, after } = input
  const bounds = sortBy === 'new' ? postedBetween(input) : votedEnough(input)
  if (after === null) return bounds
  const from =
    sortBy === 'new'
      ? sql`timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond'`
      : sql`${after[0]}::bigint`
  return [...bounds, sql`(${columnOf(sortBy)}, ${id}) < (${from}, ${after[1]}::uuid)`]
}

/** The other conditions, which each row is looked at for. */
export function restOf(input: WindowInput): RawBuilder<unknown>[] {
  const { sortBy, platforms, tags, jobId } = input
  return [
    ...(sortBy === 'new' ? votedEnough(input) : postedBetween(input)),
    ...(platforms ? [sql`platform = any(${platforms}::text[])`] : []),
    ...(tags && tags.length > 0 ? [sql`tags @> ${tags}::text[]`] : []),
    ...(jobId === undefined
      ? []
      : [sql`exists (select from scrape_job_requests where job_id = ${jobId} and request_id = listed.id)`]),
  ]
}

/** A row of a page: the request, and its position in the order. */
export type ListedRow = RequestRow & { key: number; position_id: string }

/**
 * Polls at the next rows of the list's order, `width` of them at most, for those that fit.
 * @returns what fits, one more than `limit` where there is one; and the position of the last row that was looked at, null when
 * the order has no more rows.
 */
export async function walkWindow(
  executor: Executor,
  input: WindowInput,
  width: number,
): Promise<{ found: ListedRequest[]; end: Position | null }> {
  const { sortBy, limit, topic } = input
  const column = columnOf(sortBy)
  const columns = sql`platform, posted_at, votes, tags`
  const base =
    topic === undefined
      ? sql`select id, ${columns} from requests where ${all(rangeOf(input, sql`id`))}
          order by ${column} desc, id desc limit ${width}`
      : sql`select request_id as id, ${columns} from request_topics
          where ${all([sql`topic_key = ${topicKey(topic)}`, ...rangeOf(input, sql`request_id`)])}
          order by ${column} desc, request_id desc limit ${width}`
  const { rows } = await sql<ListedRow & { matches: boolean; rank: number }>`
    with page as materialized (
      select id, ${keyOf(sortBy)} as key, matches, rank from (
        select *, ${all(restOf(input))} as matches,
          (row_number() over (order by ${column} desc, id desc))::integer as rank
        from (${base}) as listed
      ) as window_rows
      where matches or rank = ${width}
      order by ${column} desc, id desc limit ${limit + 2}
    )
    select ${recordColumns(input)}, page.id as position_id, key, matches, rank
    from page left join requests on requests.id = page.id order by rank`.execute(executor)
  const last = rows.at(-1)
  return {
    found: rows.flatMap((row) => (row.matches ? [toListed(row, input)] : [])).slice(0, limit + 1),
    end: last && last.rank === width ? [Number(last.key), last.position_id] : null,
  }
}

export const toListed = (row: ListedRow, choice: TextChoice): ListedRequest => ({
  position: [Number(row.key), row.position_id],
  record: toRecord(row, choice),
})
