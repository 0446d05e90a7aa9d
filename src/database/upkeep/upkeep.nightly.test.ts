import { sql } from 'kysely'
import { type Logger, pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { startTestService } from '../../../test/service.ts'
import { changeRequests } from '../../../test/stored-requests.ts'
import { deleteAlone } from '../../requests/store/delete.ts'
import { openSearchIndex, type SearchIndex } from '../../search/search-index.ts'
import { store, syntheticRow } from '../../search/testing.ts'
import type { EmbeddedClient } from '../embedded/client.ts'
import { createPace } from './pace.ts'
import { parseSegments } from './search-index.ts'
import { createUpkeep, type Upkeep, type UpkeepOptions } from './upkeep.ts'

// Holds (Data): upkeep keeps tables and indexes small and changes no response

const silent = pino({ level: 'silent' })

describe('upkeep of the embedded database', () => {
  let opened: TestDatabase
  let client: EmbeddedClient
  let index: SearchIndex
  let upkeep: Upkeep | null = null

  beforeAll(async () => {
    opened = await openTestDatabase({ ownDatabase: true })
    if (opened.embedded === null) throw new Error('not the embedded database')
    client = opened.embedded
    index = await openSearchIndex(opened.database)
  })
  beforeEach(() => opened.reset())
  afterEach(async () => {
    await upkeep?.stop()
    upkeep = null
  })
  afterAll(() => opened.close())

  /** A generous budget, so that a busy machine does not decide what is done. */
  const create = async (options: Partial<UpkeepOptions> = {}) => {
    upkeep = await createUpkeep({ client, log: silent, budgetMs: 60_000, ...options })
    return upkeep
  }
  /** Does everything that is due. @returns the steps. */
  const workOff = async ({ slice }: Upkeep) => {
    const done: string[] = []
    for (let next = await slice(); next !== null; next = await slice()) done.push(`${next.kind} ${next.target}`)
    return done
  }
  const storeRows = (from: number, to: number) =>
    store(
      opened.database,
      Array.from({ length: to - from }, (_, number) => syntheticRow(from + number)),
    )
  /** Flushes the statistics of Postgres, which it does a second later by itself. */
  const countNow = () => sql`select pg_stat_force_next_flush()`.execute(opened.database)
  const readNumber = async (query: ReturnType<typeof sql<{ number: number }>>) =>
    Number((await query.execute(opened.database)).rows[0]?.number)

  it('keeps a frequently updated table small and its statistics current', async () => {
    const working = await create()
    await storeRows(0, 1_500)
    const size = () => readNumber(sql<{ number: number }>`select pg_table_size('requests') as number`)
    const fresh = await size()
    for (let round = 0; round < 6; round++) {
      await sql`update requests set votes = votes + 1`.execute(opened.database)
      await countNow()
      const done = await workOff(working)
      expect(done).toContain('vacuum public.requests')
    }
    expect(await size()).toBeLessThan(fresh * 4)
    const known = await readNumber(sql<{ number: number }>`
      select reltuples as number from pg_class where oid = 'requests'::regclass`)
    expect(known).toBeGreaterThan(1_400)
    expect(await workOff(working)).toEqual([])
  })

  it('merges the segments of the search index, instead of the inserts, and searches find the same', async () => {
    if (index.kind !== 'bm25') return
    const working = await create()
    await client.query('set pg_textsearch.memtable_pages_threshold = 1')
    for (let batch = 0; batch < 10; batch++) await storeRows(batch * 20, batch * 20 + 20)
    await client.query('reset pg_textsearch.memtable_pages_threshold')
    const segments = () =>
      readNumber(sql<{ number: number }>`
      select (bm25_level_counts('request_texts_bm25'))[1] as number`)
    const ids = async () => {
      const found = await index.search(opened.database, { query: 'minority group3', offset: 0, limit: 100 })
      return new Set(found.results.map(({ _id }) => _id))
    }
    expect(await segments()).toBeGreaterThanOrEqual(8)
    const before = await ids()
    expect(await workOff(working)).toContain('merge request_texts_bm25')
    expect(await segments()).toBeLessThan(4)
    expect(await ids()).toEqual(before)
  })

  it('merges very many segments into few at a start, and a failure does not stop the start', async () => {
    const working = await create({ budgetMs: 20 })
    await client.query('set pg_textsearch.memtable_pages_threshold = 1')
    for (let batch = 0; batch < 80; batch++) await storeRows(batch * 20, batch * 20 + 20)
    await client.query('reset pg_textsearch.memtable_pages_threshold')
    const segments = () =>
      readNumber(sql<{ number: number }>`
      select sum(count)::integer as number from unnest(bm25_level_counts('request_texts_bm25')) as count`)
    expect(await segments()).toBeGreaterThan(64)
    await working.catchUp()
    expect(await segments()).toBeLessThan(8)
    let calls = 0
    const later = {
      ...client,
      aside: (run: never) => (calls++ === 0 ? client.aside(run) : Promise.reject(new Error('no'))),
    }
    await storeRows(2_000, 3_500)
    await expect((await createUpkeep({ client: later as never, log: silent })).catchUp()).resolves.toBeUndefined()
  })

  it('empties the memtable, and searches make no copies of it in memory', async () => {
    const working = await create()
    await storeRows(0, 400)
    const inMemtable = () =>
      readNumber(sql<{ number: number }>`
      select coalesce(sum(n_records), 0)::integer as number from bm25_memtable_chain('request_texts_bm25')`)
    const find = async () =>
      (await index.search(opened.database, { query: 'majority', offset: 0, limit: 100 })).results.map(({ _id }) => _id)
    const before = await find()
    expect(await inMemtable()).toBeGreaterThan(150)
    const cached = () =>
      readNumber(sql<{ number: number }>`select bm25_cache_global_estimated_bytes()::integer as number`)
    expect(await cached()).toBe(0)
    // VACUUM and ANALYZE empty it, too. Postgres flushes its statistics a second later by itself: then they would be due only after the
    // first round.
    await countNow()
    expect((await workOff(working)).join()).toMatch(/spill|(vacuum|analyze) public.request_texts/)
    expect(await inMemtable()).toBe(0)
    expect(await find()).toEqual(before)
    expect(await workOff(working)).toEqual([])
  })

  it('never finds a changed text by its old words, whatever was vacuumed and merged in between', async () => {
    const working = await create()
    const ids = await storeRows(0, 1_500)
    for (const round of [1, 2, 3]) {
      await changeRequests(opened.database, sql`update request_texts set text = ${`round${round} turn`}`)
      await countNow()
      expect(await workOff(working)).toContain('vacuum public.request_texts')
      const search = async (query: string) =>
        (await index.search(opened.database, { query, offset: 0, limit: 100 })).results
      expect(await search(`round${round}`)).toHaveLength(100)
      expect(await search(`round${round - 1} everywhere`)).toEqual([])
    }
    expect(ids).toHaveLength(1_500)
  })

  it('ends, also with long texts and with a table that was emptied', async () => {
    const working = await create()
    await storeRows(0, 1_000)
    await sql`update requests set description = (select string_agg(md5(random()::text), ' ') from generate_series(1, 200))`.execute(
      opened.database,
    )
    await countNow()
    await workOff(working)
    await deleteAlone(opened.database, sql<{ id: string }>`select id from requests for update`)
    await countNow()
    await working.catchUp()
    expect(await workOff(working)).toEqual([])
  })

  it('makes a checkpoint at 32 MB of log', async () => {
    const working = await create()
    const logMb = () =>
      readNumber(sql<{ number: number }>`
      select (pg_current_wal_insert_lsn() - checkpoint_lsn) / 1048576 as number from pg_control_checkpoint()`)
    for (let megabyte = 0; megabyte < 34; megabyte++) {
      await sql`select pg_logical_emit_message(false, 'test', repeat('x', 1048576))`.execute(opened.database)
    }
    expect(await logMb()).toBeGreaterThan(32)
    expect(await workOff(working)).toContain('checkpoint log')
    expect(await logMb()).toBeLessThan(32)
  })

  it('leaves undone what would take longer than its budget, and logs that once', async () => {
    const said: string[] = []
    const log = pino({ level: 'info' }, { write: (line: string) => said.push(line) }) as Logger
    const working = await create({ log, budgetMs: 0 })
    await storeRows(0, 1_000)
    await countNow()
    expect((await workOff(working)).filter((done) => done.includes('public.'))).toEqual([])
    expect(await working.slice()).toBe(null)
    const left = said.map((line) => JSON.parse(line)).map(({ kind, target }) => `${kind} ${target}`)
    expect(left).toContain('analyze public.request_texts')
    expect(new Set(left).size).toBe(left.length)
  })

  it('runs by itself while the database is unused', async () => {
    await storeRows(0, 1_000)
    await sql`update requests set votes = votes + 1`.execute(opened.database)
    await countNow()
    const done: string[] = []
    const working = await create({ onSlice: ({ kind, target }) => done.push(`${kind} ${target}`) })
    working.start()
    // No query here: that would be use.
    await expect.poll(() => done, { timeout: 50_000 }).toContain('vacuum public.requests')
  })

  it('does not count as use of the database', async () => {
    const gate = Promise.withResolvers<void>()
    const held = client.alone(() => gate.promise)
    const waiting = client.query('select 1')
    expect(client.idleMs()).toBe(0)
    gate.resolve()
    await held
    await waiting
    const used = client.idleMs()
    await client.aside(async (queries) => {
      await queries.query('select 1')
      expect(client.idleMs()).toBeGreaterThanOrEqual(used)
    })
    expect(client.idleMs()).toBeGreaterThanOrEqual(used)
  })

  it('finds a service without calls idle, though its queue polls all the time', async () => {
    const service = await startTestService({ ownDatabase: true })
    try {
      const { embedded } = service.opened
      // Longer than the poll interval of any worker.
      await expect.poll(() => embedded!.idleMs(), { timeout: 50_000 }).toBeGreaterThan(7_000)
      await service.client.get('/api/v1/usage')
      expect(embedded!.idleMs()).toBeLessThan(5_000)
    } finally {
      await service.stop()
    }
  })

  it('reads the segments as the extension describes them', async () => {
    if (index.kind !== 'bm25') return
    await storeRows(0, 300)
    await sql`select bm25_spill_index('request_texts_bm25')`.execute(opened.database)
    const { rows } = await sql<{ summary: string }>`
      select bm25_summarize_index('request_texts_bm25') as summary`.execute(opened.database)
    const segments = parseSegments(rows[0]?.summary ?? '')
    expect(segments.reduce((sum, { texts }) => sum + texts, 0)).toBeGreaterThanOrEqual(300)
    expect(
      parseSegments('  L1 Segment 2: block=7, pages=410, size=3.2MB, terms=29, docs=10 (alive=8, dead=2)'),
    ).toEqual([{ texts: 8 }])
  })
})

describe('the pace of upkeep', () => {
  it('follows a slower run at once and a faster one gradually, and forgets a rate that forbids work', () => {
    const pace = createPace({ vacuum: 0.1 })
    expect(pace.predict('vacuum', 1_000)).toBeCloseTo(102)
    pace.learn('vacuum', 1_000, 502)
    expect(pace.predict('vacuum', 1_000)).toBeCloseTo(502)
    pace.learn('vacuum', 1_000, 2)
    expect(pace.predict('vacuum', 1_000)).toBeCloseTo(402)
    const before = pace.predict('vacuum', 1_000)
    pace.doubt('vacuum')
    expect(pace.predict('vacuum', 1_000)).toBeLessThan(before)
    for (let times = 0; times < 500; times++) pace.doubt('vacuum')
    expect(pace.predict('vacuum', 1_000)).toBeCloseTo(102, 0)
  })
})
