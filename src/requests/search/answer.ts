import type { Executor } from '../../database/open.ts'
import type { RequestRecord } from '../record.ts'
import { type Highlight, highlightMatches } from './highlight.ts'
import { searchCap } from './page.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'
import { suggestQuery } from './suggestion.ts'

export interface AnswerInput extends SearchInput {
  /** Whether the results say where in them the words are. */
  highlight?: boolean
}

export interface SearchAnswer {
  results: (RequestRecord & { highlights?: Highlight[] })[]
  /** Another page can be had inside the cap. */
  hasMore: boolean
  /** This page ends at result 100 and more match. */
  limitReached: boolean
  meta: {
    originalQuery: string
    cachedResults: number
    window?: number
    didYouMean?: string
  }
}

/**
 * The answer to a search of what is cached: all of it but who asked and what it cost.
 * @throws ServiceError INVALID_REQUEST for a query that cannot be asked.
 */
export async function answerSearch(
  { searchIndex, executor }: { searchIndex: SearchIndex; executor: Executor },
  input: AnswerInput,
): Promise<SearchAnswer> {
  const { query, offset } = input
  const { results, more, window, anyMatch, words } = await searchIndex.search(executor, input)
  const atCap = offset + results.length >= searchCap
  const didYouMean = anyMatch ? null : await suggestQuery(executor, query, words)
  const highlights = input.highlight ? await highlightMatches(executor, results, words) : null
  return {
    results: results.map((result, place) => ({
      ...result,
      ...(highlights ? { highlights: highlights[place] ?? [] } : {}),
    })),
    hasMore: more && !atCap,
    limitReached: more && atCap,
    meta: {
      originalQuery: query,
      cachedResults: results.length,
      ...(window === null ? {} : { window }),
      ...(didYouMean === null ? {} : { didYouMean }),
    },
  }
}
