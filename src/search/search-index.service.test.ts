import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasBm25, openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { isCluster, openTestSearchIndex } from '../../test/search.ts'
import type { RequestFilters } from '../requests/filters/filters.ts'
import { maxSelected } from './page.ts'
import type { SearchIndex } from './search-index.ts'
import { findIds, type Row, store, syntheticRow } from './testing.ts'
import { defaultRankingBounds } from './tsvector.ts'

// Holds (Search, lists and export): a search returns only matching rows, in a table of any size

let opened: TestDatabase
let index: SearchIndex

beforeAll(async () => {
  opened = await openTestDatabase()
  index = await openTestSearchIndex(opened.database)
})
afterAll(() => opened.close())

const search = (query: string, filters?: RequestFilters, page = { offset: 0, limit: 100 }) =>
  findIds(index, opened.database, { query, ...page, ...(filters ? { filters } : {}) })

test.skipIf(isCluster)('is BM25 where the database can have it, and says why it is not elsewhere', () => {
  expect(index.kind).toBe(hasBm25 ? 'bm25' : 'tsvector')
  expect(index.fallbackReason).toBe(hasBm25 ? undefined : 'the extension pg_textsearch is not installed on the server')
})

// The largest is more than the 10,000 that are counted, and every third of it more than the 4,000 of a word that `tsvector` ranks.
describe.each([3, 300, 13_000])('among %i rows', (size) => {
  const rows = Array.from({ length: size }, (_, number) => ({ ...syntheticRow(number), id: '' }))
  const rowOf = new Map<string, Row>()

  beforeAll(async () => {
    await opened.reset()
    for (const [number, id] of (await store(opened.database, rows)).entries()) {
      rows[number]!.id = id
      rowOf.set(id, rows[number]!)
    }
    await sql`analyze`.execute(opened.database)
  })

  const hasAny = (row: Row, words: readonly string[]) => row.text.split(' ').some((word) => words.includes(word))
  const passes = (row: Row, { platforms, topic }: RequestFilters) =>
    (platforms === undefined || (platforms as readonly string[]).includes(row.platform)) &&
    (topic === undefined || row.topic === topic)

  const queries = [
    ['everywhere', ['everywhere']],
    ['majority', ['majority']],
    ['group1', ['group1']],
    ['needle', ['needle']],
    ['row1 row2', ['row1', 'row2']],
    ['needle group7 minority', ['needle', 'group7', 'minority']],
    ['nowhere', []],
    ['nowhere needle', ['needle']],
    ['to be or not to be', ['to', 'be', 'or', 'not']],
  ] as const

  test.each(queries)('finds the rows with any of the words and no others: %s', async (query, words) => {
    const matching = rows.filter((row) => hasAny(row, words))
    const { ids, more, window } = await search(query)
    for (const id of ids) expect(hasAny(rowOf.get(id)!, words)).toBe(true)
    expect(new Set(ids).size).toBe(Math.min(100, matching.length))
    expect(ids).toHaveLength(new Set(ids).size)
    expect(more).toBe(matching.length > 100)
    // `tsvector` ranks a part of the matches of a common word, and says so.
    const { maxOfWord } = defaultRankingBounds
    const isCommon = words.some((word) => matching.filter((row) => hasAny(row, [word])).length > maxOfWord)
    if (index.kind !== 'tsvector' || !isCommon) expect(window).toBeNull()
    else expect(window).toBeGreaterThanOrEqual(maxOfWord)
  })

  const filters: RequestFilters[] = [
    { platforms: ['github'] },
    { platforms: ['github', 'stackexchange'], topic: 'topic1' },
    { topic: 'topic2' },
    { topic: 'no such topic' },
    { platforms: [] },
  ]

  test.each(filters)(
    'returns only what passes the filters, of the best 1,000 matches or all of a small topic: %j',
    async (filter) => {
      for (const [query, words] of queries) {
        const matching = rows.filter((row) => hasAny(row, words))
        const kept = matching.filter((row) => passes(row, filter))
        const { ids, more, window } = await search(query, filter)
        for (const id of ids) expect(kept).toContain(rowOf.get(id))
        expect(ids).toHaveLength(new Set(ids).size)
        const ofTopic = rows.filter((row) => filter.topic === undefined || row.topic === filter.topic)
        // All requests of a small topic are matched.
        expect(window).toBe(matching.length > 1_000 && ofTopic.length > maxSelected ? 1_000 : null)
        if (window !== null) continue
        expect(ids).toHaveLength(Math.min(100, kept.length))
        expect(more).toBe(kept.length > 100)
      }
    },
  )

  test.each([undefined, { platforms: ['github' as const] }])('pages fit together, up to 100: %j', async (filter) => {
    const whole = await search('needle everywhere', filter)
    const paged: string[] = []
    for (let offset = 0; offset < 100; offset += 7) {
      const limit = Math.min(7, 100 - offset)
      const { ids, more } = await search('needle everywhere', filter, { offset, limit })
      paged.push(...ids)
      expect(ids).toHaveLength(Math.max(0, Math.min(limit, whole.ids.length - offset)))
      expect(more).toBe(offset + limit < whole.ids.length || whole.more)
    }
    expect(paged).toEqual(whole.ids)
    const beyond = await search('needle everywhere', filter, { offset: 95, limit: 50 })
    expect(beyond.ids).toEqual(whole.ids.slice(95))
  })

  test('puts the best first, and equally good ones in the order of their ids', async () => {
    const { ids } = await search('needle everywhere majority')
    expect(rowOf.get(ids[0]!)!.text).toContain('needle')
    const ranked = (await search('row1 row2 needle')).ids
    expect(ranked.map((id) => rows.findIndex((row) => row.id === id))).toEqual([2, 1])
    const { ids: same } = await search('group0')
    const texts = same.map((id) => rowOf.get(id)!.text.replace(/row\d+/, ''))
    for (let place = 1; place < same.length; place++) {
      if (texts[place] === texts[place - 1]) expect(same[place]! > same[place - 1]!).toBe(true)
    }
  })

  test.each([
    `everywhere'; drop table request_texts; --`,
    `"everywhere" & !needle | (group1 <-> row1):*`,
    'everywhere:A* \\ % _ $1 $$ {}',
    "everywhere'' or 1=1",
    '🎉 everywhere ❤️',
    `${'x'.repeat(400)} everywhere`,
    'EVERYWHERE',
  ])('reads any typed text as words: %s', async (query) => {
    const { ids } = await search(query)
    expect(ids).toHaveLength(Math.min(100, size))
  })

  test('a query without a word matches nothing', async () => {
    for (const query of ['', '!', '& | !', "''", '🎉', ':*', '\u0301', '<->']) {
      expect(await search(query)).toEqual({ ids: [], more: false, window: null })
      expect(await search(query, { topic: 'topic1' })).toEqual({ ids: [], more: false, window: null })
    }
  })

  test('never reads the whole table', async () => {
    // Three rows are one page, and a row of it is read by reading the page.
    if (index.kind !== 'bm25' || size === 3) return
    const scans = () =>
      sql<{ table: number; index: number }>`
        select pg_stat_get_numscans('request_texts'::regclass)::int as table,
          pg_stat_get_numscans('request_texts_bm25'::regclass)::int as index, pg_stat_force_next_flush()`
        .execute(opened.database)
        .then(({ rows: [row] }) => row!)
    await scans()
    const before = await scans()
    await search('everywhere needle')
    await search('everywhere needle', { topic: 'topic1' })
    await scans()
    const after = await scans()
    expect(after.table).toBe(before.table)
    expect(after.index).toBe(before.index + 2)
  })
})
