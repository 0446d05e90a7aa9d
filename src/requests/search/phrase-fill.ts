import type { Executor } from '../../database/open.ts'
import { searchCap } from './orders.ts'
import { parseQuery, withoutPhrases } from './query.ts'
import type { FoundMatches, SearchIndex, SearchInput } from './search-index.ts'

/** Fewer results than this with all phrases are few: then results with the words alone follow. */
export const fewPhraseResults = 10

export interface FilledMatches extends FoundMatches {
  /** The ids of the results that only fill up: they have words of the query, but not all of its phrases. */
  onlyWords: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/**
 * Searches; where fewer than ten results have all phrases of the query, results with its words alone follow them, as quotes in a title
 * are seldom meant as phrases. Exclusions and filters hold for all. A query of phrases only is not filled up. The list is the same
 * for every page of it.
 * @throws ServiceError INVALID_REQUEST for a query that cannot be searched.
 */
export async function searchFilled(index: SearchIndex, executor: Executor, input: SearchInput): Promise<FilledMatches> {
  const found = await index.search(executor, input)
  const query = withoutPhrases(input.query)
  const { offset, limit } = input
  const isFew = !found.more && offset + found.results.length < fewPhraseResults
  // Beyond the phrase results a page is empty, however many they are.
  const isBeyond = offset > 0 && found.results.length === 0
  if (query === null || !(isFew || isBeyond)) return { ...found, onlyWords: none }
  const first = { ...input, offset: 0 }
  const phrased = await index.search(executor, { ...first, limit: fewPhraseResults })
  if (phrased.results.length >= fewPhraseResults) return { ...found, onlyWords: none }
  const withPhrases = new Set(phrased.results.map(({ _id }) => _id))
  const end = Math.min(offset + limit, searchCap)
  // As in the query: a beginning that ends a phrase is a whole word.
  const prefix = (input.prefix ?? false) && parseQuery(input.query, { prefix: true }).prefix !== null
  const enough = Math.min(end + withPhrases.size, searchCap)
  const byWords = await index.search(executor, { ...first, query, prefix, limit: enough })
  const others = byWords.results.filter(({ _id }) => !withPhrases.has(_id))
  const all = [...phrased.results, ...others]
  return {
    ...byWords,
    words: found.words,
    results: all.slice(offset, end),
    more: byWords.more || all.length > end,
    onlyWords: new Set(others.map(({ _id }) => _id)),
  }
}
