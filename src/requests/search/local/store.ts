import { sql } from 'kysely'
import type { EmbeddedClient } from '../../../database/embedded/client.ts'
import { createDatabaseFiles } from '../../../database/embedded/creation.ts'
import { databaseIn } from '../../../database/embedded/data-directory.ts'
import { migrate } from '../../../database/migrate.ts'
import { type Database, openDatabaseFiles, type Transaction } from '../../../database/open.ts'
import { defaultStatementTimeoutMs } from '../../../database/postgres/pools.ts'
import { bm25 } from '../bm25.ts'
import { prepareBm25 } from '../bm25-preparation.ts'
import { type Bounds, defaultBounds } from '../bounds.ts'
import { createDatabaseEngine } from '../database-engine.ts'
import type { SearchEngine } from '../engine.ts'
import { readVerified } from '../verified.ts'
import { indexTables, writeRows } from './index-tables.ts'
import type { IndexedRows } from './rows.ts'

/** A search may read so many of the first ones to fill a page: as many as its index sorts. */
const maxFirst = defaultBounds.sorted

/** A statement of a search may take so long, as one on Postgres may. */
const maxSearchMs = defaultStatementTimeoutMs

/** The index on the disk failed, whatever the shared database says. Its cause says how. */
export class LocalIndexError extends Error {
  override readonly name = 'LocalIndexError'
  /** Whether a search took too long. */
  readonly isTimeLimit: boolean
  /** Whether the files are sound: a new index would fail in the same way, of a full disk or memory, or of a search that takes too long. */
  readonly isPassing: boolean
  constructor(cause: unknown) {
    super(`The search index of this process failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
    const code = String((cause as { code?: unknown } | null)?.code)
    this.isTimeLimit = code === '57014'
    this.isPassing = this.isTimeLimit || code.startsWith('53')
  }
}

/** How far an index has copied and followed the requests. */
export interface IndexState {
  /** Requests up to this id are copied; null when none are. */
  copied_through: string | null
  /** Whether all of them are. */
  is_complete: boolean
  /** Its position in the log of changes, and the one before: a crash may leave the shared database one step behind. */
  position: string | null
  previous: string | null
}

export interface IndexStore {
  client: EmbeddedClient
  /**
   * Searches this index; the executor is where ordered results are checked. Its errors are LocalIndexError, of which the cause has
   * SQLSTATE 57014 when the search took too long.
   * @param bounds smaller ones for tests.
   */
  engine(bounds?: Bounds): SearchEngine
  readState(): Promise<IndexState>
  /** Writes rows and the state that they lead to, in one transaction. @param gone ids of which those without a row are deleted */
  write(rows: IndexedRows, state: Partial<IndexState>, gone?: readonly string[]): Promise<void>
  setState(state: Partial<IndexState>): Promise<void>
  countRequests(): Promise<number>
  /** The sizes of the files that never become smaller, in bytes, by path in the database directory. */
  readSizes(): Promise<Record<string, number>>
  close(): Promise<void>
}

async function writeState(executor: Database | Transaction, state: Partial<IndexState>): Promise<void> {
  const columns = Object.entries(state).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  if (columns.length > 0) await sql`update index_state set ${sql.join(columns)}`.execute(executor)
}

async function prepare(database: Database): Promise<void> {
  await migrate(database)
  await prepareBm25(database, { isShared: false, buildsFullIndex: true, log: undefined })
  await sql`
    create table if not exists index_state (
      only_row boolean primary key default true check (only_row),
      copied_through uuid,
      is_complete boolean not null default false,
      position text,
      previous text
    )`.execute(database)
  await sql`insert into index_state default values on conflict do nothing`.execute(database)
  for (const table of indexTables) {
    // A file that becomes smaller is a damaged one.
    await sql`alter table ${sql.table(table)} set (vacuum_truncate = off, toast.vacuum_truncate = off)`.execute(
      database,
    )
  }
  await sql`set session_replication_role = replica`.execute(database)
}

/** The files of the tables and of their indexes, without the BM25 index: its merges may give pages back, and it reads none that is missing without an error. */
async function readSizes(database: Database): Promise<Record<string, number>> {
  const { rows } = await sql<{ path: string; size: number }>`
    with relations as (
      select oid, reltoastrelid from pg_class where relname = any(${[...indexTables]}::text[]) and relnamespace = current_schema()::regnamespace
    ), stored as (
      select oid from relations union all select reltoastrelid from relations where reltoastrelid <> 0
    )
    select pg_relation_filepath(oid) as path, pg_relation_size(oid)::float8 as size from (
      select oid from stored
      union all select indexrelid from pg_index join stored on indrelid = oid join pg_class as index on index.oid = indexrelid
        where index.relam <> (select oid from pg_am where amname = 'bm25')
    ) as files`.execute(database)
  return Object.fromEntries(rows.map(({ path, size }) => [path, size]))
}

/** Runs work on the index; whatever fails there is a failure of the index. */
async function onIndex<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new LocalIndexError(error)
  }
}

/** An engine that always reads the database of the index. */
function bindEngine(engine: SearchEngine, database: Database): SearchEngine {
  const ordered: SearchEngine['ordered'] = async (executor, query, input) => {
    const read = (limit: number) => onIndex(() => engine.ordered(database, query, { ...input, limit }))
    let maybeIds: string[] = []
    const readFirst = async (size: number) => {
      const found = await read(size)
      maybeIds = found?.maybeIds ?? []
      return found && { ids: found.ids, isAll: found.ids.length < size }
    }
    const ids = await readVerified(executor, query, input, { readFirst, max: maxFirst })
    return ids && { ids, maybeIds }
  }
  return {
    kind: engine.kind,
    best: (_executor, words, max) => onIndex(() => engine.best(database, words, max)),
    among: (_executor, words, ids) => onIndex(() => engine.among(database, words, ids)),
    withPhrases: (_executor, query, max) => onIndex(() => engine.withPhrases(database, query, max)),
    ordered,
    totals: (_executor, query, input) => onIndex(() => engine.totals(database, query, input)),
  }
}

/**
 * Opens the database of an index, and makes it where there is none. The caller holds the lock of the directory.
 * @param onCrash called when it dies by itself, also after a search that took longer than `searchMs`.
 * @throws LocalIndexError
 */
export async function openStore(
  directory: string,
  onCrash: (error: LocalIndexError) => void,
  searchMs = maxSearchMs,
): Promise<IndexStore> {
  const { client, database, withTimeLimit } = await onIndex(async () => {
    await createDatabaseFiles(directory)
    return openDatabaseFiles(databaseIn(directory), { onCrash: (error) => onCrash(new LocalIndexError(error)) })
  })
  try {
    await onIndex(() => prepare(database))
  } catch (error) {
    await client.close().catch(() => {})
    throw error
  }
  const searched = withTimeLimit(searchMs)
  return {
    client,
    engine: (bounds) => bindEngine(createDatabaseEngine('bm25', bm25, bounds), searched),
    readState: () =>
      onIndex(async () => {
        const { rows } = await sql<IndexState>`
          select copied_through, is_complete, position, previous from index_state`.execute(database)
        return rows[0]!
      }),
    write: (rows, state, gone = []) =>
      onIndex(() =>
        database.transaction().execute(async (transaction) => {
          await writeRows(transaction, rows, gone)
          await writeState(transaction, state)
        }),
      ),
    setState: (state) => onIndex(() => writeState(database, state)),
    countRequests: () =>
      onIndex(async () => {
        const { rows } = await sql<{ count: number }>`select count(*)::int as count from request_facets`.execute(
          database,
        )
        return rows[0]!.count
      }),
    readSizes: () => onIndex(() => readSizes(database)),
    close: () => onIndex(client.close),
  }
}
