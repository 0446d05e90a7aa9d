import { sql } from 'kysely'
import type { Database, Executor, Transaction } from '../database/open.ts'
import { depths, matchesFunction, nameOfMatches } from './bm25.ts'
import { type BuildOptions, type EngineIndex, prepareIndex, readIndexState, withBuildLock } from './index-build.ts'

/** Before 1.5.1 pg_textsearch knows a query only by a constant, and parses the text of each match where it is an argument of a function. */
export const minVersion = '1.5.1'

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
