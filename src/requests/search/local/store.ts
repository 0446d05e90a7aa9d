import { sql } from 'kysely'
import type { EmbeddedClient } from '../../../database/embedded/client.ts'
import { createDatabaseFiles } from '../../../database/embedded/creation.ts'
import { databaseIn } from '../../../database/embedded/data-directory.ts'
import { migrate } from '../../../database/migrate.ts'
import { type Database, openDatabaseFiles, type Transaction } from '../../../database/open.ts'
import { bm25 } from '../bm25.ts'
import { prepareBm25 } from '../bm25-preparation.ts'
import { createDatabaseEngine } from '../database-engine.ts'
import type { SearchEngine } from '../engine.ts'
import { indexTables, writeRows } from './index-tables.ts'
import type { IndexedRows } from './rows.ts'

/** The index on the disk failed, whatever the shared database says. Its cause says how. */
export class LocalIndexError extends Error {
  override readonly name = 'LocalIndexError'
  constructor(cause: unknown) {
    super(`The search index of this process failed: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
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
  /** Searches this index, whatever executor it gets. @throws LocalIndexError */
  engine: SearchEngine
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
  return {
    kind: engine.kind,
    best: (_executor, words, max) => onIndex(() => engine.best(database, words, max)),
    among: (_executor, words, ids) => onIndex(() => engine.among(database, words, ids)),
    withPhrases: (_executor, query, max) => onIndex(() => engine.withPhrases(database, query, max)),
    ordered: (_executor, query, input) => onIndex(() => engine.ordered(database, query, input)),
    totals: (_executor, query, input) => onIndex(() => engine.totals(database, query, input)),
  }
}

/**
 * Opens the database of an index, and makes it where there is none. The caller holds the lock of the directory.
 * @param onCrash called when it dies by itself.
 * @throws LocalIndexError
 */
export async function openStore(directory: string, onCrash: (error: LocalIndexError) => void): Promise<IndexStore> {
  const { client, database } = await onIndex(async () => {
    await createDatabaseFiles(directory)
    return openDatabaseFiles(databaseIn(directory), { onCrash: (error) => onCrash(new LocalIndexError(error)) })
  })
  try {
    await onIndex(() => prepare(database))
  } catch (error) {
    await client.close().catch(() => {})
    throw error
  }
  return {
    client,
    engine: bindEngine(createDatabaseEngine('bm25', bm25), database),
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
