import { type RawBuilder, sql } from 'kysely'
import type { Executor } from '../../database/open.ts'
import { createCacheBounds, defaultBounds } from './bounds.ts'
import type { RankedQuery, SearchEngine, SearchQuery } from './engine.ts'
import { readOrdered } from './exact-order.ts'
import { bestFirst, type Hits, maxLower } from './hits.ts'
import { allWords, leastOffered, phrasesHold, phraseWords, requestsWithWords } from './matched-set.ts'
import { isOneWord } from './terms.ts'
import { readTotals, totalIn } from './totals.ts'

/**
 * How an index of the database ranks: queries with the columns `request_id`, `score`, the higher the better, `has_all`, whether the text has
 * all words, and `considered` as in `Hits`.
 */
export interface Ranking {
  /**
   * The `max` best matches by score and perhaps more. It gives no row that does not match, and all of the matches when they are fewer.
   * @param all a `tsquery` of all words; null where every match has them
   */
  best(words: string, all: RawBuilder<unknown> | null, max: number): RawBuilder<unknown>
  /** Those of the requests in `ids` that match; for a small number of ids, since every text is read. */
  among(words: string, all: RawBuilder<unknown> | null, ids: RawBuilder<unknown>): RawBuilder<unknown>
}

const allOf = ({ terms }: RankedQuery) => (isOneWord(terms) ? null : allWords(terms))

const hitsOf = (ranked: RawBuilder<unknown>) => sql`
  select request_id as id, score, has_all, considered::integer as considered, 0 as lower from (${ranked}) as ranked`

/**
 * The best by their scores, and before those with some of the words the others that have all. What their scores are is not known, but that they are at most those
 * of the worst here: to compute one takes 0.4 ms.
 */
function bestOf(ranking: Ranking, query: RankedQuery, max: number): Hits {
  const words = query.words.join(' ')
  const all = allOf(query)
  const best = sql`${hitsOf(ranking.best(words, all, max))} order by score desc, id limit ${max}`
  if (all === null) return best
  return sql`
    with best as materialized (${best}),
    found as materialized (select count(*) as hits, count(*) filter (where has_all) as whole, min(score) as worst,
      max(considered) as considered from best),
    lower_ones as materialized (
      select request_id from ${requestsWithWords(all, {
        least: leastOffered(query),
        max: sql`(select whole from found) + ${sql.lit(maxLower)}`,
      })}
      where (select (hits = ${max} or considered is not null) and whole < hits from found) and request_id not in (select id from best) limit ${sql.lit(maxLower)}
    )
    select id, score, has_all, (select considered from found) as considered, (select count(*)::integer from lower_ones) as lower from (
      select id, score, has_all from best union all select request_id, (select worst from found), true from lower_ones
    ) as hits order by ${bestFirst} limit ${max}`
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
    best: async (_executor, query, max) => bestOf(ranking, query, max),
    among: async (_executor, query, ids) =>
      hitsOf(ranking.among(query.words.join(' '), allOf(query), sql`${[...ids]}::uuid[]`)),
    withPhrases: readWithPhrases,
    ordered: async (executor, query, input) => readOrdered(executor, query, input, await boundsIn(executor)),
    totalIn: async (executor, query) => totalIn(query, await boundsIn(executor)),
    totals: async (executor, query, input) => readTotals(executor, query, input, await boundsIn(executor)),
  }
}
