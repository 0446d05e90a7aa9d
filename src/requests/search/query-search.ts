import type { Executor } from '../../database/open.ts'
import { correctQuery, suggestQuery } from './correction.ts'
import { type FilledMatches, searchFilled } from './phrase-fill.ts'
import { describeQuery, type UnderstoodQuery } from './query.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'

export interface Understood extends UnderstoodQuery {
  /** The query that was searched instead of the typed one. */
  corrected?: string
}

export interface QueryMatches extends FilledMatches {
  /** How the query was understood: the corrected one, where there is one. */
  understood: Understood
}

/**
 * Searches what a user typed: with misspelt words corrected, and filled up where few results have its phrases (decision 043).
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched.
 */
export async function searchQuery(index: SearchIndex, executor: Executor, input: SearchInput): Promise<QueryMatches> {
  const corrected = await correctQuery(index, executor, input)
  if (corrected !== null) return searchCorrected(index, executor, input, corrected)
  const found = await searchFilled(index, executor, input)
  const suggested = found.anyMatch ? null : await suggestQuery(executor, input.query)
  if (suggested !== null) return searchCorrected(index, executor, input, suggested)
  return { ...found, understood: describeQuery(input.query) }
}

async function searchCorrected(index: SearchIndex, executor: Executor, input: SearchInput, corrected: string) {
  const found = await searchFilled(index, executor, { ...input, query: corrected })
  return { ...found, understood: { ...describeQuery(corrected), corrected } }
}
