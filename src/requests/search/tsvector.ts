import { type RawBuilder, sql } from 'kysely'
import type { Ranking } from './database-engine.ts'
import { requestsWithWords } from './matched-set.ts'

/** Ranking reads each candidate's words, some 10 µs, so a query ranks at most this many with its rarer words … */
const rareCandidates = 10_000
/** … and this many more that have only its common ones. */
const commonCandidates = 2_000

/**
 * Postgres' own text search with any of the words. `ts_rank` does not weigh how rare a word is, so it ranks each word by
 * itself (divided by 1 + the logarithm of the number of words in the text), and the sum is weighted as BM25 does, by the
 * inverse document frequency, -ln of the share of rows that have the word. The shares are those that ANALYZE keeps of
 * the most common words; a word that is not among them counts as rarer than all of these. They also decide which words
 * lead to the candidates: the rarest, as long as no more rows than can be ranked are expected to have them.
 */
const ranked = (words: string, candidates: RawBuilder<unknown>) => sql`
  with shares as (
    select lexeme, share
    from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (lexeme, share)
    where schemaname = current_schema() and tablename = 'request_texts' and attname = 'words' and lexeme is not null
  ), asked as materialized (
    select quote_literal(asked.lexeme) as term,
      coalesce(shares.share, (select min(share) / 2 from shares), 0.001) as share
    from unnest(to_tsvector('wishwell', ${words})) as asked left join shares using (lexeme)
  ), terms as materialized (
    select term, share, row_number() over rarest_first = 1 or ${sql.lit(rareCandidates)} >=
      sum(share) over rarest_first * (select reltuples from pg_class where oid = 'request_texts'::regclass) as rare
    from asked window rarest_first as (order by share, term)
  ), queries as materialized (
    select (string_agg(term, '|') filter (where rare))::tsquery as rare,
      (string_agg(term, '|') filter (where not rare))::tsquery as common
    from terms
  ), candidates as materialized (${candidates})
  select request_id, score
  -- The empty weighting unpacks a long row once, not once for each term; the 0.01 ranks rows by a word that all have.
  from (select request_id, setweight(words, 'D') as words from candidates) as unpacked, lateral (
    select sum((0.01 - ln(share)) * ts_rank(words, term::tsquery, 1)) as score from terms
  ) as ranked
`

const likelyCandidates = sql`
  select request_id, words from (
    select request_id from ${requestsWithWords(sql`(select rare from queries)`, { max: sql.lit(rareCandidates) })}
    -- Never twice: while the index takes over new entries, a text may seem not to have one of its words yet.
    union
    select request_id
    from ${requestsWithWords(sql`(select common && !!rare from queries)`, { max: sql.lit(commonCandidates) })}
  ) as found join request_texts using (request_id)`

export const tsvector: Ranking = {
  best: (words) => ranked(words, likelyCandidates),
  among: (words, ids) =>
    ranked(
      words,
      sql`select request_id, words from request_texts where request_id = any(${ids})
        and words @@ (select string_agg(term, '|')::tsquery from terms)`,
    ),
}
