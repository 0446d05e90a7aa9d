import type { Executor } from '../../database/open.ts'
import type { PageInput } from '../../http/pagination.ts'
import type { RequestRecord, TextChoice } from '../../requests/record.ts'
import { type ListOrder, listCursors, type Position } from './cursor.ts'
import { type ListedRequest, type ListFilters, rowConditions, type ScanInput, scanIndex } from './index-scan.ts'
import { findBySelectiveFilter } from './selective-filter.ts'

export interface ListInput extends ListFilters, PageInput, TextChoice {
  sortBy: ListOrder
}

export interface RequestPage {
  results: RequestRecord[]
  /** For each of the results the cursor of the page that begins after it. */
  cursors: string[]
  hasMore: boolean
  /** For the page after this one; null when there is none. */
  cursor: string | null
}

/** How many rows of the order a page scans at first, and how many more when those are not enough. */
const widths = [500, 5_000] as const

function toPage({ sortBy, limit }: ListInput, found: readonly ListedRequest[], end: Position | null): RequestPage {
  const page = found.slice(0, limit)
  // The next page does not scan again what this one scanned in vain.
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
 * One page of the cached requests, newest or most voted first. Keyset paging: a row that does not move is seen exactly once,
 * however many are added meanwhile.
 *
 * The work is bounded for any mix of filters. A first scan reads some rows of the order's index. Where they do not fill the
 * page, a selective filter answers by itself; where no filter is selective, a second, longer scan follows. The page may then
 * hold fewer requests than `limit`, even none, and yet have more after it.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
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
