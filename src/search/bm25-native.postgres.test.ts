import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { chooseEngine } from './engine-choice.ts'
import { openSearchIndex } from './search-index.ts'
import { findIds, store, syntheticRow } from './testing.ts'

// Holds (Search, lists and export): BM25 on Postgres reads its index and never reparses matches, also below pg_textsearch 1.5.1

// BM25 on a real Postgres, where the extension is installed: TEST_PG_TEXTSEARCH (test/README.md).

const isNative = (process.env.TEST_PG_TEXTSEARCH ?? '') !== ''
if (!isNative) {
  console.log(
    'bm25-native.postgres.test.ts is skipped: TEST_PG_TEXTSEARCH names no build of pg_textsearch for Postgres 18',
  )
}

describe.runIf(isNative)('BM25 on Postgres', () => {
  let opened: TestDatabase
  beforeAll(async () => {
    opened = await openTestDatabase({ ownDatabase: true })
    await store(
      opened.database,
      Array.from({ length: 12_000 }, (_, number) => syntheticRow(number)),
    )
  })
  afterAll(() => opened?.close())

  test('a full table gets its index from `wishwell admin migrate` only, without a lock that writers wait for', async () => {
    await sql`drop index if exists request_texts_bm25`.execute(opened.database)
    await sql`delete from search_engine`.execute(opened.database)
    const served = await chooseEngine(opened.database, { isShared: true })
    expect(served.engine.kind).toBe('tsvector')
    expect(served.fallbackReason).toContain('run `wishwell admin migrate`')
    const migrated = await chooseEngine(opened.database, { isShared: true, buildsFullIndex: true })
    expect(migrated).toMatchObject({ engine: { kind: 'bm25' } })
    expect((await chooseEngine(opened.database, { isShared: true })).engine.kind).toBe('bm25')
  })

  test('the plan reads the index, and parses the text of no match', async () => {
    const index = await openSearchIndex(opened.database, { isShared: true, buildsFullIndex: true })
    expect(index.kind).toBe('bm25')
    const { rows } = await sql<{ url: string }>`
      select format('postgresql://%s:postgres@127.0.0.1:%s/%s', current_user, inet_server_port(), current_database()) as url`.execute(
      opened.database,
    )
    const client = new pg.Client({ connectionString: rows[0]!.url })
    const plans: string[] = []
    client.on('notice', ({ message }) => plans.push(message ?? ''))
    await client.connect()
    try {
      await client.query(`load 'auto_explain'`)
      await client.query(`set client_min_messages = log; set auto_explain.log_min_duration = 0;
        set auto_explain.log_nested_statements = on; set auto_explain.log_verbose = on`)
      await client.query('select * from best_101_matches($1, null)', ['everywhere'])
    } finally {
      await client.end()
    }
    const plan = plans.find((text) => text.includes('Index Scan using request_texts_bm25'))
    expect(plan).toBeDefined()
    // Only the order of the index has the operator: as an output it would be computed for each match.
    expect(plan!.split('\n').filter((line) => line.includes('Output') && line.includes('<@>'))).toEqual([])
  })

  test('searches what was stored a moment ago', async () => {
    const index = await openSearchIndex(opened.database, { isShared: true })
    const [id] = await store(opened.database, [{ ...syntheticRow(1), text: 'quokka' }])
    expect((await findIds(index, opened.database, { query: 'quokka' })).ids).toEqual([id])
  })
})
