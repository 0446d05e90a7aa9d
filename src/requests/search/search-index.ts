import { sql } from 'kysely'
import { takeLock } from '../../database/advisory-locks.ts'
import { isDatabaseUnavailable } from '../../database/errors.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { RequestFilters } from '../filters/filters.ts'
import { bm25, prepareBm25 } from './bm25.ts'
import { type SearchOrder, searchCap } from './orders.ts'
import { depths, readPage, type SearchEngine, type SearchMatches } from './page.ts'
import { parseQuery } from './query.ts'
import { tsvector } from './tsvector.ts'
import { expandPrefix, rarestWords } from './vocabulary.ts'

export interface SearchInput {
  /** As the user typed it. */
  query: string
  offset: number
  /** `offset` + `limit` is at most 100: what lies after the best 100 cannot be read. */
  limit: number
  filters?: RequestFilters
  /** By relevance unless said otherwise. */
  sortBy?: SearchOrder
  /** Whether the last word may be the beginning of one. */
  prefix?: boolean
  /** Whether the results have their whole descriptions. */
  fullText?: boolean
}

export interface FoundMatches extends SearchMatches {
  /** The normalised words that were searched, also those that a beginning stands for. */
  words: string[]
}

export interface SearchIndex {
  readonly kind: 'bm25' | 'tsvector'
  /** Why it is not `bm25`, for the operator; absent when it is. */
  readonly fallbackReason?: string
  /**
   * The requests with any of the query's words in title, description, tags, author name or handle, that have its phrases and
   * have nothing that it leaves out; the best first, equally good ones in the order of their ids, so that pages fit together.
   * Never a request that does not match.
   * @throws ServiceError INVALID_REQUEST for a query that cannot be searched, such as one with exclusions only.
   */
  search(executor: Executor, input: SearchInput): Promise<FoundMatches>
  /**
   * The likely requests of the shared view that match any of some normalised words best, the best first. A word that is given several
   * times counts so many times.
   */
  candidates(executor: Executor, words: readonly string[], max: number): Promise<Candidate[]>
}

export interface Candidate {
  id: string
  /** Higher for a better match; comparable only within one answer. */
  score: number
}

/**
 * Chooses the best search index that the database can have, and builds it where it is missing: BM25 where the extension
 * `pg_textsearch` can be created, else `tsvector`. Building it on a full table takes minutes, and nothing can be written
 * meanwhile; normally the table is empty then.
 */
export async function openSearchIndex(database: Database): Promise<SearchIndex> {
  try {
    await prepare(database, prepareBm25)
    return createSearchIndex('bm25', bm25)
  } catch (error) {
    // A database that is away for a moment says nothing about what it can do.
    if (isDatabaseUnavailable(error)) throw error
    const fallbackReason = error instanceof Error ? error.message : String(error)
    return { ...createSearchIndex('tsvector', tsvector), fallbackReason }
  }
}

const prepare = (database: Database, build: (transaction: Transaction) => Promise<void>): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    // A build takes as long as it takes; the limit of the connection is for queries.
    await sql`set local statement_timeout = 0`.execute(transaction)
    // Processes that start together wait for each other.
    await takeLock(transaction, 'searchIndex')
    await build(transaction)
  })

/** A longer query is ranked by this many of its words, the rarest, unless nearly nothing has them. */
const rankedWords = 16

const nothing: SearchMatches = { results: [], more: false, window: null, maybeIds: [], anyMatch: false, isAll: true }

function createSearchIndex(kind: SearchIndex['kind'], engine: SearchEngine): SearchIndex {
  return {
    kind,
    candidates: async (executor, words, max) => {
      if (words.length === 0) return []
      const { rows } = await sql<Candidate>`
        select request_id as id, -score as score from (${engine.best(words.join(' '), depths[0])}) as best
        join requests on requests.id = request_id where standing = 2
        order by best.score, request_id limit ${max}`.execute(executor)
      return rows
    },
    search: async (executor, input) => {
      const { filters = {}, sortBy = 'relevance', fullText = false, offset } = input
      const { words: typed, phrases, excluded, prefix } = parseQuery(input.query, { prefix: input.prefix ?? false })
      const beginnings = prefix === null ? [] : await expandPrefix(executor, prefix)
      const words = [...new Set([...typed, ...beginnings])]
      if (words.length === 0) return { ...nothing, words }
      const limit = Math.max(0, Math.min(input.limit, searchCap - offset))
      const allWords = words.join(' ')
      const page = { words: allWords, allWords, phrases, excluded, filters, sortBy, fullText, offset, limit }
      // A word costs the more the more frequent it is, and the frequent ones say the least.
      if (words.length > rankedWords && phrases.length === 0) {
        const rarest = await rarestWords(executor, words, rankedWords)
        const found = await readPage(executor, engine, { ...page, words: rarest.join(' ') })
        if (!found.isAll) return { ...found, words }
      }
      return { ...(await readPage(executor, engine, page)), words }
    },
  }
}
