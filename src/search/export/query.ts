import { type Static, Type } from 'typebox'
import type { Database } from '../../database/open.ts'
import type { Account } from '../../http/callers.ts'
import { sortOrder } from '../../http/pagination.ts'
import { closed, defaulted, oneOf, trimmedText } from '../../http/schemas.ts'
import { invalidField } from '../../http/validation.ts'
import { type JobOwnership, requireOwnJob } from '../list/job-filter.ts'
import { listQuery, parseListFilters } from '../list/query.ts'
import { searchOrders } from '../orders.ts'
import type { SearchIndex } from '../search-index.ts'
import { exportFormats, exportRequests } from './export.ts'
import { exportSearch } from './search-export.ts'

export const exportQuery = closed({
  format: defaulted(oneOf(exportFormats, { default: 'jsonl', description: 'JSON Lines or CSV' })),
  bom: defaulted(Type.Boolean({ default: false, description: 'Begin a CSV with a byte order mark' })),
  ...listQuery,
  query: Type.Optional(trimmedText(1, 500, 'Only what a search of these words finds')),
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

/**
 * The export that a query string describes: of a list, or of a search.
 * @throws ServiceError INVALID_REQUEST, NOT_FOUND
 */
export async function openExport(
  sources: ExportSources,
  account: Account,
  { format, bom, query, prefix, sortBy, cursor, ...filterQuery }: Static<typeof exportQuery>,
): Promise<AsyncGenerator<string>> {
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
  return exportRequests(database, { format, bom, cursor, ...filters, jobId, sortBy: sortBy ?? 'new' })
}
