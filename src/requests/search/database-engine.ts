import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { createCacheBounds, defaultBounds } from './bounds.ts'
import type { Hits, SearchEngine, SearchQuery } from './engine.ts'
import { readOrdered } from './exact-order.ts'
import { phrasesHold, phraseWords, requestsWithWords } from './matched-set.ts'
import { readTotals } from './totals.ts'

/** How an index of the database ranks: queries with the columns `request_id`, `score`, the higher the better, and `considered` as in `Hits`. */
export interface Ranking {
  /** The `max` best matches and perhaps more. It gives no row that does not match, and all of the matches when they are fewer. */
  best(words: string, max: number): RawBuilder<unknown>
  /** Those of the requests in `ids` that match; for a small number of ids, since every text is read. */
  among(words: string, ids: RawBuilder<unknown>): RawBuilder<unknown>
}

async function readHits(executor: Executor, ranked: RawBuilder<unknown>, max: number): Promise<Hits> {
  const { rows } = await sql<{ id: string; score: number; considered: number | null }>`
    select request_id as id, score, considered::integer as considered from (${ranked}) as ranked
    order by score desc, request_id limit ${max}`.execute(executor)
  const considered = rows[0]?.considered ?? null
  const hits: Hits = rows.map(({ id, score }) => ({ id, score }))
  return considered === null ? hits : Object.assign(hits, { considered })
}

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
    best: (executor, words, max) => readHits(executor, ranking.best(words.join(' '), max), max),
    among: (executor, words, ids) =>
      readHits(executor, ranking.among(words.join(' '), sql`${[...ids]}::uuid[]`), ids.length),
    withPhrases: readWithPhrases,
    ordered: async (executor, query, input) => readOrdered(executor, query, input, await boundsIn(executor)),
    totals: async (executor, query, input) => readTotals(executor, query, input, await boundsIn(executor)),
  }
}
