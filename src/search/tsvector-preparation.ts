import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import type { Clock } from '../runtime/clock.ts'
import { wantedOf } from './best-match.ts'
import { type BuildOptions, prepareIndex, withBuildLock } from './index-build.ts'

/** Texts sampled for the average length, 20 µs each. */
const sampledTexts = 1_000
/** Smaller changes of the average are ignored, since each shifts the ranking a little. */
const minChange = 0.1
const intervalMs = 24 * 60 * 60_000

/** Estimates the average length of a text in words, for the ranking, and stores it if it changed notably. */
export async function estimateUsualLength(executor: Executor): Promise<void> {
  const { rows: sizes } = await sql<{ texts: number }>`
    select greatest(reltuples, ${sql.lit(sampledTexts)})::float8 as texts from pg_class
    where oid = 'request_texts'::regclass`.execute(executor)
  // Twice the wanted number on average, because some pages have dead rows.
  const percent = Math.min(100, (200 * sampledTexts) / sizes[0]!.texts)
  await sql`
    update search_engine set usual_length = average
    from (
      select greatest(1, round(avg(length)))::integer as average from (
        select words from request_texts tablesample system (${sql.lit(percent)})
        limit ${sql.lit(sampledTexts)}
      ) as texts cross join lateral (select sum(cardinality(positions)) as length from unnest(words)) as counted
      having count(length) > 0
    ) as sample
    where abs(average - usual_length) > ${sql.lit(minChange)} * usual_length`.execute(executor)
}

/** A maintenance job that re-estimates the length daily while `tsvector` searches. */
export function createUsualLength(database: Database, clock: Clock, kind: string): () => Promise<boolean> {
  let estimatedAt = clock.now().getTime()
  return async () => {
    if (kind !== 'tsvector' || clock.now().getTime() - estimatedAt < intervalMs) return false
    await estimateUsualLength(database)
    estimatedAt = clock.now().getTime()
    return false
  }
}

/** Texts counted per word; for the most common words, ANALYZE knows the number. */
const maxCounted = 20_000

/** The least that a word adds (BM25 saturation) to a text that has it, if it is not among its heavy words. */
const light = sql`0.8::float8`

/** The levels of `word_weights`, heaviest first, each with the BM25 saturation at its middle. */
const levels = sql.join(
  Array.from({ length: 12 }, (_, index) => 11 - index).map((level) => {
    const ratio = 2 ** ((level + 0.5) / 3)
    const letter = String.fromCharCode('a'.charCodeAt(0) + level)
    return sql`(${sql.lit(`~${letter}`)}, ${sql.lit((2.2 * ratio) / (1 + ratio))}::float8)`
  }),
)

/** Votes plus freshness, which halves in two years. Its argument is bounded to keep `exp` valid. */
const merit = sql`(ln(1 + greatest(0, ${wantedOf(sql.ref('votes'), sql.ref('status'))}::float8))
  + exp(-0.00095 * greatest(0, least(date_part('epoch', today - posted_at) / 86400, 100000))))`

/** The lexemes of a query, each with its number of texts and inverse document frequency. */
const createTerms = sql`
  create or replace function ranked_terms(query text)
  returns table (lexeme text, texts float8, rarity float8) language sql stable as $$
    with known as (
      select common.lexeme, share
      from pg_stats, unnest(most_common_elems::text::text[], most_common_elem_freqs) as common (lexeme, share)
      where schemaname = current_schema() and tablename = 'request_texts' and attname = 'words' and common.lexeme is not null
    ), counted as materialized (
      select typed.lexeme, size.total, case
        when share is not null then share * size.total
        else (select count(*) from requests_with_words(quote_literal(typed.lexeme)::tsquery, -1::smallint, ${sql.lit(maxCounted)}))
      end as texts
      from unnest(to_tsvector('wishwell', query)) as typed left join known using (lexeme)
      cross join (
        select greatest(reltuples, 0)::float8 as total from pg_class where oid = 'searchable_requests'::regclass
      ) as size
    )
    select lexeme, texts, ln(1 + (greatest(total, max(texts) over ()) - texts + 0.5) / (texts + 0.5)) from counted
  $$`

/**
 * The candidates of a query with estimated scores. A rare word contributes all its texts; a common one those in which
 * it weighs most: its lists are read by weight until they suffice (a nested loop in `limit` reads no more), and of the
 * last list those with the most merit. From three words on, texts with all words are added. A word counts as light
 * unless found heavy.
 */
const createCandidates = sql`
  create or replace function ranked_candidates(lexemes text[], texts_of_each float8[], rarities float8[], max_of_word integer)
  returns table (request_id uuid, estimate float8, merit float8) language plpgsql stable rows 10000
  set enable_seqscan = off set enable_indexscan = off set work_mem = '16MB' as $$
    #variable_conflict use_column
    declare
      today constant timestamptz := date_trunc('day', now(), 'UTC');
      light_ones constant float8 := (select coalesce(sum(rarity) * ${light}, 0)
        from unnest(texts_of_each, rarities) as term (texts, rarity) where texts > max_of_word);
      all_words constant tsquery := (select string_agg(quote_literal(lexeme), '&')::tsquery from unnest(lexemes) as lexeme);
    begin
      return query
        with terms as (
          select lexeme, rarity, texts > max_of_word as is_common
          from unnest(lexemes, texts_of_each, rarities) as term (lexeme, texts, rarity)
        ), found as (
          select heavy.request_id, heavy.merit, 0 as has_all,
            rarity * (weight - case when is_common then 0 else ${light} end) as part,
            case when is_common then rarity * ${light} else 0 end as light_part
          from terms cross join lateral (
            select of_level.*, weight
            from (values ${levels}) as level (suffix, weight) cross join lateral (
              select request_id, ${merit} as merit from searchable_requests
              where word_weights(request_id, words_version) @> array[lexeme || suffix]
              order by merit desc, request_id limit max_of_word
            ) as of_level limit max_of_word
          ) as heavy
          union all
          select matching.request_id, ${merit}, 0, rarity * ${light}, 0
          from terms cross join lateral
            requests_with_words(quote_literal(lexeme)::tsquery, -1::smallint, ${sql.lit(maxCounted)}) as matching
          where not is_common
          union all
          select whole.request_id, ${merit}, 1, 0, 0
          from requests_with_words(all_words, -1::smallint, max_of_word) as whole where cardinality(lexemes) > 2
        )
        select request_id, sum(part) + case when max(has_all) = 1 then light_ones - sum(light_part) else 0 end, max(merit)
        from found group by request_id;
    end
  $$`

async function createFunctions(transaction: Transaction): Promise<void> {
  await createTerms.execute(transaction)
  await createCandidates.execute(transaction)
}

const weightsIndex = {
  name: 'searchable_requests_weights',
  // No `fastupdate`: a search reads several lists per word, and each read would scan all pending entries.
  create: async (executor: Executor, how: '' | 'concurrently') => {
    await sql`create index ${sql.raw(how)} searchable_requests_weights on searchable_requests
      using gin (word_weights(request_id, words_version)) with (fastupdate = off)`.execute(executor)
  },
}

/** Creates the missing parts of `tsvector` search. Indexing a full table beside writers takes minutes. */
export async function prepareTsvector(database: Database, options: BuildOptions): Promise<void> {
  await prepareIndex(database, weightsIndex, { ...options, buildsFullIndex: true })
  await withBuildLock(database, createFunctions)
}
