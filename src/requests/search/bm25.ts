import { sql } from 'kysely'
import type { Transaction } from '../../database/open.ts'
import type { Ranking } from './database-engine.ts'

/** How many matches the index can rank. */
export const depths = [101, 301, 1_001, 5_001] as const

type Depth = (typeof depths)[number]

const functionOf = (max: Depth) => `best_${max}_matches`

const depthFor = (max: number): Depth => depths.find((depth) => depth >= max) ?? depths[3]

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) with k1 = 1.2 and
 * b = 0.75, by the extension `pg_textsearch`, which finds the best matches without ranking the others (Block-Max WAND).
 */
export const bm25: Ranking = {
  best: (words, max) => sql`
    select request_id, -score as score from ${sql.id(functionOf(depthFor(max)))}(${words}) where score < 0`,
  // The same score, computed for each row by itself; a row that does not match has 0.
  among: (words, ids) => sql`
    select request_id, -score as score from (
      select request_id, text <@> to_bm25query(${words}, 'request_texts_bm25') as score
      from request_texts where request_id = any(${ids}) offset 0
    ) as scored where score < 0`,
}

/**
 * Left to itself, the planner may score every row and sort: minutes on a large table, and rows that match nothing come
 * back with a score of 0. `enable_sort` leaves it the index as the only way, and only as a setting of a function can it
 * hold for this one statement. There is a function for each depth, because the index reads the limit from the plan; and a function
 * keeps its plan. `bm25_get_current_score` is the score that the index has just computed; `text <@> query` instead would
 * parse the whole text of each row again. The argument is `$1`, because its name is that of a column, too.
 */
const matchesFunction = (max: Depth) => `
  create or replace function ${functionOf(max)}(words text)
  returns table (request_id uuid, score double precision)
  language plpgsql stable rows ${max} set enable_sort = off
  as $$
    #variable_conflict use_variable
    begin
      return query select t.request_id, bm25_get_current_score() from request_texts t
        order by t.text <@> to_bm25query($1, 'request_texts_bm25') limit ${max};
    end
  $$`

/**
 * Makes what BM25 needs, as far as it is missing, and tries it once.
 * @throws when this database cannot have it: the extension is not installed, not preloaded or not allowed.
 */
export async function prepareBm25(transaction: Transaction): Promise<void> {
  const extension = sql<{ name: string }>`select name from pg_available_extensions where name = 'pg_textsearch'`
  if ((await extension.execute(transaction)).rows.length === 0) {
    throw new Error('the extension pg_textsearch is not installed on the server')
  }
  await sql`create extension if not exists pg_textsearch`.execute(transaction)
  const state = await sql<{ exists: boolean; configuration: string }>`
    select to_regclass(quote_ident(current_schema()) || '.request_texts_bm25') is not null as exists,
      quote_literal(quote_ident(current_schema()) || '.wishwell') as configuration`.execute(transaction)
  const { exists, configuration } = state.rows[0]!
  // Not `if not exists`: that would wait for every transaction that is writing to the table, at every start.
  if (!exists) {
    await sql`create index request_texts_bm25 on request_texts using bm25 (text)
      with (text_config = ${sql.raw(configuration)})`.execute(transaction)
  }
  for (const max of depths) {
    await sql.raw(matchesFunction(max)).execute(transaction)
    await sql`select from ${sql.id(functionOf(max))}('wish')`.execute(transaction)
  }
}
