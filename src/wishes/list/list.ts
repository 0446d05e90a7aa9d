import type { Executor } from '../../database/open.ts'
import type { PageInput } from '../../http/pagination.ts'
import type { View } from '../../requests/views/view.ts'
import { type WishFilters, wishConditions } from './filters.ts'
import { type ScannedWishes, scanWishes, type WishScan } from './list-scan.ts'
import { selectWishes } from './list-selected.ts'
import { type WishOrder, type WishPosition, wishCursors } from './orders.ts'
import { readWishes, type WishSummary } from './summary.ts'

export interface WishListInput extends WishFilters, PageInput {
  sortBy: WishOrder
  view: View
  now: Date
}

export interface WishPage {
  results: WishSummary[]
  hasMore: boolean
  /** For the page after this one; null when there is none. */
  cursor: string | null
}

/** How many rows of the order a page scans at first, with and without filters, and how many more when those are not enough. */
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
 * One page of the wishes that a view has, in an order. Keyset paging: a wish that does not move is seen exactly once.
 *
 * The work is bounded for any mix of filters. The wishes of a topic or a tag with few requests are read and sorted; else a part of the
 * order is scanned, and the page may hold fewer wishes than `limit`, even none, and yet have more after it. The order `growing` has the
 * wishes with more votes than 7 days ago, among the 2,000 requests whose votes changed last.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listWishes(executor: Executor, input: WishListInput): Promise<WishPage> {
  const { sortBy, limit, view, now } = input
  const { found, end } = await findWishes(executor, input)
  const page = found.slice(0, limit)
  // The next page does not scan again what this one scanned in vain.
  const next: WishPosition | null = found.length > limit ? page.at(-1)! : end
  const ids = page.map(([, id]) => id)
  return {
    results: await readWishes(executor, ids, { view, now }),
    hasMore: next !== null,
    cursor: next === null ? null : wishCursors[sortBy].encode(next),
  }
}
