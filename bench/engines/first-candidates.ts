import { type RawBuilder, sql } from 'kysely'
import type { Ranking } from '../../src/requests/search/database-engine.ts'
import { requestsWithWords } from '../../src/requests/search/matched-set.ts'

// How `tsvector` ranked before decision 049, for comparison: of too many matches the first ones of the table, by ts_rank.

const rareCandidates = 10_000
const commonCandidates = 2_000

const ranked = (words: string, candidates: RawBuilder<unknown>) => sql`
  with shares as (
    select lexeme, share
    from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (lexeme, share)
    where schemaname = current_schema() and tablename = 'request_texts' and attname = 'words' and lexeme is not null
  ), typed as materialized (
    select quote_literal(typed.lexeme) as term,
      coalesce(shares.share, (select min(share) / 2 from shares), 0.001) as share
    from unnest(to_tsvector('wishwell', ${words})) as typed left join shares using (lexeme)
  ), terms as materialized (
    select term, share, row_number() over rarest_first = 1 or ${sql.lit(rareCandidates)} >=
      sum(share) over rarest_first * (select reltuples from pg_class where oid = 'request_texts'::regclass) as rare
    from typed window rarest_first as (order by share, term)
  ), queries as materialized (
    select (string_agg(term, '|') filter (where rare))::tsquery as rare,
      (string_agg(term, '|') filter (where not rare))::tsquery as common
    from terms
  ), candidates as materialized (${candidates})
  select request_id, score, true as has_all, null::integer as considered
  from (select request_id, setweight(words, 'D') as words from candidates) as unpacked, lateral (
    select sum((0.01 - ln(share)) * ts_rank(words, term::tsquery, 1)) as score from terms
  ) as ranked`

export const firstCandidates: Ranking = {
  best: (words) =>
    ranked(
      words,
      sql`
    select request_id, words from (
      select request_id from ${requestsWithWords(sql`(select rare from queries)`, { max: sql.lit(rareCandidates) })}
      union
      select request_id
      from ${requestsWithWords(sql`(select common && !!rare from queries)`, { max: sql.lit(commonCandidates) })}
    ) as found join request_texts using (request_id)`,
    ),
  among: (words, _all, ids) =>
    ranked(words, sql`select request_id, words from request_texts where request_id = any(${ids})`),
}
