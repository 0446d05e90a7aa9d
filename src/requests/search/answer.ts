import type { Executor } from '../../database/open.ts'
import type { RequestRecord } from '../record.ts'
import type { FacetName, Totals } from './engine.ts'
import { type Highlight, highlightMatches } from './highlight.ts'
import { searchCap } from './orders.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'
import { suggestQuery } from './suggestion.ts'

export interface AnswerInput extends SearchInput {
  /** Whether the results say where in them the words are. */
  highlight?: boolean
  /** What the matches are counted by. */
  facets?: readonly FacetName[]
}

/** One page of what a search found: of a query alone, or of a query with the topics that it was expanded by. */
export interface SearchPage {
  results: RequestRecord[]
  /** Another page can be had inside the cap. */
  hasMore: boolean
  /** This page ends at result 100 and more match. */
  limitReached: boolean
  /** Set when only so many of the best matches were considered. */
  window: number | null
  /** How many more of the considered matches are of the class maybe. */
  maybeResults: number
  /** Whether anything that the view shows or may offer has one of the words, whatever the filters say. */
  anyMatch: boolean
  /** The normalised words that were searched. */
  words: string[]
  /** How many requests have all words of the query. */
  totals: Totals
}

export interface SearchAnswer {
  data: Pick<SearchPage, 'hasMore' | 'limitReached'> & { results: (RequestRecord & { highlights?: Highlight[] })[] }
  meta: Totals & {
    originalQuery: string
    maybeResults: number
    window?: number
    didYouMean?: string
  }
}

/** The answer to every search, with what is read for it besides the page: highlights, and a suggestion where nothing matches. */
export async function toAnswer(
  executor: Executor,
  { query, highlight = false }: Pick<AnswerInput, 'query' | 'highlight'>,
  { results, hasMore, limitReached, window, maybeResults, anyMatch, words, totals }: SearchPage,
): Promise<SearchAnswer> {
  const didYouMean = anyMatch ? null : await suggestQuery(executor, query, words)
  const highlights = highlight ? await highlightMatches(executor, results, words) : null
  return {
    data: {
      results: results.map((result, index) => ({
        ...result,
        ...(highlights ? { highlights: highlights[index] ?? [] } : {}),
      })),
      hasMore,
      limitReached,
    },
    meta: {
      originalQuery: query,
      maybeResults,
      ...totals,
      ...(window === null ? {} : { window }),
      ...(didYouMean === null ? {} : { didYouMean }),
    },
  }
}

/**
 * The answer to a search of the cache, without what depends on the caller.
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched.
 */
export async function answerSearch(
  { searchIndex, executor }: { searchIndex: SearchIndex; executor: Executor },
  input: AnswerInput,
): Promise<SearchAnswer> {
  const { more, maybeIds, ...found } = await searchIndex.search(executor, input)
  const totals = await searchIndex.totals(executor, input)
  const atCap = input.offset + found.results.length >= searchCap
  return toAnswer(executor, input, {
    ...found,
    totals,
    maybeResults: maybeIds.length,
    hasMore: more && !atCap,
    limitReached: more && atCap,
  })
}
