import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { copyDatabase, openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { type Executor, openDatabase } from '../database/open.ts'
import { platformNames } from '../platforms/platform.ts'
import { openSearchIndex, type SearchFilters, type SearchIndex, type SearchMatches } from './search-index.ts'
import { searchTextOf } from './search-text.ts'

interface Row {
  text: string
  platform: string
  topic: string
}

/** Every word is one that the stemmer leaves alone, or comes in one form only. */
function syntheticRow(number: number): Row {
  const words = [
    'everywhere',
    number % 3 === 0 ? 'minority' : 'majority',
    `group${number % 10}`,
    `row${number}`,
    ...Array<string>(number % 7).fill('filler'),
    ...(number === 2 ? ['needle'] : []),
    ...(number === 1 ? ['to', 'be', 'or', 'not'] : []),
  ]
  return { text: words.join(' '), platform: platformNames[number % 3]!, topic: `topic${number % 4}` }
}

/** Stores the rows; gives their ids in the order of the rows. */
async function store(executor: Executor, rows: readonly Row[]): Promise<string[]> {
  const ids: string[] = []
  for (let start = 0; start < rows.length; start += 5_000) {
    const batch = rows.slice(start, start + 5_000).map((row) => ({ ...row, id: crypto.randomUUID() }))
    await sql`
      with incoming as (
        select * from jsonb_to_recordset(${JSON.stringify(batch)}::jsonb)
          as incoming (id uuid, text text, platform text, topic text)
      ), stored as (
        insert into requests
          (id, platform, source_id, title, description, votes, tags, source_url, topic, created_at, updated_at)
        select id, platform, id::text, '', '', 0, '{}', '', topic, now(), now() from incoming
      ), topics_stored as (
        insert into topics (key, name, created_at) select distinct topic, topic, now() from incoming
        on conflict do nothing
      ), topics_linked as (
        insert into request_topics (request_id, topic_key, found_at) select id, topic, now() from incoming
      )
      insert into request_texts (request_id, text) select id, text from incoming`.execute(executor)
    ids.push(...batch.map((row) => row.id))
  }
  return ids
}

let opened: TestDatabase
let index: SearchIndex

beforeAll(async () => {
  opened = await openTestDatabase()
  index = await openSearchIndex(opened.database)
})
afterAll(() => opened.close())

const search = (query: string, filters?: SearchFilters, page = { offset: 0, limit: 100 }): Promise<SearchMatches> =>
  index.search(opened.database, { query, ...page, ...(filters ? { filters } : {}) })

test('is BM25 in the embedded home, and says why it is not elsewhere', () => {
  expect(index.kind).toBe(opened.home === 'embedded' ? 'bm25' : 'tsvector')
  expect(index.fallbackReason).toBe(
    opened.home === 'embedded' ? undefined : 'the extension pg_textsearch is not installed on the server',
  )
})

describe.each([3, 300, 30_000])('among %i rows', (size) => {
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
  const passes = (row: Row, { platforms, topicKey }: SearchFilters) =>
    (platforms === undefined || (platforms as readonly string[]).includes(row.platform)) &&
    (topicKey === undefined || row.topic === topicKey)

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
    expect(window).toBeNull()
  })

  const filters: SearchFilters[] = [
    { platforms: ['github'] },
    { platforms: ['github', 'stackexchange'], topicKey: 'topic1' },
    { topicKey: 'topic2' },
    { topicKey: 'no such topic' },
    { platforms: [] },
  ]

  test.each(filters)('keeps the filters among the best 1,000 matches: %j', async (filter) => {
    for (const [query, words] of queries) {
      const matching = rows.filter((row) => hasAny(row, words))
      const kept = matching.filter((row) => passes(row, filter))
      const { ids, more, window } = await search(query, filter)
      for (const id of ids) expect(kept).toContain(rowOf.get(id))
      expect(ids).toHaveLength(new Set(ids).size)
      expect(window).toBe(matching.length > 1_000 ? 1_000 : null)
      if (window !== null) continue
      expect(ids).toHaveLength(Math.min(100, kept.length))
      expect(more).toBe(kept.length > 100)
    }
  })

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
  ])('takes whatever a user types for words: %s', async (query) => {
    const { ids } = await search(query)
    expect(ids).toHaveLength(Math.min(100, size))
  })

  test('a query without a word matches nothing', async () => {
    for (const query of ['', '!', '& | !', "''", '🎉', ':*', '\u0301', '<->']) {
      expect(await search(query)).toEqual({ ids: [], more: false, window: null })
      expect(await search(query, { topicKey: 'topic1' })).toEqual({ ids: [], more: false, window: null })
    }
  })

  test('never reads the whole table', async () => {
    if (index.kind !== 'bm25') return
    const scans = () =>
      sql<{ table: number; index: number }>`
        select pg_stat_get_numscans('request_texts'::regclass)::int as table,
          pg_stat_get_numscans('request_texts_bm25'::regclass)::int as index, pg_stat_force_next_flush()`
        .execute(opened.database)
        .then(({ rows: [row] }) => row!)
    await scans()
    const before = await scans()
    await search('everywhere needle')
    await search('everywhere needle', { topicKey: 'topic1' })
    await scans()
    const after = await scans()
    expect(after.table).toBe(before.table)
    expect(after.index).toBe(before.index + 2)
  })
})

describe('what changes in the cache', () => {
  beforeAll(() => opened.reset())

  test('is found at once, also in the transaction that writes it, and no longer when it is gone', async () => {
    const row = { platform: 'github', topic: 'topic' }
    const rows = Array.from({ length: 500 }, (_, number) => ({ ...row, text: `old thing${number}` }))
    const ids = await store(opened.database, rows)
    await expect(
      opened.database.transaction().execute(async (transaction) => {
        const [id] = await store(transaction, [{ ...row, text: 'uncommitted' }])
        expect((await index.search(transaction, { query: 'uncommitted', offset: 0, limit: 1 })).ids).toEqual([id])
        throw new Error('roll back')
      }),
    ).rejects.toThrow('roll back')
    expect((await search('uncommitted')).ids).toEqual([])

    await sql`update request_texts set text = 'new ' || text where request_id = ${ids[7]!}`.execute(opened.database)
    expect((await search('new')).ids).toEqual([ids[7]])
    await sql`delete from requests where id <> all(${ids.slice(5, 9)}::uuid[])`.execute(opened.database)
    expect(new Set((await search('old')).ids)).toEqual(new Set(ids.slice(5, 9)))
    await sql`vacuum request_texts`.execute(opened.database)
    expect(new Set((await search('old')).ids)).toEqual(new Set(ids.slice(5, 9)))
    const [fresh] = await store(opened.database, [{ ...row, text: 'fresh' }])
    expect((await search('fresh old')).ids).toHaveLength(5)
    expect((await search('fresh old')).ids[0]).toBe(fresh)
    expect((await search('thing1')).ids).toEqual([])
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

test('does not parse the texts that it finds', async () => {
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
  expect(await time(() => search('needle'))).toBeLessThan(parsing / 4)
})

describe('opening', () => {
  test('can be done again and by several processes at once', async () => {
    const indexes = await Promise.all([1, 2, 3, 4].map(() => openSearchIndex(opened.database)))
    for (const { kind } of indexes) expect(kind).toBe(index.kind)
    await opened.reset()
    const ids = await store(opened.database, [syntheticRow(2)])
    expect((await indexes[3]!.search(opened.database, { query: 'needle', offset: 0, limit: 5 })).ids).toEqual(ids)
  })

  test('several processes can open a fresh database at once, and rows that are there already are found', async () => {
    const fresh = await openTestDatabase()
    try {
      const ids = await store(fresh.database, [syntheticRow(1), syntheticRow(2)])
      const indexes = await Promise.all([1, 2, 3, 4].map(() => openSearchIndex(fresh.database)))
      for (const other of indexes) {
        expect(other.kind).toBe(index.kind)
        const { ids: found } = await other.search(fresh.database, { query: 'needle', offset: 0, limit: 5 })
        expect(found).toEqual([ids[1]])
      }
    } finally {
      await fresh.close()
    }
  })

  test('falls back to tsvector when BM25 cannot be had, and leaves nothing half made', async () => {
    const broken = await openTestDatabase()
    const { database } = broken
    try {
      // A function that the preparation cannot replace, after it has made the extension and the index.
      await sql`create function request_text_matches(words text, most integer) returns integer
        language sql as 'select 1'`.execute(database)
      const fallback = await openSearchIndex(database)
      expect(fallback.kind).toBe('tsvector')
      expect(fallback.fallbackReason).toMatch(opened.home === 'embedded' ? /change return type/ : /not installed/)
      const { rows } = await sql<{ left: string | null }>`
        select to_regclass('request_texts_bm25')::text as left`.execute(database)
      expect(rows).toEqual([{ left: null }])
      const ids = await store(database, [syntheticRow(1), syntheticRow(2)])
      expect((await fallback.search(database, { query: 'needle', offset: 0, limit: 5 })).ids).toEqual([ids[1]])
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
      const other = await openSearchIndex(odd.database)
      expect(other.kind).toBe(index.kind)
      expect((await openSearchIndex(odd.database)).kind).toBe(index.kind)
      const ids = await store(odd.database, [syntheticRow(1), syntheticRow(2)])
      expect((await other.search(odd.database, { query: 'needles', offset: 0, limit: 5 })).ids).toEqual([ids[1]])
    } finally {
      await odd.close()
      await copy.remove()
    }
  })
})
