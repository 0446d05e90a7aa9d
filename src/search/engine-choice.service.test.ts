import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hasBm25, openTestDatabase, type TestDatabase } from '../../test/database.ts'
import type { Database } from '../database/open.ts'
import { isAtLeast } from './bm25.ts'
import { readHits } from './engine.ts'
import { chooseEngine } from './engine-choice.ts'
import { SearchEngineError } from './search-engine-error.ts'
import { store } from './testing.ts'

// Holds (Search, lists and export): a database with BM25 never switches to another engine by itself

test('compares versions by their numbers', () => {
  expect(['1.4.0', '1.5.0-dev', '1.10.0', '2.0'].map((version) => isAtLeast(version, '1.4.0'))).toEqual(
    Array(4).fill(true),
  )
  expect(['1.3.9', '0.9.0', '1.4.0-dev'].map((version) => isAtLeast(version, '1.4.1'))).toEqual(Array(3).fill(false))
})

describe('the engine of a database', () => {
  let opened: TestDatabase
  let canHaveBm25: boolean
  beforeEach(async () => {
    opened = await openTestDatabase({ ownDatabase: true })
    const { rows } = await sql`select from pg_available_extensions where name = 'pg_textsearch'`.execute(
      opened.database,
    )
    canHaveBm25 = rows.length > 0
  })
  afterEach(() => opened.close())

  const storedKind = async () =>
    (await opened.database.selectFrom('search_engine').select('kind').executeTakeFirst())?.kind

  /** What a build of this database would look like to one that cannot have BM25: its extension is too old. */
  async function breakBm25(): Promise<void> {
    if (!canHaveBm25) return
    await sql`drop index if exists request_texts_bm25`.execute(opened.database)
    await sql`update pg_extension set extversion = '1.3.1' where extname = 'pg_textsearch'`.execute(opened.database)
  }

  test('takes BM25 where the database can have it, and remembers what it took; SEARCH_ENGINE=tsvector is tsvector on every database', async () => {
    const { engine, fallbackReason } = await chooseEngine(opened.database)
    expect(engine.kind).toBe(canHaveBm25 ? 'bm25' : 'tsvector')
    expect(fallbackReason).toBe(canHaveBm25 ? undefined : 'the extension pg_textsearch is not installed on the server')
    expect(await storedKind()).toBe(engine.kind)
    const chosen = await chooseEngine(opened.database, { choice: 'tsvector' })
    expect([chosen.engine.kind, chosen.fallbackReason, await storedKind()]).toEqual([
      'tsvector',
      'SEARCH_ENGINE is tsvector',
      'tsvector',
    ])
    // Auto takes BM25 again where it can.
    expect((await chooseEngine(opened.database)).engine.kind).toBe(canHaveBm25 ? 'bm25' : 'tsvector')
  })

  test.skipIf(hasBm25)('makes again what tsvector needs', async () => {
    await sql`drop index searchable_requests_weights`.execute(opened.database)
    await sql`drop function ranked_terms, ranked_candidates`.execute(opened.database)
    const { engine } = await chooseEngine(opened.database, { isShared: true })
    expect([engine.kind, await storedKind()]).toEqual(['tsvector', 'tsvector'])
    const [id] = await store(opened.database, [{ text: 'rose', platform: 'github', topic: 'some' }])
    const hits = await engine.best(opened.database, { words: ['rose'], terms: [], filters: {} }, 10)
    expect((await readHits(opened.database, hits)).map((hit) => hit.id)).toEqual([id])
    const { rows } = await sql`select from pg_indexes where indexname = 'searchable_requests_weights'`.execute(
      opened.database,
    )
    expect(rows).toHaveLength(1)
  })

  test('a database that has BM25 is never searched in another way by itself', async () => {
    await sql`insert into search_engine (kind) values ('bm25') on conflict (only_row) do update set kind = 'bm25'`.execute(
      opened.database,
    )
    await breakBm25()
    const refused = chooseEngine(opened.database)
    await expect(refused).rejects.toBeInstanceOf(SearchEngineError)
    await expect(refused).rejects.toThrow(
      /^This database is searched with BM25, but BM25 cannot be opened: the extension pg_textsearch is .*SEARCH_ENGINE=tsvector/,
    )
    expect(await storedKind()).toBe('bm25')
    // Only when the operator says so.
    expect((await chooseEngine(opened.database, { choice: 'tsvector' })).engine.kind).toBe('tsvector')
    const { engine, fallbackReason } = await chooseEngine(opened.database)
    expect([engine.kind, await storedKind()]).toEqual(['tsvector', 'tsvector'])
    expect(fallbackReason).toMatch(
      canHaveBm25 ? /1\.3\.1.*1\.5\.1 or later is needed: run `alter extension/ : /not installed/,
    )
  })

  test('SEARCH_ENGINE=bm25 refuses a database that cannot have it', async () => {
    await breakBm25()
    await expect(chooseEngine(opened.database, { choice: 'bm25' })).rejects.toThrow(
      /^SEARCH_ENGINE is bm25, but BM25 cannot be opened/,
    )
  })

  /** A database whose first statements fail with an error. */
  function failing(error: Error, times: number): Database {
    let left = times
    return new Proxy(opened.database, {
      get: (database, property) => {
        if (property === 'selectFrom' && left-- > 0) throw error
        const value: unknown = Reflect.get(database, property)
        return typeof value === 'function' ? value.bind(database) : value
      },
    })
  }

  const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })

  test('a database that is away for a moment is tried again, and says nothing about its engine', async () => {
    const { engine } = await chooseEngine(failing(away, 2), { retryMs: [0, 0] })
    expect(engine.kind).toBe(canHaveBm25 ? 'bm25' : 'tsvector')
    const kind = await storedKind()
    await expect(chooseEngine(failing(away, 3), { retryMs: [0, 0] })).rejects.toBe(away)
    expect(await storedKind()).toBe(kind)
  })
})
