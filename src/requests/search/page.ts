import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import type { SearchFilters, SearchMatches } from './search-index.ts'

/**
 * The `most` best matches of some normalised words, as a query with the columns `request_id` and `score`, the lower the
 * better. It gives no row that does not match, and all of the matches when they are fewer.
 */
export type BestMatches = (words: string, most: number) => RawBuilder<unknown>

/** However a search is paged, nobody sees more than its best 100. */
const searchCap = 100
/** Filters look at this many of the best matches, so that a filter that keeps nothing costs no more than another. */
const filterWindow = 1_000

/**
 * One page of the best matches. Always the same number of them is ranked, whichever page is asked for: where equally good
 * ones are cut off then does not depend on the page.
 */
export function readPage(
  executor: Executor,
  best: (most: number) => RawBuilder<unknown>,
  { offset, limit, filters }: { offset: number; limit: number; filters: SearchFilters },
): Promise<SearchMatches> {
  const filtered = filters.platforms !== undefined || filters.topicKey !== undefined
  const page = { offset, limit: Math.max(0, Math.min(limit, searchCap - offset)) }
  return filtered ? readFiltered(executor, best, page, filters) : readPlain(executor, best, page)
}

interface PageBounds {
  offset: number
  limit: number
}

async function readPlain(
  executor: Executor,
  best: (most: number) => RawBuilder<unknown>,
  { offset, limit }: PageBounds,
): Promise<SearchMatches> {
  const { rows } = await sql<{ id: string }>`
    with matches as materialized (${best(searchCap + 1)})
    select request_id as id from matches order by score, request_id
    limit ${limit + 1} offset ${offset}`.execute(executor)
  return { ids: rows.slice(0, limit).map((row) => row.id), more: rows.length > limit, window: null }
}

async function readFiltered(
  executor: Executor,
  best: (most: number) => RawBuilder<unknown>,
  { offset, limit }: PageBounds,
  { platforms, topicKey }: SearchFilters,
): Promise<SearchMatches> {
  const onPlatform = platforms === undefined ? sql`true` : sql`requests.platform = any(${platforms}::text[])`
  const ofTopic =
    topicKey === undefined
      ? sql`true`
      : sql`exists (select from request_topics
          where request_topics.request_id = matches.request_id and request_topics.topic_key = ${topicKey})`
  const { rows } = await sql<{ found: number; ids: string[] }>`
    with matches as materialized (${best(filterWindow + 1)}),
    considered as materialized (select * from matches order by score, request_id limit ${sql.lit(filterWindow)}),
    page as materialized (
      select matches.request_id as id, score
      from considered as matches join requests on requests.id = matches.request_id
      where ${onPlatform} and ${ofTopic}
      order by score, matches.request_id limit ${limit + 1} offset ${offset}
    )
    select (select count(*)::int from matches) as found,
      (select coalesce(json_agg(id order by score, id), '[]') from page) as ids`.execute(executor)
  const { found, ids } = rows[0]!
  return {
    ids: ids.slice(0, limit),
    more: ids.length > limit,
    window: found > filterWindow ? filterWindow : null,
  }
}
