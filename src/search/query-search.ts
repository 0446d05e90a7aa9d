import type { Executor } from '../database/open.ts'
import type { RequestRecord } from '../requests/record.ts'
import { countOf, rareRequests } from '../requests/words/vocabulary.ts'
import { correctableWords, readCounts, readMeaning, readUnknown } from './correction.ts'
import type { Totals } from './engine.ts'
import type { Aside } from './matches.ts'
import { searchCap } from './orders.ts'
import { describeQuery, parseQuery, type UnderstoodQuery, withoutPhrases } from './query.ts'
import type { FoundMatches, SearchIndex, SearchInput, TotalsOfSearch } from './search-index.ts'
import { joinedNeighbours } from './terms.ts'

/** With fewer results than this for all phrases, results with the words alone follow. */
const fewPhraseResults = 10

interface FilledMatches extends FoundMatches {
  /** Ids of results that only fill up: they have words of the query, but not all its phrases. */
  onlyWords: ReadonlySet<string>
}

const none: ReadonlySet<string> = new Set()

/**
 * Searches. Quotes are often not meant as phrases, so under ten results with all phrases are followed by results with
 * the words alone, and a query like a title is ranked by its words. Exclusions and filters always apply; phrase-only
 * queries are not widened.
 * @throws ServiceError INVALID_REQUEST for an unsearchable query.
 */
async function searchFilled(index: SearchIndex, executor: Executor, input: SearchInput): Promise<FilledMatches> {
  const alone = withoutPhrases(input.query)
  if (alone === null) return { ...(await index.search(executor, input)), onlyWords: none }
  // A prefix at the end of a phrase is a whole word.
  const prefix = (input.prefix ?? false) && parseQuery(input.query, { prefix: true }).prefix !== null
  // Neither part alone has the totals of the search.
  const { aside: _, ...shared } = input
  const byWords = { ...shared, query: alone.query, prefix }
  return alone.isTitle ? searchTitle(index, executor, shared, byWords) : searchPhrases(index, executor, shared, byWords)
}

const idsOf = ({ results }: FoundMatches) => new Set(results.map(({ _id }) => _id))

/** Matches of the words, marked if they lack the phrases. */
async function searchTitle(index: SearchIndex, executor: Executor, input: SearchInput, byWords: SearchInput) {
  const found = await index.search(executor, byWords)
  const withPhrases = idsOf(await index.search(executor, { ...input, offset: 0, limit: searchCap }))
  return { ...found, onlyWords: new Set([...idsOf(found)].filter((id) => !withPhrases.has(id))) }
}

/** Matches of the phrases and, if few, then those of the words. */
async function searchPhrases(index: SearchIndex, executor: Executor, input: SearchInput, byWords: SearchInput) {
  const { offset, limit } = input
  const found = await index.search(executor, input)
  const isFew = !found.more && offset + found.results.length < fewPhraseResults
  // Pages beyond the phrase results are empty.
  const isBeyond = offset > 0 && found.results.length === 0
  if (!isFew && !isBeyond) return { ...found, onlyWords: none }
  const first = await index.search(executor, { ...input, offset: 0, limit: fewPhraseResults })
  if (first.results.length >= fewPhraseResults) return { ...found, onlyWords: none }
  const end = Math.min(offset + limit, searchCap)
  const enough = Math.min(end + first.results.length, searchCap)
  const filling = await index.search(executor, { ...byWords, offset: 0, limit: enough })
  const withPhrases = idsOf(first)
  const others = filling.results.filter(({ _id }) => !withPhrases.has(_id))
  const all = [...first.results, ...others]
  return {
    ...filling,
    results: all.slice(offset, end),
    more: filling.more || all.length > end,
    onlyWords: new Set(others.map(({ _id }) => _id)),
  }
}

export interface Understood extends UnderstoodQuery {
  corrected?: string
  /** Words without any match or similar word: possibly of a language that few texts are in. */
  unknown: string[]
}

export interface QueryMatches extends FilledMatches {
  understood: Understood
}

/** Searches a user's query with corrections. @throws ServiceError INVALID_REQUEST for an unsearchable query. */
export async function searchCorrected<Found extends { anyMatch: boolean; aside?: Aside | null }>(
  index: SearchIndex,
  executor: Executor,
  input: SearchInput,
  search: (input: SearchInput) => Promise<Found>,
): Promise<Found & { understood: Understood }> {
  const typed = describeQuery(input.query)
  const neighbours = joinedNeighbours(typed.words, typed.alternatives)
  const isKnown = (word: string) => typed.alternatives.some(({ words }) => words.split(' ').includes(word))
  const words = correctableWords(input.query).filter(({ word }) => !isKnown(word))
  const counted = [...words.map(({ word }) => word), ...neighbours.flatMap(({ others }) => others)]
  const found = await search({ ...input, aside: { words: counted, total: input.aside?.total ?? false } })
  const counts = found.aside?.counts ?? (await readCounts(executor, counted))
  const joined = neighbours.filter(({ others }) => others.some((word) => countOf(counts, word) > 0))
  // Part of another word, so no slip.
  const isPart = (word: string) => joined.some((pair) => pair.words.split(' ').includes(word))
  const rare = words.filter(({ word }) => countOf(counts, word) <= rareRequests && !isPart(word))
  const { corrected, alternatives } = await readMeaning(index, executor, input, rare)
  const understand = async (query: string): Promise<Understood> => {
    const read = describeQuery(query)
    const others = [...read.alternatives, ...joined, ...alternatives]
    const meant = new Set(others.flatMap((one) => one.words.split(' ')))
    // The last word may be incomplete. If anything matches, only possible slips are looked up.
    const whole = input.prefix ? read.words.slice(0, -1) : read.words
    const lookedUp = found.anyMatch ? words.map(({ word }) => word) : typed.words
    const doubtful = whole.filter((word) => lookedUp.includes(word) && countOf(counts, word) === 0 && !meant.has(word))
    return {
      ...read,
      ...(query === input.query ? {} : { corrected: query }),
      alternatives: others,
      unknown: await readUnknown(index, executor, input, doubtful),
    }
  }
  const searchInstead = async (query: string) => ({
    ...(await search({ ...input, query, alternatives })),
    understood: await understand(query),
  })
  if (corrected !== null || alternatives.length > 0) return searchInstead(corrected ?? input.query)
  return { ...found, understood: await understand(input.query) }
}

/** Searches, corrects and fills up phrases (decision 043). @throws ServiceError INVALID_REQUEST if unsearchable. */
export const searchQuery = (index: SearchIndex, executor: Executor, input: SearchInput): Promise<QueryMatches> =>
  searchCorrected(index, executor, input, (query) => searchFilled(index, executor, query))

export interface FullMatches {
  /** Exactly the requests that the total counts, without partial matches. */
  results: RequestRecord[]
  /** How many more match than lists of a search can reach. */
  beyond: number
  inPart: Totals
  understood: Understood
}

/** The query as searched, corrected and with alternative words. */
export const searchedFor = <Input extends TotalsOfSearch>(input: Input, understood: Understood): Input => ({
  ...input,
  query: understood.corrected ?? input.query,
  alternatives: understood.alternatives,
})

/** The full matches of a query in order. @throws ServiceError INVALID_REQUEST for an unsearchable query. */
export async function searchFull(index: SearchIndex, executor: Executor, input: SearchInput): Promise<FullMatches> {
  const found = await searchCorrected(index, executor, input, (query) => index.search(executor, query))
  const { results, whole, understood } = found
  const searched = searchedFor(input, understood)
  const inPart = await index.inPart(executor, searched)
  const full = results.slice(0, Math.max(0, whole - input.offset))
  const all = full.length < input.limit ? 0 : (await index.totals(executor, searched)).total
  return { results: full, beyond: Math.max(0, all - input.offset - full.length), inPart, understood }
}
