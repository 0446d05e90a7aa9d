import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { amongOf, bestOf, type Ranking } from './best-hits.ts'
import { createCacheBounds, defaultBounds } from './bounds.ts'
import type { SearchEngine, SearchQuery } from './engine.ts'
import { readOrdered } from './exact-order.ts'
import { phrasesHold, phraseWords, requestsWithWords } from './matched-set.ts'
import { readTotals } from './totals.ts'

/** The words of phrases must leave at most so many texts to compare. */
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

/**
 * An engine of the database: an index that ranks, and beside it the stored words of all texts, which say exactly what matches.
 * @param bounds smaller ones for tests: whatever it reads, an exact answer is the same
 */
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
