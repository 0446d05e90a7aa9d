import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Logger } from 'pino'
import { isDatabaseUnavailable } from '../database/errors.ts'
import type { Database } from '../database/open.ts'
import { bm25, bm25Index, prepareBm25 } from './bm25.ts'
import { createDatabaseEngine } from './database-engine.ts'
import type { SearchEngine } from './engine.ts'
import { type BuildOptions, readIndexState } from './index-build.ts'
import { SearchEngineError } from './search-engine-error.ts'
import type { EngineChoice } from './settings.ts'
import { tsvector } from './tsvector.ts'
import { estimateUsualLength, prepareTsvector } from './tsvector-preparation.ts'

export interface ChooseEngineOptions {
  choice?: EngineChoice
  /** Whether other processes may write meanwhile, as on Postgres. */
  isShared?: boolean
  /** Whether the index of a full table may be built, which takes minutes: for `wishwell admin migrate`. */
  buildsFullIndex?: boolean
  log?: Pick<Logger, 'info' | 'warn'> | undefined
  retryMs?: readonly number[]
}

export interface ChosenEngine {
  engine: SearchEngine
  fallbackReason?: string
}

/** Covers a restart or failover of the database. */
const defaultRetryMs = [500, 1_000, 2_000, 4_000, 8_000]

/** Conflicts with another statement, worth a retry: serialization, deadlock, lock not available. */
const lostStates = new Set(['40001', '40P01', '55P03'])

/** Whether an error is temporary and says nothing about the database's abilities. */
const isPassing = (error: unknown): boolean =>
  isDatabaseUnavailable(error) || lostStates.has(String((error as { code?: unknown } | null)?.code))

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether this database has BM25: chosen before, or its index exists. */
async function hasBm25(database: Database): Promise<boolean> {
  const stored = await database.selectFrom('search_engine').select('kind').executeTakeFirst()
  return (
    stored?.kind === 'bm25' || (stored === undefined && (await readIndexState(database, bm25Index.name)) !== 'missing')
  )
}

async function storeKind(database: Database, kind: 'bm25' | 'tsvector'): Promise<void> {
  await sql`insert into search_engine (kind) values (${kind})
    on conflict (only_row) do update set kind = excluded.kind, chosen_at = now()
    where search_engine.kind <> excluded.kind`.execute(database)
}

async function openTsvector(database: Database, build: BuildOptions, fallbackReason: string): Promise<ChosenEngine> {
  await prepareTsvector(database, build)
  await storeKind(database, 'tsvector')
  await estimateUsualLength(database)
  return { engine: createDatabaseEngine('tsvector', tsvector), fallbackReason }
}

async function choose(database: Database, options: ChooseEngineOptions): Promise<ChosenEngine> {
  const { choice = 'auto', isShared = false, buildsFullIndex = false, log } = options
  const build = { isShared, buildsFullIndex, log }
  if (choice === 'tsvector') return openTsvector(database, build, 'SEARCH_ENGINE is tsvector')
  const isRequired = choice === 'bm25' || (await hasBm25(database))
  try {
    await prepareBm25(database, build)
  } catch (error) {
    if (isPassing(error)) throw error
    if (!isRequired) return openTsvector(database, build, reasonOf(error))
    const why = choice === 'bm25' ? 'SEARCH_ENGINE is bm25' : 'This database is searched with BM25'
    throw new SearchEngineError(
      `${why}, but BM25 cannot be opened: ${reasonOf(error)}. Nothing was changed. Mend that, or set SEARCH_ENGINE=tsvector to search in another way, which ranks worse.`,
    )
  }
  await storeKind(database, 'bm25')
  return { engine: createDatabaseEngine('bm25', bm25) }
}

/**
 * Opens the engine: the one of SEARCH_ENGINE, else BM25 if `pg_textsearch` can be created, else `tsvector`. A database
 * with BM25 never falls back. Retries while the database is unavailable.
 * @throws SearchEngineError if BM25 is required and cannot be opened.
 */
export async function chooseEngine(database: Database, options: ChooseEngineOptions = {}): Promise<ChosenEngine> {
  for (const pauseMs of options.retryMs ?? defaultRetryMs) {
    try {
      return await choose(database, options)
    } catch (error) {
      if (!isPassing(error)) throw error
      options.log?.warn({ err: error }, 'the search index cannot be opened now: trying again')
      await sleep(pauseMs)
    }
  }
  return choose(database, options)
}
