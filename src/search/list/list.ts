import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { PageInput } from '../../http/pagination.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import {
  all,
  dateConditions,
  idsOfProducts,
  idsOnPlatforms,
  idsWithTags,
  voteCondition,
} from '../../requests/filters/conditions.ts'
import { type RequestRecord, recordColumns, type TextChoice } from '../../requests/record.ts'
import {
  indexRange,
  type ListedRequest,
  type ListedRow,
  type ListFilters,
  type ListOrder,
  likelyCondition,
  listCursors,
  listedColumns,
  type Position,
  rowConditions,
  rowsInOrder,
  type ScanInput,
  scanIndex,
  sortColumn,
  sortKey,
  toListed,
} from './index-scan.ts'

/** A filter that leaves at most this many requests is selective: all are read and checked with the other filters. */
const maxSelected = 5_000
/** Reading one more tells that the filter is not selective. */
const readLimit = maxSelected + 1

const idsOfJob = ({ jobId }: ScanInput): RawBuilder<unknown> | null =>
  jobId === undefined
    ? null
    : sql`select request_id as id from scrape_job_requests where job_id = ${jobId} limit ${sql.lit(readLimit)}`

/** Uses the index of the other order: by votes for a list by date, and vice versa. */
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

/** A query for the ids that each filter leaves, for filters that an index can answer alone. */
const idsOfEachFilter = (input: ScanInput): RawBuilder<unknown>[] =>
  [
    idsOfJob(input),
    idsWithTags(input, readLimit),
    idsOfProducts(input, readLimit),
    idsInRange(input),
    idsOnPlatforms(input, readLimit),
  ].filter((ids) => ids !== null)

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

/** The next requests by a selective filter, at most `limit + 1`; null if every filter leaves too many. */
async function findBySelectiveFilter(executor: Executor, input: ScanInput): Promise<ListedRequest[] | null> {
  for (const ids of idsOfEachFilter(input)) {
    const page = await pageOfSelected(executor, input, ids)
    if (page !== null) return page
  }
  return null
}

export interface ListInput extends ListFilters, PageInput, TextChoice {
  sortBy: ListOrder
}

export interface RequestPage {
  results: RequestRecord[]
  /** For each result, the cursor of the page after it. */
  cursors: string[]
  hasMore: boolean
  cursor: string | null
}

/** Rows that a page scans at first, and in a second, longer scan. */
const widths = [500, 5_000] as const

function toPage({ sortBy, limit }: ListInput, found: readonly ListedRequest[], end: Position | null): RequestPage {
  const page = found.slice(0, limit)
  // The next page continues after everything scanned here.
  const position = found.length > limit ? page.at(-1)!.position : end
  const { encode } = listCursors[sortBy]
  return {
    results: page.map(({ record }) => record),
    cursors: page.map((request) => encode(request.position)),
    hasMore: position !== null,
    cursor: position === null ? null : encode(position),
  }
}

/**
 * One page of the cached requests, newest or most voted first. Keyset paging: a row that does not move is seen exactly
 * once, however many are added meanwhile.
 *
 * The work is bounded for any filters: a short index scan, then a selective filter alone or, without one, a longer
 * scan. So a page may be short, even empty, and still have a next page.
 * @throws ServiceError INVALID_REQUEST for a cursor of another list.
 */
export async function listRequests(executor: Executor, input: ListInput): Promise<RequestPage> {
  const after = input.cursor === undefined ? null : listCursors[input.sortBy].decode(input.cursor)
  const scan: ScanInput = { ...input, after }
  const isFiltered = rowConditions(scan).length > 0
  if (scan.jobId !== undefined) {
    const selected = await findBySelectiveFilter(executor, scan)
    if (selected !== null) return toPage(input, selected, null)
  }
  const first = await scanIndex(executor, scan, isFiltered ? widths[0] : input.limit + 1)
  if (!isFiltered || first.end === null || first.found.length > input.limit)
    return toPage(input, first.found, first.end)
  const selected = await findBySelectiveFilter(executor, scan)
  if (selected !== null) return toPage(input, selected, null)
  const rest = { ...scan, after: first.end, limit: input.limit - first.found.length }
  const second = await scanIndex(executor, rest, widths[1])
  return toPage(input, [...first.found, ...second.found], second.end)
}
