import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import { recordColumns } from '../record.ts'
import {
  all,
  columnOf,
  keyOf,
  type ListedRequest,
  type ListedRow,
  postedBetween,
  rangeOf,
  restOf,
  toListed,
  votedEnough,
  type WindowInput,
} from './index-scan.ts'

/** How many requests a single filter may leave for all of them to be looked at. */
const fewest = 5_000

/** For each filter that an index can answer by itself, a query for the ids that it leaves, one more than `fewest` at most. */
function idsByOneFilter(input: WindowInput): RawBuilder<unknown>[] {
  const { sortBy, topic, platforms, tags, jobId } = input
  const most = sql.lit(fewest + 1)
  const inRange = (conditions: RawBuilder<unknown>[], column: RawBuilder<unknown>) =>
    topic === undefined
      ? sql`select id from requests where ${all(conditions)} order by ${column} desc, id desc limit ${most}`
      : sql`select request_id as id from request_topics where ${all([sql`topic_key = ${topicKey(topic)}`, ...conditions])}
          order by ${column} desc, request_id desc limit ${most}`
  const others = sortBy === 'new' ? votedEnough(input) : postedBetween(input)
  return [
    ...(jobId === undefined
      ? []
      : [sql`select request_id as id from scrape_job_requests where job_id = ${jobId} limit ${most}`]),
    ...(tags && tags.length > 0 ? [sql`select id from requests_with_tags(${tags}::text[], ${most}) as id`] : []),
    ...(others.length === 0 ? [] : [inRange(others, columnOf(sortBy === 'new' ? 'top' : 'new'))]),
    ...(platforms ? [sql`select id from requests_on_platforms(${platforms}::text[], ${most}) as id`] : []),
  ]
}

/** The page of those that a filter leaves; null when it leaves too many. */
async function pageOf(
  executor: Executor,
  input: WindowInput,
  ids: RawBuilder<unknown>,
): Promise<ListedRequest[] | null> {
  const { sortBy, limit, topic } = input
  const column = columnOf(sortBy)
  const columns = sql`platform, posted_at, votes, tags`
  const own =
    topic === undefined
      ? sql`select id, ${columns} from requests where requests.id = few.id`
      : sql`select request_id as id, ${columns} from request_topics
          where request_id = few.id and topic_key = ${topicKey(topic)}`
  const { rows } = await sql<ListedRow & { amount: number; position_id: string | null }>`
    with few as materialized (${ids}),
    page as materialized (
      select listed.id, ${keyOf(sortBy)} as key
      -- \`offset 0\` keeps the planner from joining the whole table, which it may believe to be cheaper.
      from few cross join lateral (${own} offset 0) as listed
      where (select count(*) from few) <= ${sql.lit(fewest)} and ${all([...rangeOf(input, sql`listed.id`), ...restOf(input)])}
      order by ${column} desc, listed.id desc limit ${limit + 1}
    )
    select ${recordColumns(input)}, amount, page.id as position_id, key
    from (select count(*)::integer as amount from few) as counted
      left join page on true left join requests on requests.id = page.id
    order by key desc, page.id desc`.execute(executor)
  if ((rows[0]?.amount ?? 0) > fewest) return null
  return rows.flatMap((row) => (row.position_id === null ? [] : [toListed(row, input)]))
}

/**
 * The next requests of the list, where one of its filters leaves so few that all of them can be looked at.
 * @returns one more than `limit` where there is one; null when every filter leaves too many.
 */
export async function findAmongFew(executor: Executor, input: WindowInput): Promise<ListedRequest[] | null> {
  for (const ids of idsByOneFilter(input)) {
    const page = await pageOf(executor, input, ids)
    if (page !== null) return page
  }
  return null
}
