import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { all, dateConditions, idsOnPlatforms, idsWithTags, voteCondition } from '../../requests/filters/conditions.ts'
import { recordColumns } from '../../requests/record.ts'
import {
  indexRange,
  type ListedRequest,
  type ListedRow,
  likelyCondition,
  listedColumns,
  rowConditions,
  rowsInOrder,
  type ScanInput,
  sortColumn,
  sortKey,
  toListed,
} from './index-scan.ts'

/** A selective filter leaves at most this many requests; all of them are then read and checked against the other filters. */
const maxSelected = 5_000
/** One more than a selective filter may leave: it tells that the filter is not selective. */
const readLimit = maxSelected + 1

const idsOfJob = ({ jobId }: ScanInput): RawBuilder<unknown> | null =>
  jobId === undefined
    ? null
    : sql`select request_id as id from scrape_job_requests where job_id = ${jobId} limit ${sql.lit(readLimit)}`

/** By the index of the other order: with many votes in a list by date, and the reverse. */
function idsInRange(input: ScanInput): RawBuilder<unknown> | null {
  const { sortBy, topic } = input
  const range = sortBy === 'new' ? voteCondition(input) : dateConditions(input)
  if (range.length === 0) return null
  const conditions = [...likelyCondition(input), ...range]
  const other = sortBy === 'new' ? 'votes' : 'new'
  return topic === undefined
    ? sql`select id from (${rowsInOrder(input, { sortBy: other, conditions, limit: readLimit })}) as ranged`
    : sql`select request_id as id from request_topics
        where ${all([sql`topic_key = ${topicKey(topic)}`, ...conditions])}
        order by ${sortColumn(other)} desc, request_id desc limit ${sql.lit(readLimit)}`
}

/** For each filter that an index can answer by itself, a query for the ids that it leaves. */
const idsOfEachFilter = (input: ScanInput): RawBuilder<unknown>[] =>
  [idsOfJob(input), idsWithTags(input, readLimit), idsInRange(input), idsOnPlatforms(input, readLimit)].filter(
    (ids) => ids !== null,
  )

/** The page of those that a filter leaves; null when it leaves too many. */
async function pageOfSelected(
  executor: Executor,
  input: ScanInput,
  ids: RawBuilder<unknown>,
): Promise<ListedRequest[] | null> {
  const { sortBy, limit, topic } = input
  const row =
    topic === undefined
      ? sql`select request_id as id, ${listedColumns} from request_facets where request_id = selected.id`
      : sql`select request_id as id, ${listedColumns} from request_topics
          where request_id = selected.id and topic_key = ${topicKey(topic)}`
  const conditions = all([...indexRange(input, sql`listed.id`), ...rowConditions(input)])
  const { rows } = await sql<ListedRow & { amount: number; position_id: string | null }>`
    with selected as materialized (${ids}),
    page as materialized (
      select listed.id, ${sortKey(sortBy)} as key
      -- \`offset 0\` keeps the planner from joining the whole table, which it may believe to be cheaper.
      from selected cross join lateral (${row} offset 0) as listed
      where (select count(*) from selected) <= ${sql.lit(maxSelected)} and ${conditions}
      order by ${sortColumn(sortBy)} desc, listed.id desc limit ${limit + 1}
    )
    select ${recordColumns(input)}, amount, page.id as position_id, key
    from (select count(*)::integer as amount from selected) as counted
      left join page on true left join requests on requests.id = page.id
    order by key desc, page.id desc`.execute(executor)
  if ((rows[0]?.amount ?? 0) > maxSelected) return null
  return rows.flatMap((row) => (row.position_id === null ? [] : [toListed(row, input)]))
}

/**
 * The next requests of the list, where one of its filters is selective.
 * @returns one more than `limit` where there is one; null when every filter leaves too many.
 */
export async function findBySelectiveFilter(executor: Executor, input: ScanInput): Promise<ListedRequest[] | null> {
  for (const ids of idsOfEachFilter(input)) {
    const page = await pageOfSelected(executor, input, ids)
    if (page !== null) return page
  }
  return null
}
