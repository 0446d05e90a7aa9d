import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { PageInput } from '../../http/pagination.ts'
import { topicKey } from '../../platforms/topic-words.ts'
import { idsOfProducts, idsWithTags } from '../../requests/filters/conditions.ts'
import { standingIn, type View } from '../../requests/view.ts'
import { wishIdIn } from '../../requests/wish-numbers/membership.ts'
import { wishNumbers } from '../../requests/wish-numbers/numbers.ts'
import { type WishFilters, type WishOrder, type WishPosition, wishConditions, wishCursors } from './filters.ts'
import { type ScannedWishes, scanWishes, sortKey, type WishScan } from './list-scan.ts'
import { dayBefore, readWishes, votesGained, type WishSummary } from './summary.ts'

/** With at most this many requests, their wishes are read and sorted. */
export const maxSelected = 2_000
/** Reading one more tells that there are too many. */
const readLimit = maxSelected + 1

/** The topic's requests that may be likely in the view. */
const idsOfTopic = ({ topic, view }: SelectedScan): RawBuilder<unknown> | null =>
  topic === undefined
    ? null
    : sql`select request_id as id from request_topics where topic_key = ${topicKey(topic)}
        ${view.account === null ? sql`and standing = 2` : sql``} limit ${sql.lit(readLimit)}`

/** Requests whose votes changed after a UTC day; the latest ones if there are too many. */
export const idsWithNews = (day: string): RawBuilder<unknown> =>
  sql`select distinct request_id as id from (
    select request_id from vote_samples where day > ${day}::date
    order by day desc, request_id limit ${sql.lit(maxSelected)}) as changed`

interface SelectedScan extends Omit<WishScan, 'sortBy'> {
  sortBy: WishOrder
  now: Date
}

/** For a query with `placed`: the wishes with their sort keys. */
function keyedWishes({ sortBy, view, now }: SelectedScan): RawBuilder<unknown> {
  const wishes = sql`(${wishNumbers(sql`array(select distinct wish_id from placed)`, view)}) as wish`
  if (sortBy !== 'growing') return sql`select wish.*, ${sortKey(sortBy)} as key from ${wishes}`
  const gained = sql`coalesce(sum(${votesGained('placed', dayBefore(7, now))}), 0)::bigint`
  return sql`select wish.*, grown.key from ${wishes}
    join (select wish_id, ${gained} as key from placed group by wish_id) as grown on grown.wish_id = wish.id`
}

function conditionsOf(scan: SelectedScan): RawBuilder<unknown> {
  const { sortBy, after, view } = scan
  const conditions = [
    ...(sortBy === 'growing' ? [sql`wish.key > 0`] : []),
    ...(after === null ? [] : [sql`(wish.key, wish.id) < (${after[0]}::bigint, ${after[1]}::uuid)`]),
    ...wishConditions(scan, view),
  ]
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
}

const facet = { id: sql.ref('facet.request_id'), standing: sql.ref('facet.standing') }

/** For a query with `selected`: the wishes of these requests in a view. */
export const placedIn = (view: View) => sql`
  select ${wishIdIn(view, facet.id)} as wish_id, facet.request_id, facet.votes
  from selected cross join lateral (select * from request_facets where request_id = selected.id offset 0) as facet
  where (select count(*) from selected) <= ${sql.lit(maxSelected)} and ${standingIn(view, facet)} = 2`

interface Selection {
  ids: RawBuilder<unknown>
  /** For a query with `selected`: a query for `wish_id`. */
  placed: RawBuilder<unknown>
  max: number
}

const ofRequests = (ids: RawBuilder<unknown>, view: View): Selection => ({
  ids,
  placed: placedIn(view),
  max: maxSelected,
})

async function pageOfSelected(
  executor: Executor,
  scan: SelectedScan,
  { ids, placed, max }: Selection,
): Promise<WishPosition[] | null> {
  const { rows } = await sql<{ id: string | null; key: number; amount: number }>`
    with selected as materialized (${ids}),
    placed as materialized (${placed}),
    page as materialized (
      select wish.id, wish.key from (${keyedWishes(scan)} offset 0) as wish
      where ${conditionsOf(scan)} order by wish.key desc, wish.id desc limit ${scan.limit + 1}
    )
    select amount, page.* from (select count(*)::integer as amount from selected) as counted left join page on true
    order by page.key desc, page.id desc`.execute(executor)
  if ((rows[0]?.amount ?? 0) > max) return null
  return rows.flatMap((row): WishPosition[] => (row.id === null ? [] : [[Number(row.key), row.id]]))
}

/** What an index can select: requests with news for the order `growing`, else what one filter leaves. */
function selectionsOf(scan: SelectedScan): Selection[] {
  const { sortBy, view, marks } = scan
  if (sortBy === 'growing') return [ofRequests(idsWithNews(dayBefore(7, scan.now)), view)]
  const marked: Selection[] = marks?.wishIds
    ? [{ ids: marks.wishIds, placed: sql`select id as wish_id from selected`, max: Infinity }]
    : []
  const filtered = [idsOfTopic(scan), idsWithTags(scan, readLimit), idsOfProducts(scan, readLimit)].flatMap((ids) =>
    ids === null ? [] : [ofRequests(ids, view)],
  )
  return [...marked, ...filtered]
}

/** The next wishes, at most `limit + 1`, if the order or a filter leaves few requests; else null. */
async function selectWishes(executor: Executor, scan: SelectedScan): Promise<WishPosition[] | null> {
  for (const selection of selectionsOf(scan)) {
    const page = await pageOfSelected(executor, scan, selection)
    if (page !== null) return page
  }
  return null
}

interface WishListInput extends WishFilters, PageInput {
  sortBy: WishOrder
  view: View
  now: Date
}

export interface WishPage {
  results: WishSummary[]
  hasMore: boolean
  cursor: string | null
}

/** Rows that a page scans first (with or without filters), and in a second scan. */
const firstWidth = ({ limit, view, ...filters }: WishScan) =>
  wishConditions(filters, view).length > 0 ? 500 : 3 * (limit + 1)
const secondWidth = 5_000

async function scanTwice(executor: Executor, scan: WishScan): Promise<ScannedWishes> {
  const first = await scanWishes(executor, scan, firstWidth(scan))
  if (first.end === null || first.found.length > scan.limit) return first
  const rest = { ...scan, after: first.end, limit: scan.limit - first.found.length }
  const second = await scanWishes(executor, rest, secondWidth)
  return { found: [...first.found, ...second.found], end: second.end }
}

async function findWishes(executor: Executor, input: WishListInput): Promise<ScannedWishes> {
  const { sortBy, cursor } = input
  const after = cursor === undefined ? null : wishCursors[sortBy].decode(cursor)
  const selected = await selectWishes(executor, { ...input, after })
  if (selected !== null || sortBy === 'growing') return { found: selected ?? [], end: null }
  return scanTwice(executor, { ...input, sortBy, after })
}

/**
 * One page of a view's wishes in an order. Keyset paging: a wish that does not move is seen exactly once.
 *
 * The work is bounded for any filters: wishes of a topic or tag with few requests are read and sorted, else part of the
 * order is scanned. So a page may be short, even empty, and still have a next page. `growing` lists wishes with more
 * votes than 7 days ago, among the 2,000 requests whose votes changed last.
 * @throws ServiceError INVALID_REQUEST for a cursor of another list.
 */
export async function listWishes(executor: Executor, input: WishListInput): Promise<WishPage> {
  const { sortBy, limit, view, now } = input
  const { found, end } = await findWishes(executor, input)
  const page = found.slice(0, limit)
  // The next page continues after everything scanned here.
  const next: WishPosition | null = found.length > limit ? page.at(-1)! : end
  const ids = page.map(([, id]) => id)
  return {
    results: await readWishes(executor, ids, { view, now }),
    hasMore: next !== null,
    cursor: next === null ? null : wishCursors[sortBy].encode(next),
  }
}
