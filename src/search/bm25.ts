import { sql } from 'kysely'
import type { Ranking } from './best-hits.ts'

/** How many matches the index can rank. */
export const depths = [101, 301, 1_001, 5_001] as const

export type Depth = (typeof depths)[number]

/** The function that gives the best matches. */
export const nameOfMatches = (max: Depth) => `best_${max}_matches`

const depthFor = (max: number): Depth => depths.find((depth) => depth >= max) ?? depths[3]

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with k1 = 1.2 and
 * b = 0.75, by the extension `pg_textsearch`, which finds the best matches without ranking the others (Block-Max WAND).
 */
export const bm25: Ranking = {
  best: (words, all, max) => sql`
    select request_id, -score as score, has_all, null::integer as considered
    from ${sql.id(nameOfMatches(depthFor(max)))}(${words}, ${all ?? sql`null`}) where score < 0`,
  // The same score, computed for each row by itself; a row that does not match has 0.
  among: (words, all, ids) => sql`
    select request_id, -score as score, has_all, null::integer as considered from (
      select request_id, text <@> to_bm25query(${words}, 'request_texts_bm25') as score,
        ${all === null ? sql`true` : sql`words @@ ${all}`} as has_all
      from request_texts where request_id = any(${ids}) offset 0
    ) as scored where score < 0`,
}

/**
 * Left to itself, the planner may score every row and sort: minutes on a large table, and rows that match nothing come
 * back with a score of 0. `enable_sort` leaves it the index as the only way, and only as a setting of a function can it
 * hold for this one statement. There is a function for each depth, because the index reads the limit from the plan; and a function keeps its plan.
 * `bm25_get_current_score` is the score that the index has just computed; `text <@> query` instead would
 * parse the whole text of each row again.
 */
export const matchesFunction = (max: Depth) => `
  create or replace function ${nameOfMatches(max)}(words text, all_words tsquery)
  returns table (request_id uuid, score double precision, has_all boolean)
  language plpgsql stable rows ${max} set enable_sort = off
  as $$
    begin
      return query select found.request_id, bm25_get_current_score(), all_words is null or found.words @@ all_words from request_texts as found
        order by found.text <@> to_bm25query(${nameOfMatches(max)}.words, 'request_texts_bm25') limit ${max};
    end
  $$`
