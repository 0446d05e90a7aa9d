import { randomBytes } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, type DatabaseHome, type OpenDatabase, openDatabase } from '../src/database/open.ts'

/** Where a migrated database is that every test file starts from; made once a run by `test/global-setup.ts`. */
export type DatabaseTemplate = { home: 'embedded'; directory: string } | { home: 'postgres'; url: string; name: string }

declare module 'vitest' {
  export interface ProvidedContext {
    databaseTemplate: DatabaseTemplate
  }
}

export interface DatabaseCopy {
  home: DatabaseHome
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

/** A fresh, migrated database of the home under test (`TEST_HOME`), empty and of this caller's own. */
export async function copyDatabase(): Promise<DatabaseCopy> {
  const template = inject('databaseTemplate')
  const dataDir = mkdtempSync(join(tmpdir(), 'wishwell-data-'))
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true })
  if (template.home === 'embedded') {
    cpSync(template.directory, dataDir, { recursive: true })
    return { home: 'embedded', options: { databaseUrl: undefined, dataDir }, remove: async () => removeDirectory() }
  }
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(template.url, `create database ${name} template ${template.name}`)
  const url = new URL(template.url)
  url.pathname = `/${name}`
  return {
    home: 'postgres',
    options: { databaseUrl: url.href, dataDir },
    remove: async () => {
      await administer(template.url, `drop database if exists ${name} with (force)`)
      removeDirectory()
    },
  }
}

export interface TestDatabase extends OpenDatabase {
  /** Empties every table, for a clean state per test. */
  reset(): Promise<void>
}

/** Empties every table of Wishwell and of its queue. */
export async function emptyTables(database: Database): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select quote_ident(tablename) as name from pg_tables
    where schemaname = current_schema() and tablename not like 'kysely_%'`.execute(database)
  await sql.raw(`truncate ${rows.map((row) => row.name).join(', ')} restart identity cascade`).execute(database)
}

/** Opens a database of the home under test for one test file. Call `close` in `afterAll`. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const copy = await copyDatabase()
  const opened = await openDatabase({
    ...copy.options,
    onCrash: (error) => {
      throw error
    },
  })
  return {
    ...opened,
    reset: () => emptyTables(opened.database),
    close: async () => {
      await opened.close()
      await copy.remove()
    },
  }
}
