import { type RawBuilder, sql } from 'kysely'
import type { Ranking } from './best-hits.ts'

export interface RankingBounds {
  /** Matches ranked by all their words, at 20 to 30 µs each; the others follow by estimate. */
  rankedExactly: number
  /** Candidates per word, those in which it weighs most. Queries of many words take fewer each. */
  maxOfWord: number
  /** The fewest candidates per word, if together they would exceed `maxOfQuery`. */
  minOfWord: number
  maxOfQuery: number
}

export const defaultRankingBounds: RankingBounds = {
  rankedExactly: 300,
  maxOfWord: 4_000,
  minOfWord: 1_000,
  maxOfQuery: 12_000,
}

/** Weight of merit, which breaks ties if too many match: smaller than any real difference in score. */
const meritShare = 0.000001

/** BM25's saturation, k1 = 1.2, b = 0.75. `tsvector-preparation.ts` estimates the average length of a text. */
const saturation = sql.raw(`2.2 * frequency / (frequency + 1.2::float8 * (0.25 + 0.75 * length / usual_length))`)

/** A query's words with their number of texts, inverse document frequency and maximum of candidates. */
const termsOf = (words: string, { minOfWord, maxOfWord, maxOfQuery }: RankingBounds) => sql`
  terms as materialized (
    select lexeme, texts, rarity,
      greatest(${sql.lit(minOfWord)}, least(${sql.lit(maxOfWord)}, ${sql.lit(maxOfQuery)} / count(*) over ()))::integer as max_of_word,
      coalesce((select usual_length from search_engine), 100)::float8 as usual_length
    from ranked_terms(${words})
  )`

/** Scores texts by all their words. @param texts a query with `request_id` and `words` */
const scored = (texts: RawBuilder<unknown>) => sql`
  select request_id, score from (${texts}) as some_texts
  cross join lateral (
    select sum(cardinality(positions))::float8 as length,
      array_agg(lexeme) filter (where lexeme = any((select array_agg(lexeme) from terms)::text[])) as lexemes,
      array_agg(cardinality(positions)) filter (where lexeme = any((select array_agg(lexeme) from terms)::text[])) as frequencies
    from unnest(words)
  ) as counted
  cross join lateral (
    select sum(rarity * ${saturation}) as score
    from unnest(lexemes, frequencies) as counted_word (lexeme, frequency) join terms using (lexeme)
  ) as summed where score > 0`

/**
 * BM25 in SQL, over the matches that may be among the best: all, unless a word has too many texts. Then the candidates
 * are the texts in which the words weigh most and, among equals, the most voted and newest.
 * @param bounds smaller ones for tests
 */
export const rankByWeights = (bounds = defaultRankingBounds): Ranking => ({
  best: (words, all, max) => sql`
    with ${termsOf(words, bounds)},
    sampled as materialized (select coalesce(bool_or(texts > max_of_word), false) as is_sampled from terms),
    candidates as materialized (
      select found.* from (
        select array_agg(lexeme) as lexemes, array_agg(texts) as texts, array_agg(rarity) as rarities, min(max_of_word) as max_of_word
        from terms
      ) as query, ranked_candidates(query.lexemes, query.texts, query.rarities, query.max_of_word) as found
    ),
    likely as materialized (
      select request_id, merit from candidates cross join sampled
      order by estimate desc, case when is_sampled then merit end desc, request_id limit ${sql.lit(bounds.rankedExactly)}
    ),
    exact as materialized (${scored(sql`
      select request_id, words from likely join request_texts using (request_id)`)})
    select request_id, score, ${all === null ? sql`true` : sql`words @@ ${all}`} as has_all, considered from (
    select request_id, score * (case when is_sampled then 1 + ${sql.lit(meritShare)} * merit else 1 end) as score,
      case when is_sampled then count(*) over () end as considered
    from (
      select request_id, score, merit from exact join likely using (request_id)
      union all
      select request_id, least(estimate, (select min(score) from exact)), merit from candidates
      where not exists (select from likely where likely.request_id = candidates.request_id)
    ) as ranked cross join sampled order by score desc, request_id limit ${max}
    ) as best join request_texts using (request_id)`,
  among: (words, all, ids) => sql`
    with ${termsOf(words, bounds)}
    select request_id, score, ${all === null ? sql`true` : sql`words @@ ${all}`} as has_all, null::integer as considered
    from (${scored(sql`
      select request_id, words from request_texts where request_id = any(${ids})`)}) as ranked
      join request_texts using (request_id)`,
})

export const tsvector = rankByWeights()
