import type { Executor } from '../../database/open.ts'
import { type Cursors, cursorsOf, isPositionNumber } from '../../http/pagination.ts'
import { topicKey } from '../../platforms/topic-key.ts'
import type { ListFilters } from '../list/index-scan.ts'
import type { SearchFilters } from '../search/conditions.ts'
import { type SearchOrder, searchCap } from '../search/page.ts'
import type { SearchIndex } from '../search/search-index.ts'
import { csvHeader, type ExportedRequest } from './csv.ts'
import { byteOrderMark, type ExportFormat, toText } from './export.ts'

/** The orders of an export: `relevance` only where there is a query to be relevant to. */
export const exportOrders = ['relevance', 'new', 'top'] as const

export type ExportOrder = (typeof exportOrders)[number]

const searchOrderOf: Record<ExportOrder, SearchOrder> = { relevance: 'relevance', new: 'new', top: 'votes' }

export interface SearchExportInput {
  query: string
  /** Whether the last word may be the beginning of one. */
  prefix: boolean
  /** Without `jobId`: what a job found can be listed, not searched. */
  filters: Omit<ListFilters, 'jobId'>
  sortBy: ExportOrder
  format: ExportFormat
  /** Begins a CSV with a byte order mark. */
  bom: boolean
  /** As a record of an earlier export of this search gave it. */
  cursor?: string
}

const isRank = (value: unknown): value is number => isPositionNumber(value) && value >= 1 && value <= searchCap
/** A search has ranks, not keys: its order is made of scores that nothing else has. */
const cursors = Object.fromEntries(
  exportOrders.map((order) => [order, cursorsOf<[rank: number]>(`search-${order}`, isRank)]),
) as Record<ExportOrder, Cursors<[rank: number]>>

/** The filters of a list as a search has them: the same requests pass. */
const toSearchFilters = ({ topic, ...filters }: SearchExportInput['filters']): SearchFilters => ({
  ...filters,
  ...(topic === undefined ? {} : { topicKey: topicKey(topic) }),
})

/**
 * What a search finds, in its order, as text: at most its best 100, read in one statement, so that they fit together.
 * @throws ServiceError INVALID_REQUEST for a query that cannot be asked and for a cursor of something else, before the first text.
 */
export async function* exportSearch(
  { searchIndex, executor }: { searchIndex: SearchIndex; executor: Executor },
  { query, prefix, filters, sortBy, format, bom, cursor }: SearchExportInput,
): AsyncGenerator<string> {
  const from = cursor === undefined ? 0 : cursors[sortBy].decode(cursor)[0]
  const search = { query, prefix, filters: toSearchFilters(filters), sortBy: searchOrderOf[sortBy], fullText: true }
  const { results } = await searchIndex.search(executor, { ...search, offset: 0, limit: searchCap })
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
