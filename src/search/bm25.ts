import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import type { Ranking } from './best-hits.ts'
import { type BuildOptions, type EngineIndex, prepareIndex, readIndexState, withBuildLock } from './index-build.ts'

/** Before 1.5.1 pg_textsearch knows a query only by a constant, and parses the text of each match where it is an argument of a function. */
const minVersion = '1.5.1'

/** The first numbers of a version, such as `1.5.0-dev`. */
const numbersOf = (version: string): number[] => version.split(/[^0-9]+/, 3).map(Number)

/** Whether a version of an extension is at least another one. */
export function isAtLeast(version: string, least: string): boolean {
  const given = numbersOf(version)
  const wanted = numbersOf(least)
  const index = wanted.findIndex((number, place) => (given[place] ?? 0) !== number)
  return index === -1 || (given[index] ?? 0) > wanted[index]!
}

/** @throws when the extension is not on the server, or too old. */
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
 * Makes what BM25 needs, as far as it is missing, and tries it once.
 * @throws when this database cannot have it (the extension is not installed, too old, not preloaded or not allowed), or when its
 * index of a full table is missing and may not be built now.
 */
export async function prepareBm25(database: Database, options: BuildOptions): Promise<void> {
  await requireExtension(database)
  const state = await readIndexState(database, bm25Index.name)
  await prepareIndex(database, bm25Index, options)
  await withBuildLock(database, createFunctions).catch(async (error: unknown) => {
    // An index that no search can use would cost every write; one that was there before is not ours to drop.
    if (state === 'missing') await sql`drop index if exists ${sql.id(bm25Index.name)}`.execute(database)
    throw error
  })
}

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
