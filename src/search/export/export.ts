import { type Static, Type } from 'typebox'
import type { PlatformName } from '../../database/column-types.ts'
import type { Database } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { type Cursors, cursorsOf, isPositionNumber, sortOrder } from '../../http/pagination.ts'
import { closed, defaulted, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { publicPagesOf } from '../../platforms/registry.ts'
import type { RequestFilters } from '../../requests/filters/filters.ts'
import type { RequestRecord } from '../../requests/record.ts'
import type { Totals } from '../engine.ts'
import { type ListInput, listRequests } from '../list/list.ts'
import { type JobOwnership, listQuery, parseListFilters, requireOwnJob } from '../list/query.ts'
import { type SearchOrder, searchCap, searchOrders } from '../orders.ts'
import { searchFull } from '../query-search.ts'
import type { SearchIndex } from '../search-index.ts'
import { csvHeader, type ExportedRequest, toCsvRecord } from './csv.ts'

interface SearchExportInput {
  query: string
  prefix: boolean
  filters: RequestFilters
  sortBy: SearchOrder
  format: ExportFormat
  bom: boolean
  /** From a record of an earlier export of this search. */
  cursor?: string | undefined
}

const isRank = (value: unknown): value is number => isPositionNumber(value) && value >= 1 && value <= searchCap
/** Search exports have no cursor position: their order depends on scores, which no other search has. */
const cursors = Object.fromEntries(
  searchOrders.map((order) => [order, cursorsOf<[rank: number]>(`search-${order}`, isRank)]),
) as Record<SearchOrder, Cursors<[rank: number]>>

export interface Export {
  texts: AsyncGenerator<string>
  /** For a search: how many requests match partially and are omitted. */
  inPart: Totals | null
  /** For a search: how many matches the export omits, because it has only the best. */
  beyond: number
}

async function* textsOf(text: string): AsyncGenerator<string> {
  if (text !== '') yield text
}

const termsOf = ({ sourcePlatform }: Pick<RequestRecord, 'sourcePlatform'>) => ({
  publicPages: publicPagesOf(sourcePlatform as PlatformName).show,
})

/** Exports up to 100 full matches in one statement. @throws ServiceError INVALID_REQUEST for a bad query or cursor */
export async function exportSearch(
  { searchIndex, database }: { searchIndex: SearchIndex; database: Database },
  { query, prefix, filters, sortBy, format, bom, cursor }: SearchExportInput,
): Promise<Export> {
  const from = cursor === undefined ? 0 : cursors[sortBy].decode(cursor)[0]
  const search = { query, prefix, filters, sortBy, fullText: true, offset: 0, limit: searchCap }
  const { results, ...rest } = await searchFull(searchIndex, database, search)
  const header = from === 0 && format === 'csv' ? (bom ? byteOrderMark : '') + csvHeader : ''
  const records = results.map(
    ({ descriptionTruncated: _whole, ...request }, index): ExportedRequest => ({
      ...request,
      ...termsOf(request),
      cursor: cursors[sortBy].encode([index + 1]),
    }),
  )
  const text = header + records.slice(from).map(toText[format]).join('')
  return { texts: textsOf(text), ...rest }
}

const exportFormats = ['jsonl', 'csv'] as const

type ExportFormat = (typeof exportFormats)[number]

const pageSize = 200
const byteOrderMark = '\ufeff'

interface ExportInput extends Omit<ListInput, 'limit' | 'fullText'> {
  format: ExportFormat
  /** Whether to start a CSV with a byte order mark, by which old spreadsheets recognize UTF-8. */
  bom: boolean
}

const toText = { jsonl: (request: ExportedRequest) => `${JSON.stringify(request)}\n`, csv: toCsvRecord } as const

/**
 * Exports a list as text, reading each page on demand so that only one is in memory. With a cursor it resumes an
 * earlier export, without a header.
 * @throws ServiceError INVALID_REQUEST for a cursor of another list, before the first text.
 */
async function* exportRequests(database: Database, { format, bom, ...filters }: ExportInput): AsyncGenerator<string> {
  const list = { ...filters, fullText: true, limit: pageSize }
  const begins = list.cursor === undefined
  let page = await listRequests(database, list)
  if (begins && format === 'csv') yield (bom ? byteOrderMark : '') + csvHeader
  for (;;) {
    const text = page.results
      .map(({ descriptionTruncated: _, ...request }, index) =>
        toText[format]({ ...request, ...termsOf(request), cursor: page.cursors[index]! }),
      )
      .join('')
    if (text !== '') yield text
    if (page.cursor === null) return
    const { cursor } = page
    page = await listRequests(database, { ...list, cursor })
  }
}

export const exportQuery = closed({
  format: defaulted(oneOf(exportFormats, { default: 'jsonl', description: 'JSON Lines or CSV' })),
  bom: defaulted(Type.Boolean({ default: false, description: 'Begin a CSV with a byte order mark' })),
  ...listQuery,
  query: Type.Optional(trimmedText(1, 500, 'Only what has all of these words, as a search counts it')),
  prefix: defaulted(
    Type.Boolean({ default: false, description: 'With `query`: its last word may be the beginning of one' }),
  ),
  sortBy: Type.Optional(
    sortOrder(searchOrders, {
      description: 'Best match (only with `query`, and its default), newest (the default without) or most voted first',
    }),
  ),
})

interface ExportSources extends JobOwnership {
  database: Database
  searchIndex: SearchIndex
}

/** Opens the export of a list or search from a query string. @throws ServiceError INVALID_REQUEST, NOT_FOUND */
export async function openExport(
  sources: ExportSources,
  account: Account,
  { format, bom, query, prefix, sortBy, cursor, ...filterQuery }: Static<typeof exportQuery>,
): Promise<Export> {
  const { database, searchIndex } = sources
  const { jobId, ...filters } = parseListFilters(filterQuery, account)
  if (query !== undefined) {
    if (jobId !== undefined) throw invalidField('jobId', 'cannot be searched: leave out jobId or query')
    const input = { format, bom, cursor, query, prefix, filters, sortBy: sortBy ?? 'relevance' }
    return exportSearch({ searchIndex, database }, input)
  }
  if (sortBy === 'relevance') throw invalidField('sortBy', 'is relevance only with query')
  if (prefix) throw invalidField('prefix', 'is only for query')
  await requireOwnJob(sources, account.accountId, jobId)
  const texts = exportRequests(database, { format, bom, cursor, ...filters, jobId, sortBy: sortBy ?? 'new' })
  return { texts, inPart: null, beyond: 0 }
}
