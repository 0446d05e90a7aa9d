/** The engine that searches this database, so that no process takes another one by itself, and what `tsvector` ranks by. */
export const searchEngine: readonly string[] = [
  `create table search_engine (
    only_row boolean primary key default true check (only_row),
    kind text not null check (kind in ('bm25', 'tsvector')),
    chosen_at timestamptz not null default now(),
    usual_length integer not null default 100 check (usual_length > 0)
  )`,
  `insert into search_engine (kind)
    select 'bm25' where to_regclass(quote_ident(current_schema()) || '.request_texts_bm25') is not null`,
  /* The words that weigh much in a text, each with its level of weight: 'dark~c'. Of BM25's saturation f / (f + k1 (1 - b + b length / average)) with k1 = 1.2,
     b = 0.75 and 100 words on average, the words with at least a half; three levels double the ratio. The index of the engine tsvector has these: its lists
     are in the order of weight. Immutable for the same reason as searched_words. */
  `create function word_weights(id uuid, words_version integer) returns text[] language sql immutable parallel safe
    begin atomic
      select coalesce(array_agg(lexeme || '~' || chr(97 + least(11, floor(3 * ln(ratio) / ln(2::float8)))::integer))
        filter (where ratio >= 1), '{}')
      from (
        select lexeme, frequency / (1.2::float8 * (0.25 + 0.75 * length / 100)) as ratio
        from (
          select lexeme, cardinality(positions) as frequency, (sum(cardinality(positions)) over ())::float8 as length
          from request_texts, unnest(words) where request_texts.request_id = id
        ) as counted
      ) as weighed;
    end`,
]
