import type { Database } from '../../database/open.ts'
import { type Cursors, cursorsOf, isPositionNumber } from '../../http/pagination.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import { type SearchOrder, searchCap, searchOrders } from '../orders.ts'
import { searchQuery } from '../query-search.ts'
import type { SearchIndex } from '../search-index.ts'
import { csvHeader, type ExportedRequest } from './csv.ts'
import { byteOrderMark, type ExportFormat, toText } from './export.ts'

export interface SearchExportInput {
  query: string
  /** Whether the last word may be the beginning of one. */
  prefix: boolean
  filters: RequestFilters
  sortBy: SearchOrder
  format: ExportFormat
  /** Begins a CSV with a byte order mark. */
  bom: boolean
  /** As a record of an earlier export of this search gave it. */
  cursor?: string | undefined
}

const isRank = (value: unknown): value is number => isPositionNumber(value) && value >= 1 && value <= searchCap
/** A search has ranks, not keys: its order is made of scores, which no other search has. */
const cursors = Object.fromEntries(
  searchOrders.map((order) => [order, cursorsOf<[rank: number]>(`search-${order}`, isRank)]),
) as Record<SearchOrder, Cursors<[rank: number]>>

/**
 * The results of a search, in its order, as text: at most its best 100, read in one statement, so that they fit together.
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched and for a cursor of something else, before the first text.
 */
export async function* exportSearch(
  { searchIndex, database }: { searchIndex: SearchIndex; database: Database },
  { query, prefix, filters, sortBy, format, bom, cursor }: SearchExportInput,
): AsyncGenerator<string> {
  const from = cursor === undefined ? 0 : cursors[sortBy].decode(cursor)[0]
  const search = { query, prefix, filters, sortBy, fullText: true, offset: 0, limit: searchCap }
  const { results } = await searchQuery(searchIndex, database, search)
  if (from === 0 && format === 'csv') yield (bom ? byteOrderMark : '') + csvHeader
  const records = results.map(
    ({ descriptionTruncated: _whole, ...request }, index): ExportedRequest => ({
      ...request,
      cursor: cursors[sortBy].encode([index + 1]),
    }),
  )
  const text = records.slice(from).map(toText[format]).join('')
  if (text !== '') yield text
}
