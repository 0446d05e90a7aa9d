import { sql } from 'kysely'
import { isDatabaseUnavailable } from '../../database/errors.ts'
import type { Database, Executor, Transaction } from '../../database/open.ts'
import type { PlatformName } from '../../platforms/platform.ts'
import { bm25Matches, prepareBm25 } from './bm25.ts'
import { type BestMatches, readPage } from './page.ts'
import { normaliseQuery } from './text.ts'
import { prepareTsvector, tsvectorMatches } from './tsvector.ts'

export interface SearchMatches {
  /** Best first. */
  ids: string[]
  /** Another match exists after these. */
  more: boolean
  /** Set when filters looked at only this many best matches and there may be more among the rest. */
  window: number | null
}

export interface SearchFilters {
  platforms?: readonly PlatformName[]
  topicKey?: string
}

export interface SearchInput {
  /** As the user typed it. */
  query: string
  offset: number
  /** `offset` + `limit` is at most 100: what lies after the best 100 cannot be had. */
  limit: number
  filters?: SearchFilters
}

export interface SearchIndex {
  readonly kind: 'bm25' | 'tsvector'
  /** Why it is not `bm25`, for the operator; absent when it is. */
  readonly fallbackReason?: string
  /**
   * The requests with any of the query's words in title, description, tags, author name or handle, the best first;
   * equally good ones in the order of their ids, so that pages fit together. Never a request that does not match.
   */
  search(executor: Executor, input: SearchInput): Promise<SearchMatches>
}

/** Taken for the length of the transaction that prepares an index: processes that start together wait for each other. */
const preparationLock = 4_680_002

/**
 * Chooses the best search index that the database can have, and builds it where it is missing: BM25 where the extension
 * `pg_textsearch` can be created, else `tsvector`. Building it on a full table takes minutes, and nothing can be written
 * meanwhile; normally the table is empty then.
 */
export async function openSearchIndex(database: Database): Promise<SearchIndex> {
  try {
    await prepare(database, prepareBm25)
    return createSearchIndex('bm25', bm25Matches)
  } catch (error) {
    // A database that is away for a moment says nothing about what it can do.
    if (isDatabaseUnavailable(error)) throw error
    await prepare(database, prepareTsvector)
    const fallbackReason = error instanceof Error ? error.message : String(error)
    return { ...createSearchIndex('tsvector', tsvectorMatches), fallbackReason }
  }
}

const prepare = (database: Database, build: (transaction: Transaction) => Promise<void>): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    // A build takes as long as it takes; the limit of the connection is for queries.
    await sql`set local statement_timeout = 0`.execute(transaction)
    await sql`select pg_advisory_xact_lock(${sql.lit(preparationLock)})`.execute(transaction)
    await build(transaction)
  })

function createSearchIndex(kind: SearchIndex['kind'], bestMatches: BestMatches): SearchIndex {
  return {
    kind,
    search: async (executor, { query, offset, limit, filters = {} }) => {
      const words = normaliseQuery(query)
      if (words === '') return { ids: [], more: false, window: null }
      return readPage(executor, (most) => bestMatches(words, most), { offset, limit, filters })
    },
  }
}
