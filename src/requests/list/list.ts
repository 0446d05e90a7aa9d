import type { Executor } from '../../database/open.ts'
import type { PageInput } from '../../http/pagination.ts'
import type { RequestRecord, TextChoice } from '../record.ts'
import { type ListOrder, listCursors, type Position } from './cursor.ts'
import { type ListedRequest, type ListFilters, restOf, type WindowInput, walkWindow } from './index-scan.ts'
import { findAmongFew } from './selective-filter.ts'

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

/** How many rows of the order a page looks at first, and how many more when the first are not enough. */
const widths = [500, 5_000] as const

function toPage({ sortBy, limit }: ListInput, found: readonly ListedRequest[], end: Position | null): RequestPage {
  const page = found.slice(0, limit)
  // What was looked at in vain is not looked at again.
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
 * One page of the cached requests, newest or most voted first. Keyset paging: a row that stays put is seen exactly once,
 * however many are added meanwhile.
 *
 * The work is bounded for any mix of filters. The order's index is walked for a while; where that does not fill the page, a
 * filter that leaves few requests answers by itself; where none does, the walk goes on for a longer while, and then the page
 * is given as it is: it may hold fewer requests than asked for, even none, and yet have more after it.
 * @throws ServiceError INVALID_REQUEST for a cursor that is not of this list.
 */
export async function listRequests(executor: Executor, input: ListInput): Promise<RequestPage> {
  const after = input.cursor === undefined ? null : listCursors[input.sortBy].decode(input.cursor)
  const window: WindowInput = { ...input, after }
  const narrows = restOf(window).length > 0
  if (window.jobId !== undefined) {
    const few = await findAmongFew(executor, window)
    if (few !== null) return toPage(input, few, null)
  }
  const first = await walkWindow(executor, window, narrows ? widths[0] : input.limit + 1)
  if (!narrows || first.end === null || first.found.length > input.limit) return toPage(input, first.found, first.end)
  const few = await findAmongFew(executor, window)
  if (few !== null) return toPage(input, few, null)
  const rest = { ...window, after: first.end, limit: input.limit - first.found.length }
  const second = await walkWindow(executor, rest, widths[1])
  return toPage(input, [...first.found, ...second.found], second.end)
}
