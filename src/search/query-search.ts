import type { Executor } from '../database/open.ts'
import { correctableWords, correctQuery, readFrequent, suggestQuery } from './correction.ts'
import type { Aside } from './matches.ts'
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
 * Searches what a user typed, with misspelt words corrected.
 * @param search the search of one query
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched.
 */
export async function searchCorrected<Found extends { anyMatch: boolean; aside?: Aside | null }>(
  index: SearchIndex,
  executor: Executor,
  input: SearchInput,
  search: (input: SearchInput) => Promise<Found>,
): Promise<Found & { understood: Understood }> {
  const searchInstead = async (corrected: string) => ({
    ...(await search({ ...input, query: corrected })),
    understood: { ...describeQuery(corrected), corrected },
  })
  const words = correctableWords(input.query)
  const total = input.aside?.total ?? false
  const found = await search({ ...input, aside: { words: words.map(({ word }) => word), total } })
  const frequent = new Set(found.aside?.frequent ?? (await readFrequent(executor, words)))
  const rare = words.filter(({ word }) => !frequent.has(word))
  const corrected = await correctQuery(index, executor, input, rare)
  if (corrected !== null) return searchInstead(corrected)
  const suggested = found.anyMatch ? null : await suggestQuery(executor, input.query)
  return suggested === null ? { ...found, understood: describeQuery(input.query) } : searchInstead(suggested)
}

/**
 * Searches what a user typed: with misspelt words corrected, and filled up where few results have its phrases (decision 043).
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched.
 */
export const searchQuery = (index: SearchIndex, executor: Executor, input: SearchInput): Promise<QueryMatches> =>
  searchCorrected(index, executor, input, (query) => searchFilled(index, executor, query))
