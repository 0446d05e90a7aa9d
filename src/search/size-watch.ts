import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Database } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'
import type { SearchIndex } from './search-index.ts'

/** From this many requests on, `tsvector` is no longer recommended; it keeps working. */
const warnedRequests = 50_000

const countedMs = 60_000
const loggedMs = 24 * 60 * 60_000

export interface SizeWatchOptions {
  database: Database
  searchIndex: Pick<SearchIndex, 'kind'>
  log: Pick<Logger, 'warn'>
  clock: Clock
  /** For tests: warns from this many requests on. */
  from?: number
}

export interface SizeWatch {
  /** Advice on the search engine for the operator; counted once a minute. */
  warnings(): Promise<string[]>
  /** Logs the warnings once a day, as a maintenance job. */
  check(): Promise<boolean>
}

const warning = (from: number) =>
  `${from.toLocaleString('en')} requests or more are searched with tsvector, which ranks only a part of the matches of common words. ` +
  'Install the extension pg_textsearch and run `wishwell admin migrate`, or set SEARCH_URL to an OpenSearch cluster.'

/** Warns if the cache has outgrown its search engine. */
export function watchSearchSize({
  database,
  searchIndex,
  log,
  clock,
  from = warnedRequests,
}: SizeWatchOptions): SizeWatch {
  let counted: { at: number; isLarge: Promise<boolean> } | null = null
  let loggedAt = Number.NEGATIVE_INFINITY
  const readIsLarge = async () => {
    const { rows } = await sql<{ large: boolean }>`
      select count(*) >= ${from}::integer as large from (select from searchable_requests limit ${from}::integer) as first_ones`.execute(
      database,
    )
    return rows[0]!.large
  }
  const warnings = async () => {
    if (searchIndex.kind !== 'tsvector') return []
    const now = clock.now().getTime()
    if (counted === null || now - counted.at >= countedMs) {
      const isLarge = readIsLarge()
      counted = { at: now, isLarge }
      // The next call counts again.
      isLarge.catch(() => {
        counted = null
      })
    }
    return (await counted.isLarge) ? [warning(from)] : []
  }
  return {
    warnings,
    check: async () => {
      const now = clock.now().getTime()
      if (now - loggedAt < loggedMs) return false
      for (const text of await warnings()) {
        log.warn(text)
        loggedAt = now
      }
      return false
    },
  }
}
