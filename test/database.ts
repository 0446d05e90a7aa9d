import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { takeLock } from '../src/database/advisory-locks.ts'
import {
  type Database,
  type DatabaseBackend,
  type Executor,
  type OpenDatabase,
  openDatabase,
  type Transaction,
} from '../src/database/open.ts'
import { borrowEmbedded } from './shared-embedded.ts'

/** Where a migrated database is that every test file starts from; made once a run by `test/global-setup.ts`. */
export type DatabaseTemplate =
  | { backend: 'embedded'; directory: string }
  | { backend: 'postgres'; url: string; name: string }

declare module 'vitest' {
  export interface ProvidedContext {
    databaseTemplate: DatabaseTemplate
  }
}

export interface DatabaseCopy {
  backend: DatabaseBackend
  /** What `openDatabase` and `readConfig` need to open it. */
  options: { databaseUrl: string | undefined; dataDir: string }
  /** Deletes the copy; whatever uses it must be closed. */
  remove(): Promise<void>
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

/** A fresh, migrated database of the backend under test (`TEST_BACKEND`), empty and of this caller's own. */
export async function copyDatabase(): Promise<DatabaseCopy> {
  const template = inject('databaseTemplate')
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-data-'))
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true })
  if (template.backend === 'embedded') {
    cpSync(template.directory, dataDir, { recursive: true })
    return { backend: 'embedded', options: { databaseUrl: undefined, dataDir }, remove: async () => removeDirectory() }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(template.url, `create database ${name} template ${template.name}`)
  const url = new URL(template.url)
  url.pathname = `/${name}`
  return {
    backend: 'postgres',
    options: { databaseUrl: url.href, dataDir },
    remove: async () => {
      await administer(template.url, `drop database if exists ${name} with (force)`)
      removeDirectory()
    },
  }
}

/** Whether the databases of this run have BM25: the embedded one, and a Postgres with the extension (`TEST_PG_TEXTSEARCH`). */
export const hasBm25 = process.env.TEST_BACKEND === 'embedded' || (process.env.TEST_PG_TEXTSEARCH ?? '') !== ''

/** A database without any table, of this caller's own. */
export interface EmptyDatabase extends DatabaseCopy {
  /** Runs an SQL script on it, while nothing has it open. */
  load(script: string): Promise<void>
}

async function loadEmbedded(dataDir: string, script: string): Promise<void> {
  const opened = await openDatabase({ databaseUrl: undefined, dataDir, onCrash: () => {} })
  await opened.embedded?.exec(script).finally(opened.close)
}

/** Makes an empty database of the backend under test. */
export async function createEmptyDatabase(): Promise<EmptyDatabase> {
  const template = inject('databaseTemplate')
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-data-'))
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true })
  if (template.backend === 'embedded') {
    return {
      backend: 'embedded',
      options: { databaseUrl: undefined, dataDir },
      load: (script) => loadEmbedded(dataDir, script),
      remove: async () => removeDirectory(),
    }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(template.url, `create database ${name}`)
  const url = new URL(template.url)
  url.pathname = `/${name}`
  return {
    backend: 'postgres',
    options: { databaseUrl: url.href, dataDir },
    load: (script) => administer(url.href, script),
    remove: async () => {
      await administer(template.url, `drop database if exists ${name} with (force)`)
      removeDirectory()
    },
  }
}

export interface TestDatabase extends OpenDatabase {
  /** Empties every table, for a clean state per test; a database of its own is as good as new. */
  reset(): Promise<void>
}

/** The tables in an order in which they can be emptied: each before those that its foreign keys refer to. One schema, one order. */
let emptyingOrder: readonly string[] | undefined

async function readEmptyingOrder(executor: Executor): Promise<readonly string[]> {
  const { rows } = await sql<{ name: string; refersTo: string[] }>`
    select quote_ident(relname) as name, array(
      select distinct confrelid::regclass::text from pg_constraint
      where contype = 'f' and conrelid = pg_class.oid and confrelid <> conrelid
    ) as "refersTo"
    from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname not like 'kysely_%'
    order by relname`.execute(executor)
  const order: string[] = []
  for (let left = rows; left.length > 0; ) {
    const referred = new Set(left.flatMap(({ refersTo }) => refersTo))
    const free = left.filter(({ name }) => !referred.has(name))
    if (free.length === 0) throw new Error('the foreign keys of some tables form a ring')
    order.push(...free.map(({ name }) => name))
    left = left.filter(({ name }) => referred.has(name))
  }
  return order
}

/**
 * Empties every table of Wishwell. TRUNCATE would make new files for all tables and indexes, which takes the embedded database
 * 300 ms; deleted rows disturb only the index that searches texts. Triggers and foreign keys hold, because without them
 * (`session_replication_role`) the database plans every statement anew; but of many rows each would be looked for in other tables.
 */
export async function emptyTables(database: Database): Promise<void> {
  await database.transaction().execute(emptyAll)
}

async function emptyAll(transaction: Transaction): Promise<void> {
  // Words are counted in the background: a writer of requests must not wait for a table that is locked here, and this for its tables.
  for (const lock of ['suppressions', 'memberships', 'topicCounts', 'vocabulary'] as const)
    await takeLock(transaction, lock)
  emptyingOrder ??= await readEmptyingOrder(transaction)
  await sql`
    do $$
    declare
      names text[] := ${sql.lit(`{${emptyingOrder.join(',')}}`)};
      used text[] := array(select name from unnest(names) with ordinality as listed (name, place)
        where pg_relation_size(name::regclass) > 0 order by place);
      name text;
      are_many boolean;
    begin
      if used <> '{}' then
        execute format('lock table %s in access exclusive mode', array_to_string(used, ', '));
      end if;
      are_many := exists (select from unnest(used) as used_name where pg_relation_size(used_name::regclass) > 64 * 8192);
      if are_many then
        perform set_config('session_replication_role', 'replica', true);
      end if;
      foreach name in array used loop
        -- A trigger refuses to delete entries of credits.
        if name in ('request_texts', 'credit_entries') then
          execute format('truncate %s', name);
        else
          execute format('delete from %s', name);
        end if;
      end loop;
      if are_many then
        perform set_config('session_replication_role', 'origin', true);
      end if;
      perform setval(seqrelid::regclass, seqstart, false) from pg_sequence
        join pg_class on pg_class.oid = seqrelid
        where relnamespace = current_schema()::regnamespace and pg_sequence_last_value(seqrelid) is not null;
    end $$`.execute(transaction)
}

/** Makes every table of Wishwell as good as new, also its files and statistics. */
async function truncateTables(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables
    where schemaname = current_schema() and tablename not like 'kysely_%'`.execute(database)
  await sql.raw(`truncate ${rows.map((row) => row.name).join(', ')} restart identity cascade`).execute(database)
}

/** Empties every table of Wishwell and of its queue. */
export async function emptyDatabase(database: Database): Promise<void> {
  await sql`delete from pgboss.job`.execute(database)
  await emptyTables(database)
}

/** A migrated, empty database of one user. */
export interface LentDatabase {
  options: DatabaseCopy['options']
  open: typeof openDatabase
  /** Stops the embedded database and starts it again from its files; does nothing on Postgres. It must not be open. */
  reopen(): Promise<void>
  /** Whatever uses it must be closed. */
  remove(): Promise<void>
}

export interface LendOptions {
  /** A copy with files of its own, for tests that read files, change tables or need a new process. */
  ownDatabase?: boolean | undefined
}

/** Lends the database of this worker if it has one that is free, else a copy of the template. */
export async function lendDatabase({ ownDatabase = false }: LendOptions = {}): Promise<LentDatabase> {
  const template = inject('databaseTemplate')
  const loan =
    template.backend === 'embedded' && !ownDatabase ? await borrowEmbedded(template.directory, emptyDatabase) : null
  if (loan === null) return { ...(await copyDatabase()), open: openDatabase, reopen: async () => {} }
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-data-'))
  return {
    options: { databaseUrl: undefined, dataDir },
    open: loan.open,
    reopen: loan.reopen,
    remove: async () => {
      loan.end()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Opens a database of the backend under test for one test file. Call `close` in `afterAll`. */
export async function openTestDatabase(options: LendOptions = {}): Promise<TestDatabase> {
  const lent = await lendDatabase(options)
  const opened = await lent.open({
    ...lent.options,
    onCrash: (error) => {
      throw error
    },
  })
  return {
    ...opened,
    reset: () => (options.ownDatabase ? truncateTables : emptyTables)(opened.database),
    close: async () => {
      await opened.close()
      await lent.remove()
    },
  }
}
