import { type RawBuilder, sql } from 'kysely'
import { standings } from '../../database/column-types.ts'
import type { Executor } from '../../database/open.ts'
import { cursorsOf, isPositionId, isPositionNumber } from '../../http/pagination.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import {
  all,
  dateConditions,
  platformCondition,
  productCondition,
  statusCondition,
  tagCondition,
  voteCondition,
} from '../../requests/filters/conditions.ts'
import { filterView, type RequestFilters } from '../../requests/filters/filters.ts'
import {
  type RecordChoice,
  type RequestRecord,
  type RequestRow,
  recordColumns,
  type TextChoice,
  toRecord,
} from '../../requests/record.ts'
import { isLikelyIndexed, isShown } from '../../requests/view.ts'

export const listOrders = ['new', 'votes'] as const

export type ListOrder = (typeof listOrders)[number]

/** Where the next page starts: the last row's sort key (microseconds since 1970, or votes) and id. */
export type Position = [key: number, id: string]

export const listCursors = {
  new: cursorsOf<Position>('new', isPositionNumber, isPositionId),
  votes: cursorsOf<Position>('votes', isPositionNumber, isPositionId),
}

export interface ListFilters extends RequestFilters {
  /** Must be visible to the caller. */
  jobId?: string | undefined
}

export interface ScanInput extends ListFilters, TextChoice {
  sortBy: ListOrder
  limit: number
  after: Position | null
}

export interface ListedRequest {
  position: Position
  record: RequestRecord
}

/** The columns that `request_facets` and `request_topics` share for lists. */
export const listedColumns = sql`platform, posted_at, votes, tags, standing`

/** Microseconds since 1970, because a JavaScript date would round to milliseconds. */
export const sortKey = (sortBy: ListOrder) =>
  sortBy === 'new' ? sql`(extract(epoch from posted_at) * 1000000)::bigint` : sql`votes::bigint`

export const sortColumn = (sortBy: ListOrder) => sql.ref(sortBy === 'new' ? 'posted_at' : 'votes')

/** The condition of the partial indexes of likely requests if they hold exactly the shown rows; else none. */
export const likelyCondition = (filters: RequestFilters): RawBuilder<unknown>[] =>
  isLikelyIndexed(filterView(filters)) ? [sql`standing = ${sql.lit(standings.likely)}`] : []

/** The conditions that bound the list's part of the index. @param id the `id` column, as the query names it */
export function indexRange(input: ScanInput, id: RawBuilder<unknown>): RawBuilder<unknown>[] {
  const { sortBy, after } = input
  const bounds = [...likelyCondition(input), ...(sortBy === 'new' ? dateConditions(input) : voteCondition(input))]
  if (after === null) return bounds
  const from =
    sortBy === 'new'
      ? sql`timestamptz 'epoch' + ${after[0]}::bigint * interval '1 microsecond'`
      : sql`${after[0]}::bigint`
  return [...bounds, sql`(${sortColumn(sortBy)}, ${id}) < (${from}, ${after[1]}::uuid)`]
}

const listed = { id: sql.ref('listed.id'), standing: sql.ref('listed.standing') }

/** The view's condition, where no index has exactly its rows: others are read and dropped. */
const viewCondition = (input: ScanInput): RawBuilder<unknown>[] =>
  isLikelyIndexed(filterView(input)) ? [] : [isShown(filterView(input), listed)]

/** For `request_topics`, which has neither status nor product. */
const ofRequest = (column: string) => sql`(select ${sql.ref(column)} from requests where requests.id = listed.id)`

/** The remaining conditions, checked on each row of `listed`. */
export const rowConditions = (input: ScanInput): RawBuilder<unknown>[] => [
  ...(input.sortBy === 'new' ? voteCondition(input) : dateConditions(input)),
  ...platformCondition(input),
  ...tagCondition(input),
  ...(input.jobId === undefined
    ? []
    : [sql`exists (select from scrape_job_requests where job_id = ${input.jobId} and request_id = listed.id)`]),
  ...viewCondition(input),
  ...statusCondition(input, ofRequest),
  ...productCondition(input, ofRequest),
]

/** A row of a page, with its position in the order. */
export type ListedRow = RequestRow & { key: number; position_id: string }

/** A query for the rows of all topics in an order. @param limit the most rows, in total and per index */
export function rowsInOrder(
  filters: RequestFilters,
  { sortBy, conditions, limit }: { sortBy: ListOrder; conditions: readonly RawBuilder<unknown>[]; limit: number },
): RawBuilder<unknown> {
  const column = sortColumn(sortBy)
  const rowsOf = (standing: RawBuilder<unknown>) => sql`
    select request_id as id, ${listedColumns} from request_facets where ${all([standing, ...conditions])}
    order by ${column} desc, request_id desc limit ${sql.lit(limit)}`
  const likely = sql`standing = ${sql.lit(standings.likely)}`
  return isLikelyIndexed(filterView(filters))
    ? rowsOf(likely)
    : sql`select * from ((${rowsOf(likely)}) union all (${rowsOf(sql`standing <> ${sql.lit(standings.likely)}`)})) as parts
        order by ${column} desc, id desc limit ${sql.lit(limit)}`
}

/** Reads `width` rows in order and picks up to `limit + 1` matches. @returns also the last position, or null */
export async function scanIndex(
  executor: Executor,
  input: ScanInput,
  width: number,
): Promise<{ found: ListedRequest[]; end: Position | null }> {
  const { sortBy, limit, topic } = input
  const column = sortColumn(sortBy)
  const base =
    topic === undefined
      ? rowsInOrder(input, { sortBy, conditions: indexRange(input, sql`request_id`), limit: width })
      : sql`select request_id as id, ${listedColumns} from request_topics
          where ${all([sql`topic_key = ${topicKey(topic)}`, ...indexRange(input, sql`request_id`)])}
          order by ${column} desc, request_id desc limit ${width}`
  const { rows } = await sql<ListedRow & { matches: boolean; rank: number }>`
    with page as materialized (
      select id, ${sortKey(sortBy)} as key, matches, rank from (
        select *, ${all(rowConditions(input))} as matches,
          (row_number() over (order by ${column} desc, id desc))::integer as rank
        from (${base}) as listed
      ) as scanned
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

export const toListed = (row: ListedRow, choice: RecordChoice): ListedRequest => ({
  position: [Number(row.key), row.position_id],
  record: toRecord(row, choice),
})
