import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import { amongOf, bestOf, type Ranking } from './best-hits.ts'
import type { ExactOrder, OrderedIds, OrderedInput, SearchEngine, SearchQuery } from './engine.ts'
import { matchesOf, phrasesHold, phraseWords, requestsWithWords, visibleOf } from './matched-set.ts'
import { type CacheBounds, createCacheBounds, defaultBounds, readTotals, totalOf } from './totals.ts'

const columns: Record<ExactOrder, RawBuilder<unknown>> = { votes: sql`votes`, new: sql`posted_at` }

const maxMaybe = 1_000

interface OrderedRow {
  found: number
  total: number
  ids: string[]
  maybe_ids: string[]
}

/** `SearchEngine.ordered` in the database: reads and sorts all matches. In a large cache, null above a bound. */
async function readOrdered(
  executor: Executor,
  query: SearchQuery,
  { part, order, limit }: OrderedInput,
  { isSmall, sorted, counted }: CacheBounds,
): Promise<OrderedIds | null> {
  const least = sql.lit(filterView(query.filters).least)
  const inOrder = sql`standing desc, ${columns[order]} desc, id desc`
  const max = isSmall ? sql`null` : sql.lit(sorted + 1)
  const read = isSmall
    ? sql`select * from matches`
    : sql`select * from matches where (select count(*) from matches) <= ${sql.lit(sorted)}`
  const { rows } = await sql<OrderedRow>`
    with matches as materialized (${matchesOf(query, part, { max })}),
    visible as materialized (
      select id, standing, ${columns[order]} from (${visibleOf(query, read, part)}) as passing
    ),
    page as (select * from visible where standing >= ${least} order by ${inOrder} limit ${limit})
    select (select count(*)::int from matches) as found,
      (select count(*)::int from visible where standing >= ${least}) as total,
      (select coalesce(json_agg(id order by ${inOrder}), '[]') from page) as ids,
      (select coalesce(json_agg(id), '[]') from (
        select id from visible where standing < ${least} limit ${sql.lit(maxMaybe)}
      ) as maybe) as maybe_ids`.execute(executor)
  const { found, total, ids, maybe_ids: maybeIds } = rows[0]!
  if (!isSmall && found > sorted) return null
  return { ids, maybeIds, ...(part === 'all' ? { totals: totalOf(total, counted) } : {}) }
}

const maxCompared = 1_000

async function readWithPhrases(executor: Executor, query: SearchQuery, max: number): Promise<string[] | null> {
  const words = phraseWords(query)
  if (words === null) return null
  const { rows } = await sql<{ found: number; ids: string[] }>`
    with matches as materialized (
      select request_id from ${requestsWithWords(words, { max: sql.lit(maxCompared + 1) })}
    )
    select (select count(*)::int from matches) as found, (
      select coalesce(json_agg(request_id), '[]') from (
        select request_id from matches where ${phrasesHold(query, sql.ref('matches.request_id'))} limit ${max + 1}
      ) as held
    ) as ids`.execute(executor)
  const { found, ids } = rows[0]!
  return found > maxCompared || ids.length > max ? null : ids
}

/** Creates an engine from a ranking index and the stored words of all texts. @param bounds smaller for tests */
export function createDatabaseEngine(
  kind: SearchEngine['kind'],
  ranking: Ranking,
  bounds = defaultBounds,
): SearchEngine {
  const boundsIn = createCacheBounds(bounds)
  return {
    kind,
    best: async (executor, query, max) => bestOf(ranking, query, max, await boundsIn(executor)),
    among: async (_executor, query, ids) => amongOf(ranking, query, ids),
    withPhrases: readWithPhrases,
    ordered: async (executor, query, input) => readOrdered(executor, query, input, await boundsIn(executor)),
    totals: async (executor, query, input) => readTotals(executor, query, input, await boundsIn(executor)),
  }
}
