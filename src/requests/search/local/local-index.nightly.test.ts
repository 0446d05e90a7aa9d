import { cpSync } from 'node:fs'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { campaignSize } from '../../../../test/campaign-size.ts'
import type { TestDatabase } from '../../../../test/database.ts'
import { DataDirectoryInUseError } from '../../../database/embedded/lock.ts'
import { isDatabaseUnavailable } from '../../../database/errors.ts'
import { purgeRequests } from '../../purge/purge.ts'
import type { SearchIndex } from '../search-index.ts'
import { findIds, type Row, store, syntheticRow } from '../testing.ts'
import { readIdentity } from './identity.ts'
import { createLocalIndex, indexIn, type LocalIndexOptions } from './local-index.ts'
import { createLocalSearch } from './local-search.ts'
import { LocalIndexError, openStore } from './store.ts'
import { type Indexes, openIndexes, type RunningIndex } from './testing.ts'

// An index of a process beside a Postgres; the embedded database has such an index itself.

/** So many requests are purged, and as many hidden, while searches run: each is a race of its own. */
const racesInRound = 10
const races = campaignSize('LOCAL_INDEX_RACES', { quick: 40, nightly: 400 })

const row = (text: string, topic = 'some'): Row => ({ text, platform: 'github', topic })
let indexes: Indexes
let opened: TestDatabase
const { run, runReady, isReady, stop, expectSameAnswers } = {
  run: (options?: Partial<LocalIndexOptions>) => indexes.run(options),
  runReady: (options?: Partial<LocalIndexOptions>) => indexes.runReady(options),
  isReady: (started: RunningIndex) => indexes.isReady(started),
  stop: (started: RunningIndex) => indexes.stop(started),
  expectSameAnswers: (started: RunningIndex, queries: readonly string[]) => indexes.expectSameAnswers(started, queries),
}
/** Deletes requests without noting it: so much is an index behind that has not read the last changes. */
const deleteUnnoted = (ids: readonly string[]) =>
  opened.database.transaction().execute(async (transaction) => {
    await sql`set local session_replication_role = replica`.execute(transaction)
    for (const table of ['request_texts', 'request_facets', 'searchable_requests', 'requests']) {
      const key = table === 'requests' ? 'id' : 'request_id'
      await sql`delete from ${sql.table(table)} where ${sql.ref(key)} = any(${[...ids]}::uuid[])`.execute(transaction)
    }
  })
const idsOf = async (search: SearchIndex, query: string) =>
  (await findIds(search, opened.database, { query })).ids.toSorted()

describe('the search index of a process', { timeout: 180_000 }, () => {
  beforeAll(async () => {
    indexes = await openIndexes()
    opened = indexes.opened
  }, 300_000)
  beforeEach(() => opened.reset())
  afterEach(() => indexes.stopAll(), 120_000)
  afterAll(() => indexes.close())

  it('is built while the database answers, which the answers say', async () => {
    const ids = await store(
      opened.database,
      Array.from({ length: 500 }, (_, number) => syntheticRow(number)),
    )
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    const started = run({ batch: 100, beforeStep: async (copied) => (copied < 500 ? undefined : mayGoOn) })
    await expect.poll(() => started.index.status().requests).toBe(500)
    const { search } = started
    expect([started.index.status().state, search.kind]).toEqual(['building', 'tsvector'])
    const while_ = await search.search(opened.database, { query: 'needle', offset: 0, limit: 10 })
    expect(while_).toMatchObject({ isIndexBuilding: true, results: [{ _id: ids[2] }] })
    goOn()
    await isReady(started)
    expect(search.kind).toBe('local')
    const ready = await search.search(opened.database, { query: 'needle', offset: 0, limit: 10 })
    expect(ready.isIndexBuilding).toBeUndefined()
    expect(ready.results.map(({ _id }) => _id)).toEqual([ids[2]])
    await expectSameAnswers(started, ['everywhere', 'minority filler', 'group3 row3', 'needle', 'nothing'])
  })

  it('has what was committed before a search, whatever changed', async () => {
    const started = await runReady()
    const { search } = started
    const [one, other] = await store(opened.database, [row('rose'), row('tulip')])
    expect(await idsOf(search, 'rose tulip')).toEqual([one, other].toSorted())
    await sql`update request_texts set text = 'violet' where request_id = ${one}`.execute(opened.database)
    expect([await idsOf(search, 'rose'), await idsOf(search, 'violet')]).toEqual([[], [one]])
    await sql`update requests set votes = 9, tags = '{ui}', status = 'open' where id = ${other}`.execute(
      opened.database,
    )
    await expectSameAnswers(started, ['tulip violet', 'tulip'])
    await sql`update requests set standing = 1 where id = ${other}`.execute(opened.database)
    expect((await search.totals(opened.database, { query: 'tulip' })).total).toBe(0)
    await sql`insert into request_topics (request_id, topic_key, found_at)
      select ${one}, key, now() from topics where key = 'some' on conflict do nothing`.execute(opened.database)
    await sql`delete from request_topics where request_id = ${one}`.execute(opened.database)
    expect((await search.totals(opened.database, { query: 'violet', filters: { topic: 'some' } })).total).toBe(0)
    await sql`delete from requests where id = ${one}`.execute(opened.database)
    expect((await search.totals(opened.database, { query: 'violet' })).total).toBe(0)
    expect(search.kind).toBe('local')
  })

  it('counts a request as the account of the view sees it', async () => {
    const started = await runReady()
    const account = crypto.randomUUID()
    const [id] = await store(opened.database, [row('rose')])
    await sql`insert into accounts (id, name, tier, created_at) values (${account}, 'a', 'free', now())`.execute(
      opened.database,
    )
    const view = { account, least: 2 as const }
    const total = async () => (await started.search.totals(opened.database, { query: 'rose', filters: { view } })).total
    const totals = [await total()]
    await sql`insert into account_requests (account_id, request_id, standing) values (${account}, ${id}, 0)`.execute(
      opened.database,
    )
    totals.push(await total())
    await sql`update account_requests set standing = 2`.execute(opened.database)
    totals.push(await total())
    await sql`delete from account_requests`.execute(opened.database)
    totals.push(await total())
    expect(totals).toEqual([1, 0, 1, 1])
    expect(started.search.kind).toBe('local')
  })

  it('catches up after a restart and does not copy again', async () => {
    const ids = await store(opened.database, [row('one'), row('two'), row('three')])
    const first = await runReady()
    await stop(first)
    // Noted for no index: only an index that is built anew misses it.
    await opened.database.transaction().execute(async (transaction) => {
      await sql`set local session_replication_role = replica`.execute(transaction)
      await sql`delete from request_texts where request_id = ${ids[0]}`.execute(transaction)
    })
    const [four] = await store(opened.database, [row('four')])
    await sql`delete from requests where id = ${ids[1]}`.execute(opened.database)
    const again = await runReady({ dataDir: first.dataDir })
    expect(again.index.status().requests).toBe(3)
    expect(await idsOf(again.search, 'one two three four')).toEqual([ids[0], ids[2], four].toSorted())
  })

  it('goes on with a build that was interrupted', async () => {
    await store(
      opened.database,
      Array.from({ length: 300 }, (_, number) => syntheticRow(number)),
    )
    const { promise: mayGoOn, resolve: goOn } = Promise.withResolvers<void>()
    const first = run({ batch: 50, beforeStep: async (copied) => (copied < 150 ? undefined : mayGoOn) })
    await expect.poll(() => first.index.status().requests).toBe(150)
    // As after kill -9: its files are copied while they are open.
    const dataDir = indexes.emptyDirectory()
    cpSync(indexIn(first.dataDir), indexIn(dataDir), {
      recursive: true,
      filter: (path) => !/lock\.db/.test(path),
    })
    let copied = 0
    const count = async (before: number) => {
      copied = before
    }
    const again = await runReady({ dataDir, batch: 50, beforeStep: count })
    expect(copied).toBe(150)
    goOn()
    await expectSameAnswers(again, ['everywhere', 'minority', 'row7'])
  })

  it('is built anew when the log of changes has gone on without it', async () => {
    const ids = await store(opened.database, [row('one')])
    const first = await runReady()
    const { consumer } = readIdentity(indexIn(first.dataDir))!
    await stop(first)
    await sql`delete from search_consumers`.execute(opened.database)
    ids.push(...(await store(opened.database, [row('one more')])))
    const second = await runReady({ dataDir: first.dataDir })
    expect(readIdentity(indexIn(first.dataDir))!.consumer).not.toBe(consumer)
    expect(await idsOf(second.search, 'one')).toEqual(ids.toSorted())
    await stop(second)
    // Another index of the same name has read changes that this one lacks.
    await sql`update search_consumers set position = pg_current_snapshot()`.execute(opened.database)
    await sql`select pg_current_xact_id()`.execute(opened.database)
    await sql`update search_consumers set position = pg_current_snapshot()`.execute(opened.database)
    const third = await runReady({ dataDir: first.dataDir })
    expect(await idsOf(third.search, 'one')).toEqual(ids.toSorted())
    // Also while it runs.
    await sql`delete from search_consumers`.execute(opened.database)
    ids.push(...(await store(opened.database, [row('one at last')])))
    await expect.poll(() => idsOf(third.search, 'one')).toEqual(ids.toSorted())
    await isReady(third)
    expect(await idsOf(third.search, 'one')).toEqual(ids.toSorted())
  })

  it('that fails while it runs is built anew, and the search that noticed is answered', async () => {
    const [id] = await store(opened.database, [row('rose')])
    const started = await runReady()
    const { consumer } = readIdentity(indexIn(started.dataDir))!
    started.index.fail(new LocalIndexError(new Error('page verification failed')))
    expect(await idsOf(started.search, 'rose')).toEqual([id])
    await expect.poll(() => readIdentity(indexIn(started.dataDir))?.consumer !== consumer).toBe(true)
    await isReady(started)
    expect(await idsOf(started.search, 'rose')).toEqual([id])
    const { rows } = await sql`select name from search_consumers`.execute(opened.database)
    expect(rows).toHaveLength(1)
  })

  it('stays when the disk is full, and is opened again', async () => {
    const [id] = await store(opened.database, [row('rose')])
    const started = await runReady()
    const { consumer } = readIdentity(indexIn(started.dataDir))!
    started.index.fail(new LocalIndexError(Object.assign(new Error('No space left on device'), { code: '53100' })))
    await expect.poll(() => started.index.status().state).toBe('building')
    await isReady(started)
    expect(readIdentity(indexIn(started.dataDir))!.consumer).toBe(consumer)
    expect(await idsOf(started.search, 'rose')).toEqual([id])
  })

  it('never shows a request that was purged or hidden before the search', {
    timeout: 120_000 + races * 500,
  }, async () => {
    const started = await runReady()
    const { database } = opened
    const now = new Date()
    // With the usual wait: it searches the index also where that is behind.
    const search = createLocalSearch(indexes.base, started.index)
    const shown: string[] = []
    let searches = 0
    for (let round = 0; round * racesInRound < races; round++) {
      const rows = Array.from({ length: 2 * racesInRound }, (_, number) => row('rose', `topic${number % 3}`))
      const ids = await store(database, [...rows, row('rose', 'stays')])
      const stays = ids.pop()!
      const gone = new Set<string>()
      const find = async () => {
        const before = [...gone]
        const { ids: found } = await findIds(search, database, { query: 'rose' })
        searches++
        shown.push(...before.filter((id) => found.includes(id)))
        return found
      }
      const purge = (id: string) => purgeRequests(database, { id, suppress: false, dryRun: false, now })
      const hide = (id: string) => sql`update requests set standing = -1 where id = ${id}`.execute(database)
      const ending = Promise.all(
        ids.map(async (id, number) => {
          await (number % 2 === 0 ? purge(id) : hide(id))
          gone.add(id)
        }),
      )
      while (gone.size < ids.length) await find()
      await ending
      await expect.poll(find).toEqual([stays])
      await sql`delete from requests`.execute(database)
    }
    expect(shown).toEqual([])
    if (process.env.LOCAL_INDEX_RACES !== undefined) console.log(`${races} races in ${searches} searches`)
    expect(started.search.kind).toBe('local')
  })

  it('of a stopped process shows nothing that was purged meanwhile, also before it has caught up', async () => {
    const [id] = await store(opened.database, [row('rose')])
    const started = await runReady()
    const local = started.index.searchIndex()!
    await deleteUnnoted([id!])
    for (const sortBy of ['relevance', 'votes', 'new'] as const) {
      const { results } = await local.search(opened.database, { query: 'rose', sortBy, offset: 0, limit: 10 })
      expect(results).toEqual([])
    }
  })

  it.each([15, 150])('fills a page in an exact order, though it has not seen that %i were purged', async (purged) => {
    const count = purged + 30
    const texts = Array.from({ length: count }, (_, number) => row(number % 2 === 0 ? 'rose' : 'rose tulip'))
    const ids = await store(opened.database, texts)
    const votes = JSON.stringify(ids.map((id, number) => ({ id, votes: count - number })))
    await sql`update requests set votes = of.votes from jsonb_to_recordset(${votes}::jsonb) as of (id uuid, votes int)
      where of.id = requests.id`.execute(opened.database)
    const started = await runReady()
    const local = started.index.searchIndex()!
    await deleteUnnoted(ids.slice(0, purged))
    const page = { sortBy: 'votes' as const, offset: 0, limit: 10 }
    expect(await findIds(local, opened.database, { query: 'rose', ...page })).toEqual({
      ids: ids.slice(purged, purged + 10),
      more: true,
      window: null,
    })
    // Those with all words first, then those with some.
    const left = ids.slice(purged)
    const hasBoth = (id: string) => ids.indexOf(id) % 2 === 1
    const whole = [...left.filter(hasBoth), ...left.filter((id) => !hasBoth(id))]
    const last = { ...page, offset: 10, limit: 20 }
    expect(await findIds(local, opened.database, { query: 'rose tulip', ...last })).toEqual({
      ids: whole.slice(10, 30),
      more: false,
      window: null,
    })
  })

  it('ends a search that takes too long with the error of the database, and goes on with the same files', async () => {
    const [id] = await store(opened.database, [row('rose')])
    const first = await runReady()
    const { dataDir } = first
    const { consumer } = readIdentity(indexIn(dataDir))!
    await stop(first)
    const files = await openStore(indexIn(dataDir), () => {})
    await files.client.exec(`create or replace function count_requests_with_words(query tsquery, min_standing smallint, max_rows bigint)
      returns integer language plpgsql as $$ begin loop end loop; end $$`)
    await files.close()
    const started = await runReady({ dataDir, searchMs: 2_000 })
    const slow = started.search.totals(opened.database, { query: 'rose' })
    // It waits behind the slow one, and the database answers it.
    const waiting = idsOf(started.search, 'rose')
    await expect(slow).rejects.toMatchObject({ code: '57014' })
    await expect(slow).rejects.toSatisfy(isDatabaseUnavailable)
    expect(await waiting).toEqual([id])
    await isReady(started)
    expect(readIdentity(indexIn(dataDir))!.consumer).toBe(consumer)
    expect(await idsOf(started.search, 'rose')).toEqual([id])
    expect(started.search.kind).toBe('local')
  })

  it('is one for each process, and each has all changes', async () => {
    const [one, two] = await Promise.all([runReady(), runReady()])
    const ids = await store(opened.database, [row('rose'), row('rose')])
    expect(await idsOf(one.search, 'rose')).toEqual(ids.toSorted())
    expect(await idsOf(two.search, 'rose')).toEqual(ids.toSorted())
    await stop(one)
    ids.push(...(await store(opened.database, [row('rose')])))
    expect(await idsOf(two.search, 'rose')).toEqual(ids.toSorted())
    const again = await runReady({ dataDir: one.dataDir })
    expect(await idsOf(again.search, 'rose')).toEqual(ids.toSorted())
    expect([again.search.kind, two.search.kind]).toEqual(['local', 'local'])
    // A third one in the directory of another process.
    expect(() =>
      createLocalIndex({ database: opened.database, dataDir: two.dataDir, log: pino({ level: 'silent' }) }),
    ).toThrow(DataDirectoryInUseError)
  })

  it('has all requests that writers stored while it was built', { timeout: 120_000 }, async () => {
    await store(
      opened.database,
      Array.from({ length: 300 }, (_, number) => syntheticRow(number)),
    )
    let isWriting = true
    const write = async (writer: number) => {
      for (let page = 0; isWriting; page++) {
        const rows = Array.from({ length: 5 }, (_, number) => row(`everywhere page${page}`, `${writer} ${number}`))
        const ids = await store(opened.database, rows)
        await sql`delete from requests where id = ${ids[0]}`.execute(opened.database)
        await sql`update request_texts set text = 'everywhere changed' where request_id = ${ids[1]}`.execute(
          opened.database,
        )
      }
    }
    const writers = [write(0), write(1)]
    const started = await runReady({ batch: 20 })
    isWriting = false
    await Promise.all(writers)
    await expectSameAnswers(started, ['everywhere', 'changed', 'minority', 'page0'])
  })
})
