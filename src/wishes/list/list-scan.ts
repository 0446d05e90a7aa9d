import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { View } from '../../requests/view.ts'
import { hasSharedNumbers, isSingle } from '../../requests/wish-numbers/membership.ts'
import { isSeen, numberColumns, singleColumns } from '../../requests/wish-numbers/numbers.ts'
import { type WishFilters, type WishOrder, type WishPosition, wishConditions } from './filters.ts'

type IndexedOrder = Exclude<WishOrder, 'growing'>

export interface WishScan extends WishFilters {
  sortBy: IndexedOrder
  view: View
  limit: number
  after: WishPosition | null
}

const columnOf = { votes: 'votes', requests: 'requests', new: 'first_asked_at' } as const

/** The sort key of a row `wish` with a wish's numbers. */
export const sortKey = (sortBy: IndexedOrder): RawBuilder<number> =>
  sortBy === 'new'
    ? sql<number>`(extract(epoch from wish.first_asked_at) * 1000000)::bigint`
    : sql<number>`${sql.ref(`wish.${columnOf[sortBy]}`)}::bigint`

const fromKey = (sortBy: IndexedOrder, key: number): RawBuilder<unknown> =>
  sortBy === 'new' ? sql`timestamptz 'epoch' + ${key}::bigint * interval '1 microsecond'` : sql`${key}::bigint`

function range({ sortBy, after, minVotes, until }: WishScan, column: RawBuilder<unknown>, id: RawBuilder<unknown>) {
  const bounds = [
    ...(after === null ? [] : [sql`(${column}, ${id}) < (${fromKey(sortBy, after[0])}, ${after[1]}::uuid)`]),
    ...(sortBy === 'votes' && minVotes !== undefined ? [sql`${column} >= ${minVotes}::bigint`] : []),
    ...(sortBy === 'new' && until ? [sql`${column} < ${until}::timestamptz`] : []),
  ]
  return bounds.length === 0 ? sql`true` : sql.join(bounds, sql` and `)
}

/** Stored wishes in the shared view. */
function sharedWishes(scan: WishScan, width: number): RawBuilder<unknown> {
  const column = sql.ref(columnOf[scan.sortBy])
  return sql`
    select id, ${numberColumns}, ${hasSharedNumbers(scan.view, sql.ref('listed.id'))} as counts from (
      select * from wishes
      where ${isSeen} and ${range(scan, column, sql.ref('id'))} order by ${column} desc, id desc limit ${width}
    ) as listed`
}

/** The likely requests in order. Each is one request, so the order `requests` sorts them by id. */
function listedRequests(scan: WishScan, width: number): RawBuilder<unknown> {
  const { sortBy, after } = scan
  if (sortBy !== 'requests') {
    const column = sql.ref(sortBy === 'new' ? 'posted_at' : 'votes')
    return sql`select request_id as id, platform, votes, status, posted_at from request_facets
      where standing = 2 and ${range(scan, column, sql.ref('request_id'))}
      order by ${column} desc, request_id desc limit ${width}`
  }
  const beforePosition =
    after === null || after[0] > 1 ? sql`true` : after[0] < 1 ? sql`false` : sql`request_id < ${after[1]}::uuid`
  return sql`select request_id as id, platform, votes, status, posted_at from request_facets
    where standing = 2 and ${beforePosition} order by request_id desc limit ${width}`
}

/** Single requests as wishes, except members of stored ones. */
const singles = (scan: WishScan, width: number): RawBuilder<unknown> => {
  const id = sql.ref('listed.id')
  return sql`
    select id, ${singleColumns}, id as top_request_id, ${isSingle(id)} and ${hasSharedNumbers(scan.view, id)} as counts
    from (${listedRequests(scan, width)}) as listed`
}

/** The wishes with own numbers for the account. */
function ownWishes(scan: WishScan, width: number): RawBuilder<unknown>[] {
  const { account } = scan.view
  if (account === null) return []
  const column = sql.ref(columnOf[scan.sortBy])
  return [
    sql`select wish_id, ${numberColumns}, true as counts from account_wishes
      where account_id = ${account}::uuid and ${isSeen} and ${range(scan, column, sql.ref('wish_id'))}
      order by ${column} desc, wish_id desc limit ${width}`,
  ]
}

export interface ScannedWishes {
  /** At most `limit + 1` matching wishes. */
  found: WishPosition[]
  /** The position of the last scanned row; null at the end of the order. */
  end: WishPosition | null
}

/** Reads the next `width` rows (and ties) and picks matches. Merging needs only the first `width` of each index. */
export async function scanWishes(executor: Executor, scan: WishScan, width: number): Promise<ScannedWishes> {
  const { sortBy, view, limit } = scan
  const streams = [sharedWishes(scan, width), singles(scan, width), ...ownWishes(scan, width)]
  const merged = sql.join(
    streams.map((stream) => sql`(${stream})`),
    sql` union all `,
  )
  const conditions = [sql`wish.counts`, ...wishConditions(scan, view)]
  const key = sortKey(sortBy)
  // A wish may occur in several streams at one position; `rank` keeps those rows together in one part.
  const { rows } = await sql<{ id: string; key: number; matches: boolean; is_end: boolean }>`
    select id, key, matches, is_end from (
      select wish.id, key, number, number = amount and amount >= ${width} as is_end, ${sql.join(conditions, sql` and `)} as matches
      from (
        select *, count(*) over () as amount from (
          select wish.*, ${key} as key, row_number() over positions as number, rank() over positions as rank
          from (${merged}) as wish window positions as (order by ${key} desc, wish.id desc)
        ) as ranked where rank <= ${width}
      ) as wish
    ) as scanned
    where matches or is_end order by number limit ${limit + 2}`.execute(executor)
  const position = ({ key: value, id }: { key: number; id: string }): WishPosition => [Number(value), id]
  const last = rows.at(-1)
  return {
    found: rows.flatMap((row) => (row.matches ? [position(row)] : [])).slice(0, limit + 1),
    end: last?.is_end ? position(last) : null,
  }
}
