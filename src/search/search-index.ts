import { type RawBuilder, sql } from 'kysely'
import type { Database, Executor } from '../database/open.ts'
import type { RequestFilters } from '../requests/filters/filters.ts'
import { standingIn, type View } from '../requests/view.ts'
import { expandPrefix, likelySpellings, rarestWords } from '../requests/words/vocabulary.ts'
import type { SameWords } from '../runtime/text/same-words.ts'
import { otherFormsOf, type Spellings } from '../runtime/text/spellings.ts'
import { tellingWords } from '../runtime/text/words.ts'
import { bestFirst, type FacetName, type SearchEngine, type Totals } from './engine.ts'
import { type ChooseEngineOptions, chooseEngine } from './engine-choice.ts'
import type { PageInput, SearchMatches } from './matches.ts'
import { type SearchOrder, searchCap } from './orders.ts'
import { readBestPage, readOrderedPage } from './page.ts'
import { type Phrase, parseQuery, sameWordsIn, spellingsOf } from './query.ts'
import { matchesAmong, noRankedMatches, type RankedMatches, type RankOptions, rankMatches } from './ranked.ts'
import { type Beginning, isOneWord, partsOfBeginning, respell, termsOf } from './terms.ts'

export interface SearchInput {
  query: string
  offset: number
  /** `offset` + `limit` is at most 100, the last readable result. */
  limit: number
  filters?: RequestFilters
  /** Defaults to relevance. */
  sortBy?: SearchOrder
  prefix?: boolean
  fullText?: boolean
  /** Words of the query with alternatives to search, besides those known for all queries. */
  alternatives?: readonly SameWords[]
  /** What to read with a page by relevance, if possible: whether certain words are frequent, and the total. */
  aside?: PageInput['aside']
}

export interface FoundMatches extends SearchMatches {
  /** The searched words, normalized, including those that a prefix expands to. */
  words: string[]
}

export interface SearchIndex {
  readonly kind: SearchEngine['kind']
  readonly fallbackReason?: string
  /**
   * The requests with any of the query's words in title, description, tags, author name or handle, with its phrases and
   * without its exclusions. Best first; ties by id, so that pages fit together. In every order, those with all words
   * come first.
   * @throws ServiceError INVALID_REQUEST if the query cannot be searched, e.g. exclusions only.
   */
  search(executor: Executor, input: SearchInput): Promise<FoundMatches>
  /** Counts the full matches that pass the filters. @throws ServiceError INVALID_REQUEST for an unsearchable query. */
  totals(executor: Executor, input: TotalsOfSearch): Promise<Totals>
  /** Counts the requests with some, but not all, of the query's words that pass its filters. */
  inPart(executor: Executor, input: TotalsOfSearch): Promise<Totals>
  /** All considered matches of a search in its order, without records or paging. */
  rank(
    executor: Executor,
    input: SearchInput,
    options?: RankOptions,
  ): Promise<RankedMatches & Pick<FoundMatches, 'words'>>
  /** The matches of a search, on any page, among at most 150 requests. */
  among(executor: Executor, input: SearchInput, ids: readonly string[]): Promise<string[]>
  /** The likely requests of a view that best match any of the normalized words. Repeated words count repeatedly. */
  candidates(executor: Executor, words: readonly string[], input: CandidatesOfSearch): Promise<Candidate[]>
}

export interface CandidatesOfSearch {
  view: View
  max: number
  /** Marks candidates by a condition on `hits.id`. */
  marked?: RawBuilder<unknown> | undefined
}

export interface Candidate {
  id: string
  isMarked: boolean
}

/** A query and its filters, which determine totals. */
export interface TotalsOfSearch extends Pick<SearchInput, 'query' | 'filters' | 'prefix' | 'alternatives'> {
  facets?: readonly FacetName[]
}

/** Opens the search index. @throws SearchEngineError if its engine cannot be opened; there is no fallback. */
export async function openSearchIndex(database: Database, options?: ChooseEngineOptions): Promise<SearchIndex> {
  const { engine, ...reason } = await chooseEngine(database, options)
  return { ...createSearchIndex(engine), ...reason }
}

/** Longer queries are ranked by this many of their rarest words, unless hardly anything has them. */
const rankedWords = 16

const nothing: SearchMatches = {
  results: [],
  more: false,
  whole: 0,
  window: null,
  maybeIds: [],
  anyMatch: false,
  isAll: true,
  aside: null,
}

/** The words that start with a prefix or another spelling of it. */
async function readBeginnings(executor: Executor, prefix: string, spellings: Spellings): Promise<string[]> {
  // If a prefix ends in that e, its next letter may show that it is no umlaut: `doe`, `does`.
  const others = (spellings.get(prefix) ?? []).filter((other) => other.length > prefix.length || !/[aou]$/.test(other))
  const beginnings: string[] = []
  for (const beginning of [prefix, ...others]) beginnings.push(...(await expandPrefix(executor, beginning)))
  return beginnings
}

async function readBeginning(
  executor: Executor,
  prefix: string,
  { typed, spellings }: { typed: readonly string[]; spellings: Spellings },
): Promise<Beginning> {
  const parts = partsOfBeginning(typed, prefix)
  const words = await readBeginnings(executor, prefix, spellings)
  return { prefix, words, name: parts && { ...parts, words: await readBeginnings(executor, parts.last, spellings) } }
}

async function readQuery(
  executor: Executor,
  { query, filters = {}, prefix: isPrefix = false, alternatives = [] }: TotalsOfSearch,
) {
  const { words: typed, phrases, excluded, prefix } = parseQuery(query, { prefix: isPrefix })
  const spellings = await likelySpellings(executor, spellingsOf(query))
  const others = typed.flatMap((word) => spellings.get(word) ?? [])
  const forms = new Map(
    typed.map((word) => [word, [...(spellings.get(word) ?? []), ...otherFormsOf(word).map((form) => `"${form}"`)]]),
  )
  const beginning = prefix === null ? null : await readBeginning(executor, prefix, { typed, spellings })
  const same = [...sameWordsIn(query), ...alternatives]
  const meant = same.flatMap((one) => one.others)
  const words = [...new Set([...typed, ...others, ...(beginning?.words ?? []), ...(beginning?.name?.words ?? [])])]
  const inAllForms = (phrase: Phrase) => respell(phrase, spellings)
  return {
    words,
    /** Includes the other forms, which are not ranked: a rarer one would beat what was typed. */
    shownWords: [...new Set([...words, ...tellingWords(meant.join(' '))])],
    terms: termsOf(typed, beginning, { spellings: forms, same }),
    hasMeanings: same.some(({ kind }) => kind !== 'spelling'),
    phrases: phrases.map(inAllForms),
    excluded: excluded.map(inAllForms),
    filters,
  }
}

async function pageOf(executor: Executor, input: SearchInput) {
  const { sortBy = 'relevance', fullText = false, offset, aside } = input
  const query = await readQuery(executor, input)
  const limit = Math.max(0, Math.min(input.limit, searchCap - offset))
  return { ...query, allWords: query.words, sortBy, fullText, offset, limit, aside } satisfies PageInput
}

/** A page by relevance. Ranks long queries by their rarest words: frequent ones cost most and say least. */
async function readRanked(executor: Executor, engine: SearchEngine, page: PageInput): Promise<SearchMatches> {
  if (page.words.length > rankedWords && page.phrases.length === 0) {
    const words = await rarestWords(executor, page.words, rankedWords)
    const found = await readBestPage(executor, engine, { ...page, words })
    if (!found.isAll) return found
    return readBestPage(executor, engine, page)
  }
  return readBestPage(executor, engine, page)
}

const facetColumns = { id: sql.ref('request_facets.request_id'), standing: sql.ref('request_facets.standing') }

/** The best matches that are likely in a view. */
async function readCandidates(
  executor: Executor,
  engine: SearchEngine,
  words: readonly string[],
  { view, max, marked = sql`false` }: CandidatesOfSearch,
): Promise<Candidate[]> {
  if (words.length === 0) return []
  const hits = await engine.best(executor, { words, terms: [], filters: { view } }, searchCap + 1)
  const { rows } = await sql<Candidate>`
    select hits.id, ${marked} as "isMarked" from (${hits}) as hits join request_facets on request_facets.request_id = hits.id
    where ${standingIn(view, facetColumns)} = 2 order by ${bestFirst} limit ${max}`.execute(executor)
  return rows
}

/** Creates a search index on any engine. */
export function createSearchIndex(engine: SearchEngine): SearchIndex {
  return {
    kind: engine.kind,
    candidates: (executor, words, input) => readCandidates(executor, engine, words, input),
    search: async (executor, input) => {
      const page = await pageOf(executor, input)
      const { words, sortBy } = page
      if (words.length === 0) return { ...nothing, words: [] }
      const found =
        sortBy === 'relevance' ? readRanked(executor, engine, page) : readOrderedPage(executor, engine, page)
      return { ...(await found), words: page.shownWords }
    },
    rank: async (executor, input, options) => {
      const page = await pageOf(executor, input)
      const needed = page.offset + page.limit + 1
      const words = [...page.words]
      if (words.length === 0) return { ...noRankedMatches, words }
      const rank = async (ranked: readonly string[]) => ({
        ...(await rankMatches(executor, engine, { ...page, words: ranked }, { ...options, needed })),
        words,
      })
      if (words.length <= rankedWords) return rank(words)
      const found = await rank(await rarestWords(executor, words, rankedWords))
      return found.window === null ? rank(words) : found
    },
    among: async (executor, input, ids) => {
      const page = await pageOf(executor, input)
      return page.words.length === 0 ? [] : matchesAmong(executor, engine, page, ids)
    },
    inPart: async (executor, input) => {
      const query = await readQuery(executor, input)
      if (query.words.length === 0 || isOneWord(query.terms)) return { total: 0, totalIsExact: true }
      return engine.totals(executor, query, { facets: [], part: 'some' })
    },
    totals: async (executor, { facets = [], ...input }) => {
      const query = await readQuery(executor, input)
      if (query.words.length > 0) return engine.totals(executor, query, { facets })
      const none = { total: 0, totalIsExact: true }
      if (facets.length === 0) return none
      return { ...none, facets: Object.fromEntries(facets.map((name) => [name, []])), facetsAreExact: true }
    },
  }
}
