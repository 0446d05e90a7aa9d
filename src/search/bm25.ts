import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import type { Ranking } from './best-hits.ts'
import { type BuildOptions, type EngineIndex, prepareIndex, readIndexState, withBuildLock } from './index-build.ts'

/** Older versions accept only constant queries, and reparse each match's text for a query passed to a function. */
const minVersion = '1.5.1'

const numbersOf = (version: string): number[] => version.split(/[^0-9]+/, 3).map(Number)

/** Compares versions of an extension. */
export function isAtLeast(version: string, least: string): boolean {
  const given = numbersOf(version)
  const wanted = numbersOf(least)
  const index = wanted.findIndex((number, place) => (given[place] ?? 0) !== number)
  return index === -1 || (given[index] ?? 0) > wanted[index]!
}

/** @throws if the extension is missing on the server, or too old. */
async function requireExtension(executor: Executor): Promise<void> {
  const { rows } = await sql<{ available: string; installed: string | null }>`
    select default_version as available, installed_version as installed
    from pg_available_extensions where name = 'pg_textsearch'`.execute(executor)
  const extension = rows[0]
  if (extension === undefined) throw new Error('the extension pg_textsearch is not installed on the server')
  const { available, installed } = extension
  const version = installed ?? available
  if (isAtLeast(version, minVersion)) return
  const advice = isAtLeast(available, minVersion) ? 'run `alter extension pg_textsearch update`' : 'install a newer one'
  throw new Error(`the extension pg_textsearch is version ${version}, and ${minVersion} or later is needed: ${advice}`)
}

export const bm25Index: EngineIndex = {
  name: 'request_texts_bm25',
  before: async (executor) => {
    await sql`create extension if not exists pg_textsearch`.execute(executor)
  },
  create: async (executor, how) => {
    const { rows } = await sql<{ configuration: string }>`
      select quote_literal(quote_ident(current_schema()) || '.wishwell') as configuration`.execute(executor)
    await sql`create index ${sql.raw(how)} request_texts_bm25 on request_texts using bm25 (text)
      with (text_config = ${sql.raw(rows[0]!.configuration)})`.execute(executor)
  },
}

async function createFunctions(transaction: Transaction): Promise<void> {
  for (const max of depths) {
    await sql.raw(matchesFunction(max)).execute(transaction)
    await sql`select from ${sql.id(nameOfMatches(max))}('wish', null)`.execute(transaction)
  }
}

/**
 * Creates the missing parts of BM25 and tries it once.
 * @throws if the extension is not installed, too old, not preloaded or not allowed, or the index of a full table is
 * missing and may not be built now.
 */
export async function prepareBm25(database: Database, options: BuildOptions): Promise<void> {
  await requireExtension(database)
  const state = await readIndexState(database, bm25Index.name)
  await prepareIndex(database, bm25Index, options)
  await withBuildLock(database, createFunctions).catch(async (error: unknown) => {
    // An unusable index would still slow down every write. An older index is not ours to drop.
    if (state === 'missing') await sql`drop index if exists ${sql.id(bm25Index.name)}`.execute(database)
    throw error
  })
}

/** The numbers of matches that the index can rank. */
export const depths = [101, 301, 1_001, 5_001] as const

export type Depth = (typeof depths)[number]

/** The name of the function that gives the best matches. */
export const nameOfMatches = (max: Depth) => `best_${max}_matches`

const depthFor = (max: number): Depth => depths.find((depth) => depth >= max) ?? depths[3]

/**
 * BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009), k1 = 1.2, b = 0.75.
 * The extension `pg_textsearch` finds the best matches without ranking the others (Block-Max WAND).
 */
export const bm25: Ranking = {
  best: (words, all, max) => sql`
    select request_id, -score as score, has_all, null::integer as considered
    from ${sql.id(nameOfMatches(depthFor(max)))}(${words}, ${all ?? sql`null`}) where score < 0`,
  // The same score, computed per row; 0 for rows that do not match.
  among: (words, all, ids) => sql`
    select request_id, -score as score, has_all, null::integer as considered from (
      select request_id, text <@> to_bm25query(${words}, 'request_texts_bm25') as score,
        ${all === null ? sql`true` : sql`words @@ ${all}`} as has_all
      from request_texts where request_id = any(${ids}) offset 0
    ) as scored where score < 0`,
}

/**
 * By default the planner may score and sort every row: minutes on a large table, and non-matches return with score 0.
 * `enable_sort = off` forces the index, and only a function can set it for one statement. There is a function per depth
 * because the index takes the limit from the plan. `bm25_get_current_score` is the score the index just computed; `text
 * <@> query` would reparse the whole text.
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
