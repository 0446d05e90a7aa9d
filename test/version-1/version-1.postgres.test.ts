import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { schemaVersion } from '../../src/database/schema-version.ts'
import { prepareDatabase } from '../../src/prepare-database.ts'
import { findWrongCounts } from '../../src/topics/verify.ts'
import { createEmptyDatabase, type EmptyDatabase, openTestDatabase } from '../database.ts'
import { readSchema } from '../schema.ts'

// Every later version of Wishwell migrates a database of version 1. These files are that database: they never change.

type Row = Record<string, unknown>

const readScript = (name: string) => readFileSync(new URL(`./${name}`, import.meta.url), 'utf8')

const onCrash = (error: Error) => {
  throw error
}

/** Every row of every table of Wishwell, by table. */
async function readRows(database: Database): Promise<Map<string, Row[]>> {
  const { rows: tables } = await sql<{ name: string }>`
    select tablename as name from pg_tables where schemaname = 'public' and tablename not like 'kysely_%'
    order by 1`.execute(database)
  const contents = new Map<string, Row[]>()
  for (const { name } of tables) {
    const { rows } = await sql<{ row: Row }>`select to_jsonb(t) as row from ${sql.table(name)} as t`.execute(database)
    contents.set(
      name,
      rows.map(({ row }) => row),
    )
  }
  return contents
}

describe('a database of version 1', () => {
  let copy: EmptyDatabase
  let loaded: Map<string, Row[]>
  let prepared: Awaited<ReturnType<typeof prepareDatabase>>

  const versionFile = () => join(copy.options.dataDir, 'database', 'WISHWELL_SCHEMA_VERSION')

  beforeAll(async () => {
    copy = await createEmptyDatabase()
    await copy.load(readScript('schema.sql') + readScript('rows.sql'))
    if (copy.backend === 'embedded') writeFileSync(versionFile(), '1\n')
    const before = await openDatabase({ ...copy.options, onCrash })
    loaded = await readRows(before.database).finally(before.close)
    const { databaseUrl, dataDir } = copy.options
    const environment = { DATA_DIR: dataDir, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) }
    prepared = await prepareDatabase(readConfig(environment), pino({ level: 'silent' }), onCrash, { offline: true })
  })
  afterAll(async () => {
    await prepared.queue.stop()
    await prepared.opened.close()
    await copy.remove()
  })

  it('has rows in every table, so that every migration has something to move', () => {
    expect([...loaded].filter(([, rows]) => rows.length === 0)).toEqual([])
    expect(loaded.size).toBe(25)
  })

  it('gets exactly the schema of a new database', async () => {
    const fresh = await openTestDatabase({ ownDatabase: true })
    const expected = await readSchema(fresh.database).finally(fresh.close)
    expect(await readSchema(prepared.opened.database)).toEqual(expected)
  })

  // A migration that moves or renames a column says here where its values are now.
  it('keeps every value of every row', async () => {
    const now = await readRows(prepared.opened.database)
    for (const [table, rows] of loaded) {
      const expected = rows.map((row) => expect.objectContaining(row))
      expect(now.get(table), table).toHaveLength(rows.length)
      expect(now.get(table), table).toEqual(expect.arrayContaining(expected))
    }
  })

  it('has a consistent ledger and correct counts of topics', async () => {
    expect(await verifyLedger(prepared.opened.database)).toEqual([])
    expect(await findWrongCounts(prepared.opened.database)).toEqual([])
  })

  it('is searched like a new one', async () => {
    const { database } = prepared.opened
    const found = await prepared.searchIndex.search(database, { query: '"offline sync" csv', offset: 0, limit: 10 })
    expect(found.results.map(({ _id }) => _id)).toEqual(['e0000000-0000-4000-8000-000000000003'])
  })

  it('records its new version', async () => {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(prepared.opened.database)
    expect(rows).toHaveLength(schemaVersion)
    if (copy.backend === 'embedded') expect(readFileSync(versionFile(), 'utf8')).toBe(`${schemaVersion}\n`)
  })
})
