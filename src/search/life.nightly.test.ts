import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyDatabase, hasBm25, openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { changeRequests } from '../../test/stored-requests.ts'
import { type Database, openDatabase } from '../database/open.ts'
import { searchTextOf } from '../requests/words/text.ts'
import { depths } from './bm25.ts'
import { openSearchIndex, type SearchIndex } from './search-index.ts'
import { findIds, store, syntheticRow } from './testing.ts'

let opened: TestDatabase
let index: SearchIndex

beforeAll(async () => {
  opened = await openTestDatabase({ ownDatabase: true })
  index = await openSearchIndex(opened.database)
})
afterAll(() => opened.close())

const search = (query: string) => findIds(index, opened.database, { query })

describe('a changed request', () => {
  beforeAll(() => opened.reset())

  test('is found at once, also in the transaction that writes it, and not after its deletion', async () => {
    const row = { platform: 'github', topic: 'topic' }
    const rows = Array.from({ length: 500 }, (_, number) => ({ ...row, text: `old thing${number}` }))
    const ids = await store(opened.database, rows)
    await expect(
      opened.database.transaction().execute(async (transaction) => {
        const [id] = await store(transaction, [{ ...row, text: 'uncommitted' }])
        expect((await findIds(index, transaction, { query: 'uncommitted' })).ids).toEqual([id])
        throw new Error('roll back')
      }),
    ).rejects.toThrow('roll back')
    expect((await search('uncommitted')).ids).toEqual([])

    await changeRequests(
      opened.database,
      sql`update request_texts set text = 'new ' || text where request_id = ${ids[7]!}`,
    )
    expect((await search('new')).ids).toEqual([ids[7]])
    await changeRequests(opened.database, sql`delete from requests where id <> all(${ids.slice(5, 9)}::uuid[])`)
    expect(new Set((await search('old')).ids)).toEqual(new Set(ids.slice(5, 9)))
    await sql`vacuum request_texts`.execute(opened.database)
    expect(new Set((await search('old')).ids)).toEqual(new Set(ids.slice(5, 9)))
    const [fresh] = await store(opened.database, [{ ...row, text: 'fresh' }])
    expect((await search('fresh old')).ids).toHaveLength(5)
    expect((await search('fresh old')).ids[0]).toBe(fresh)
    expect((await search('thing1')).ids).toEqual([])
  })

  test('is found and counted after many better matches were deleted, also when only the table was pruned', async () => {
    await opened.reset()
    const row = { platform: 'github', topic: 'topic' }
    const died = Array.from({ length: 2_700 }, () => ({ ...row, platform: 'gitlab', text: 'gull gull' }))
    const left = Array.from({ length: 300 }, (_, number) => ({ ...row, text: `gull flies far away over sea${number}` }))
    const ids = await store(opened.database, [...died, ...left])
    const living = new Set(ids.slice(died.length))
    const page = (input: object) => findIds(index, opened.database, { query: 'gull', ...input })
    const check = async (stage: string) => {
      const best = await page({})
      expect([stage, best.ids.length, best.more, best.window]).toEqual([stage, 100, true, null])
      // Filtered, so that it looks at the best 1,000: there are no more than these 300, and it knows all of them.
      const filtered = await page({ filters: { platforms: ['github'] } })
      expect([stage, filtered.ids.length, filtered.more, filtered.window]).toEqual([stage, 100, true, null])
      for (const id of [...best.ids, ...filtered.ids]) expect(living).toContain(id)
      expect((await page({ filters: { platforms: ['gitlab'] } })).ids).toEqual([])
    }
    expect((await page({ filters: { platforms: ['github'] } })).window).toBe(1_000)
    await changeRequests(opened.database, sql`delete from requests where platform = 'gitlab'`)
    await check('deleted')
    await sql`vacuum (index_cleanup off, truncate off) request_texts`.execute(opened.database)
    await check('pruned')
    await store(opened.database, [{ ...row, text: 'gull' }]).then(([id]) => living.add(id!))
    await check('written again')
    await sql`vacuum (index_cleanup on) request_texts`.execute(opened.database)
    await check('cleaned')
  })

  test('is found by other forms of its words, by language names, camel case and author', async () => {
    const text = searchTextOf({
      title: 'Exporting charts from ChartView',
      description: 'We need it in C++ and .NET.',
      tags: ['data-export'],
      authorName: 'José Díaz',
      authorHandle: 'jose_d42',
    })
    const [id] = await store(opened.database, [{ platform: 'github', topic: 'topic', text }])
    for (const query of ['exports', 'chart', 'chartview', 'chart-view', 'c++', '.NET', 'dotnet', 'DIAZ', '@jose_d42']) {
      expect((await search(query)).ids).toEqual([id])
    }
    for (const query of ['c#', 'importing', 'net']) expect((await search(query)).ids).toEqual([])
  })
})

test('a search does not parse the texts of its matches', async () => {
  if (index.kind !== 'bm25') return
  await opened.reset()
  const long = Array.from({ length: 3_000 }, (_, number) => `filler${number}`).join(' ')
  const row = { platform: 'github', topic: 'topic' }
  await store(
    opened.database,
    Array.from({ length: 120 }, (_, number) => ({ ...row, text: `needle ${long} row${number}` })),
  )
  const time = async (run: () => Promise<unknown>) => {
    const startedAt = performance.now()
    await run()
    return performance.now() - startedAt
  }
  const parsing = await time(() =>
    sql`select sum(text <@> to_bm25query('needle', 'request_texts_bm25')) from request_texts`.execute(opened.database),
  )
  // The quickest of some: a busy machine holds up one, not all. With parsing none is much quicker than that.
  const times: number[] = []
  for (let round = 0; round < 8; round++) times.push(await time(() => search('needle')))
  expect(Math.min(...times)).toBeLessThan(parsing / 2)
})

/** Takes away what the template of the tests has been prepared with: a database as the migrations leave it. */
async function dropSearchIndex(database: Database): Promise<void> {
  await sql`drop index if exists request_texts_bm25`.execute(database)
  for (const most of depths)
    await sql`drop function if exists ${sql.id(`best_${most}_matches`)}(text, tsquery)`.execute(database)
  await sql`delete from search_engine`.execute(database)
}

describe('opening the search index', () => {
  test('can be repeated, and by several processes at once', async () => {
    const indexes = await Promise.all([1, 2, 3, 4].map(() => openSearchIndex(opened.database)))
    for (const { kind } of indexes) expect(kind).toBe(index.kind)
    await opened.reset()
    const ids = await store(opened.database, [syntheticRow(2)])
    expect((await findIds(indexes[3]!, opened.database, { query: 'needle' })).ids).toEqual(ids)
  })

  test('works in several processes on a fresh database at once, and finds the rows that it has', async () => {
    const fresh = await openTestDatabase({ ownDatabase: true })
    try {
      await dropSearchIndex(fresh.database)
      const ids = await store(fresh.database, [syntheticRow(1), syntheticRow(2)])
      const indexes = await Promise.all([1, 2, 3, 4].map(() => openSearchIndex(fresh.database)))
      for (const other of indexes) {
        expect(other.kind).toBe(index.kind)
        const { ids: found } = await findIds(other, fresh.database, { query: 'needle' })
        expect(found).toEqual([ids[1]])
      }
    } finally {
      await fresh.close()
    }
  })

  test('falls back to tsvector when BM25 is not available, and leaves nothing half made', async () => {
    const broken = await openTestDatabase({ ownDatabase: true })
    const { database } = broken
    try {
      await dropSearchIndex(database)
      // A function that the preparation cannot replace, after it has made the extension and the index.
      await sql`create function best_101_matches(words text, all_words tsquery) returns integer
        language sql as 'select 1'`.execute(database)
      const fallback = await openSearchIndex(database)
      expect(fallback.kind).toBe('tsvector')
      expect(fallback.fallbackReason).toMatch(hasBm25 ? /change return type/ : /not installed/)
      const { rows } = await sql<{ left: string | null }>`
        select to_regclass('request_texts_bm25')::text as left`.execute(database)
      expect(rows).toEqual([{ left: null }])
      const ids = await store(database, [syntheticRow(1), syntheticRow(2)])
      expect((await findIds(fallback, database, { query: 'needle' })).ids).toEqual([ids[1]])
      expect((await openSearchIndex(database)).kind).toBe('tsvector')
    } finally {
      await broken.close()
    }
  })

  test('works in a schema of another name', async () => {
    const copy = await copyDatabase()
    const { databaseUrl, dataDir } = copy.options
    const inOddSchema = databaseUrl && `${databaseUrl}?options=${encodeURIComponent('-c search_path="Odd-One"')}`
    const odd = await openDatabase({ databaseUrl: inOddSchema, dataDir, onCrash: () => {} })
    try {
      await sql`alter schema public rename to "Odd-One"`.execute(odd.database)
      if (databaseUrl === undefined) await sql`set search_path to "Odd-One"`.execute(odd.database)
      await dropSearchIndex(odd.database)
      const other = await openSearchIndex(odd.database)
      expect(other.kind).toBe(index.kind)
      expect((await openSearchIndex(odd.database)).kind).toBe(index.kind)
      const ids = await store(odd.database, [syntheticRow(1), syntheticRow(2)])
      expect((await findIds(other, odd.database, { query: 'needles' })).ids).toEqual([ids[1]])
    } finally {
      await odd.close()
      await copy.remove()
    }
  })
})
