import type { Executor } from '../database/open.ts'
import type { RequestRecord } from '../requests/record.ts'
import type { FacetName, Totals } from './engine.ts'
import { type Highlight, highlightMatches } from './highlight.ts'
import { searchCap } from './orders.ts'
import { searchedFor, searchQuery, type Understood } from './query-search.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'

export type AskedTotals = Totals & { inPart?: number }

export interface AnswerInput extends SearchInput {
  highlight?: boolean
  /** Whether to count full matches; facets always do. */
  total?: boolean
  /** With `total`: whether to count partial matches, too. */
  inPart?: boolean
  facets?: readonly FacetName[]
}

/** One page of search results, for a query alone or together with its expanded topics. */
export interface SearchPage {
  results: RequestRecord[]
  /** There is another page within the cap. */
  hasMore: boolean
  /** This page ends at result 100, and more match. */
  limitReached: boolean
  /** Set if only this many best matches were considered. */
  window: number | null
  /** How many more considered matches are of the class maybe. */
  maybeResults: number
  words: string[]
  /** How many requests match all words of the query, and how many only some; null unless asked for. */
  totals: AskedTotals | null
  understood: Understood
  /** Ids of results with words of the query, but not all its phrases. */
  onlyWords: ReadonlySet<string>
}

/** A record, and why it is a result if that is not obvious. */
export type SearchResult = RequestRecord & { highlights?: Highlight[]; matchedBy?: 'words' }

export interface SearchAnswer {
  data: Pick<SearchPage, 'hasMore' | 'limitReached'> & { results: SearchResult[] }
  meta: Partial<AskedTotals> & {
    originalQuery: string
    understood: Understood
    maybeResults: number
    window?: number
    didYouMean?: string
  }
}

const isCounted = ({ total, facets = [] }: AnswerInput) => total === true || facets.length > 0

/** Reads the totals and facets of a search in a separate statement; null unless asked for. */
export const readAskedTotals = async (
  searchIndex: SearchIndex,
  executor: Executor,
  input: AnswerInput,
  understood: Understood,
): Promise<AskedTotals | null> => {
  if (!isCounted(input)) return null
  const query = searchedFor(input, understood)
  const totals = await searchIndex.totals(executor, query)
  return input.inPart ? { ...totals, inPart: (await searchIndex.inPart(executor, query)).total } : totals
}

/** Builds the answer to any search, including the highlights. */
export async function toAnswer(
  executor: Executor,
  { query, highlight = false }: Pick<AnswerInput, 'query' | 'highlight'>,
  { results, hasMore, limitReached, window, maybeResults, words, totals, understood, onlyWords }: SearchPage,
): Promise<SearchAnswer> {
  const highlights = highlight ? await highlightMatches(executor, results, words) : null
  return {
    data: {
      results: results.map((result, index) => ({
        ...result,
        ...(highlights ? { highlights: highlights[index] ?? [] } : {}),
        ...(onlyWords.has(result._id) ? { matchedBy: 'words' as const } : {}),
      })),
      hasMore,
      limitReached,
    },
    meta: {
      originalQuery: query,
      understood,
      maybeResults,
      ...totals,
      ...(window === null ? {} : { window }),
      ...(understood.corrected === undefined ? {} : { didYouMean: understood.corrected }),
    },
  }
}

/** Answers a search of the cache. @throws ServiceError INVALID_REQUEST for an unsearchable query. */
export async function answerSearch(
  { searchIndex, executor }: { searchIndex: SearchIndex; executor: Executor },
  input: AnswerInput,
): Promise<SearchAnswer> {
  const total = isCounted(input) && (input.facets ?? []).length === 0 && !input.inPart
  const { more, maybeIds, ...found } = await searchQuery(searchIndex, executor, {
    ...input,
    aside: { words: [], total },
  })
  const totals = found.aside?.totals ?? (await readAskedTotals(searchIndex, executor, input, found.understood))
  const atCap = input.offset + found.results.length >= searchCap
  return toAnswer(executor, input, {
    ...found,
    totals,
    maybeResults: maybeIds.length,
    hasMore: more && !atCap,
    limitReached: more && atCap,
  })
}
