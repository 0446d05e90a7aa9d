import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type OpenDatabase, openDatabase } from '../../src/database/open.ts'
import { purgeRequests } from '../../src/requests/purge/purge.ts'
import { IndexMissingError } from '../../src/search/opensearch/cluster.ts'
import { type ClusterSearch, openClusterSearch } from '../../src/search/opensearch/cluster-search.ts'
import { indexBody } from '../../src/search/opensearch/documents.ts'
import { beginRebuild, readIndexes } from '../../src/search/opensearch/indexes.ts'
import { readStatus } from '../../src/search/opensearch/status.ts'
import { findIds } from '../../src/search/testing.ts'
import { campaignSize } from '../campaign-size.ts'
import { startChildService } from '../child-service.ts'
import { copyDatabase, type DatabaseCopy, emptyTables } from '../database.ts'
import { testAdminKey } from '../service.ts'
import { changeRequests } from '../stored-requests.ts'
import { indexedVotes, startWriter, storedVotes, storeMany } from './testing.ts'

// Holds (Search, lists and export): a search cluster loses and duplicates nothing when its feeders are killed, and matches each request's last transaction
// Holds (Search, lists and export): no search started after a purge or hiding shows it, however late the index
// Holds (Search, lists and export): an index is rebuilt during writes and searches without a failed search

// How the index in a cluster follows the database.

let copy: DatabaseCopy
let opened: OpenDatabase
let search: ClusterSearch

const open = () =>
  openClusterSearch({
    database: opened.database,
    nodes: inject('searchCluster')!.split(','),
    shards: 2,
    log: pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
  })

beforeAll(async () => {
  // With an address that other processes can have.
  copy = await copyDatabase()
  opened = await openDatabase({ ...copy.options, onCrash: () => {} })
})
beforeEach(async () => {
  await search?.close()
  await emptyTables(opened.database)
  search = await open()
})
afterAll(async () => {
  await search.close()
  await opened.close()
  await copy.remove()
})

const serving = async () => (await readIndexes(opened.database)).find(({ state }) => state === 'serving')?.name
const find = async (query: string) => (await findIds(search.searchIndex, opened.database, { query })).ids
const isEqual = async () => {
  const name = await serving()
  expect(await indexedVotes(search.cluster, name!)).toEqual(await storedVotes(opened.database))
}

describe('the index of a cluster', () => {
  it('is built at the first start, and follows every change; searches wait for it with an error of their own', async () => {
    const ids = await storeMany(opened.database, 1_200)
    await expect(find('everywhere')).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE', status: 503 })
    search.indexer.start()
    await expect.poll(() => find('word7').catch(() => [])).toEqual([ids[7]])
    await isEqual()
    const [fresh] = await storeMany(opened.database, 1, 'fresh')
    await expect.poll(() => find('fresh0')).toEqual([fresh])
    await changeRequests(opened.database, sql`update request_texts set text = 'renamed' where request_id = ${fresh}`)
    await expect.poll(() => find('renamed')).toEqual([fresh])
    expect(await find('fresh0')).toEqual([])
    await changeRequests(opened.database, sql`delete from requests where id = ${fresh}`)
    await expect.poll(async () => (await readStatus(opened.database, search.cluster)).indexes[0]?.unreadChanges).toBe(0)
    await isEqual()
  })

  it('is built anew while it is written and searched, without a search that fails or misses anything', async () => {
    await storeMany(opened.database, 1_500)
    const [known] = await storeMany(opened.database, 1, 'known')
    search.indexer.start()
    await expect.poll(() => find('known0').catch(() => [])).toEqual([known])
    const before = (await serving())!
    const writer = startWriter(opened.database)
    expect(await beginRebuild(opened.database, 3)).toBe(true)
    expect(await beginRebuild(opened.database, 3)).toBe(false)
    let searches = 0
    while ((await serving()) === before) {
      expect(await find('known0')).toEqual([known])
      searches++
    }
    expect(searches).toBeGreaterThan(0)
    expect(await find('known0')).toEqual([known])
    await writer.stop()
    // The indexer that runs may have claimed the last slice: then there is nothing for another one to take.
    await expect
      .poll(async () => {
        const { indexes } = await readStatus(opened.database, search.cluster)
        return indexes.find(({ state }) => state === 'serving')?.unreadChanges
      })
      .toBe(0)
    await isEqual()
    const states = (await readIndexes(opened.database)).map(({ name, state, shards }) => [
      name === before,
      state,
      shards,
    ])
    expect(states).toEqual([
      [true, 'retired', 2],
      [false, 'serving', 3],
    ])
    // Once it has been out of use for a while, it goes.
    await sql`update search_indexes set state_since = now() - interval '1 hour' where state = 'retired'`.execute(
      opened.database,
    )
    await search.indexer.catchUp()
    expect(await search.cluster.facts(before)).toBeNull()
    expect(await readIndexes(opened.database)).toHaveLength(1)
  })

  it('is built anew when the cluster has lost it', async () => {
    const ids = await storeMany(opened.database, 20)
    await search.indexer.catchUp()
    const before = (await serving())!
    await search.cluster.remove(before)
    search.indexer.start()
    await expect.poll(() => find('word7').catch(() => [])).toEqual([ids[7]])
    expect(await serving()).not.toBe(before)
    await isEqual()
  })

  it('is built anew, and serves until then, when changes that it needs are gone', async () => {
    const [known] = await storeMany(opened.database, 20)
    await search.indexer.catchUp()
    const before = (await serving())!
    // As after three days without the cluster.
    await sql`delete from search_consumers`.execute(opened.database)
    const [missed] = await storeMany(opened.database, 1, 'missed')
    expect(await find('word0')).toEqual([known])
    search.indexer.start()
    await expect.poll(() => find('missed0')).toEqual([missed])
    expect(await serving()).not.toBe(before)
    await isEqual()
  })

  it('has each request as the last transaction left it, whichever write comes last', async () => {
    const { cluster } = search
    const name = `wishwell-versions-${crypto.randomUUID().slice(0, 8)}`
    await cluster.create(name, indexBody(1))
    const id = crypto.randomUUID()
    const fields = (votes: number) => ({ id, votes })
    const votes = async () => (await indexedVotes(cluster, name)).get(id)
    await cluster.write(name, [{ id, version: 20, fields: fields(20) }])
    await cluster.write(name, [{ id, version: 10, fields: fields(10) }])
    expect(await votes()).toBe(20)
    await cluster.write(name, [{ id, version: 20, fields: fields(21) }])
    expect(await votes()).toBe(21)
    await cluster.write(name, [{ id, version: 30, fields: null }])
    await cluster.write(name, [{ id, version: 25, fields: fields(25) }])
    expect(await votes()).toBeUndefined()
    await cluster.write(name, [{ id, version: 31, fields: fields(31) }])
    expect(await votes()).toBe(31)
    await cluster.remove(name)
    for (const lost of [null, fields(40)]) {
      await expect(cluster.write(name, [{ id, version: 40, fields: lost }])).rejects.toThrow(IndexMissingError)
    }
    expect(await cluster.facts(name)).toBeNull()
  })

  it('loses and doubles nothing when the processes that feed it are killed again and again', async () => {
    await storeMany(opened.database, 3_000)
    const environment = {
      DATABASE_URL: copy.options.databaseUrl,
      DATA_DIR: copy.options.dataDir,
      SEARCH_URL: inject('searchCluster')!,
      SEARCH_SHARDS: '2',
      ADMIN_API_KEY: testAdminKey,
      ROLE: 'worker',
    }
    const writer = startWriter(opened.database)
    const kills = campaignSize('INDEXER_KILLS', { quick: 3, nightly: 12 })
    for (let kill = 0; kill < kills; kill++) {
      const processes = await Promise.all([startChildService(environment), startChildService(environment)])
      const before = (await readStatus(opened.database, search.cluster)).indexes[0]
      await expect
        .poll(async () => {
          const [now] = (await readStatus(opened.database, search.cluster)).indexes
          return (
            JSON.stringify([now?.isCopied, now?.documents]) !== JSON.stringify([before?.isCopied, before?.documents])
          )
        })
        .toBe(true)
      await Promise.all(processes.map((one) => one.end('SIGKILL')))
    }
    await writer.stop()
    search.indexer.start()
    await expect
      .poll(async () =>
        (await readStatus(opened.database, search.cluster)).indexes.map(({ state, unreadChanges }) => [
          state,
          unreadChanges,
        ]),
      )
      .toEqual([['serving', 0]])
    await isEqual()
  }, 300_000)
})

describe('a purged or hidden request', () => {
  const races = campaignSize('PURGE_RACES', { quick: 400, nightly: 2_000 })
  const purge = (id: string) => purgeRequests(opened.database, { id, suppress: false, dryRun: false, now: new Date() })
  const hide = (id: string) => changeRequests(opened.database, sql`update requests set standing = -1 where id = ${id}`)

  it.each([
    ['while the index follows', true],
    ['while nothing feeds the index', false],
  ])(
    'is shown by no search that begins afterwards, %s',
    async (_when, follows) => {
      for (let done = 0; done < races / 2; done += 200) {
        const ids = await storeMany(opened.database, 200, `purged${done}x`)
        await search.indexer.catchUp()
        await search.indexer.catchUp()
        await search.cluster.refresh(await search.alias())
        if (follows) search.indexer.start()
        let shown = 0
        const race = async (id: string, number: number) => {
          const query = `purged${done}x${number}`
          expect(await find(query)).toEqual([id])
          let isGone = false
          const searching = (async () => {
            while (!isGone) await find(query)
          })()
          if (number % 2 === 0) await purge(id)
          else await hide(id)
          isGone = true
          const orders = ['relevance', 'votes', 'new'] as const
          for (const sortBy of orders) {
            const { results } = await search.searchIndex.search(opened.database, {
              query,
              sortBy,
              offset: 0,
              limit: 10,
            })
            shown += results.length
          }
          shown += (await search.searchIndex.totals(opened.database, { query, facets: ['platform'] })).total
          await searching
        }
        for (let start = 0; start < ids.length; start += 8) {
          await Promise.all(ids.slice(start, start + 8).map((id, index) => race(id, start + index)))
        }
        expect(shown).toBe(0)
      }
    },
    900_000,
  )

  it('leaves no gap in a page, however many go at once', async () => {
    const ids = await storeMany(opened.database, 600)
    await search.indexer.catchUp()
    await search.cluster.refresh(await search.alias())
    const inOrder = ids.toSorted().reverse()
    await changeRequests(opened.database, sql`delete from requests where id = any(${inOrder.slice(0, 450)}::uuid[])`)
    for (const sortBy of ['votes', 'new'] as const) {
      const found = await findIds(search.searchIndex, opened.database, { query: 'everywhere', sortBy, limit: 100 })
      expect(found.ids).toHaveLength(100)
      expect(found.more).toBe(true)
      for (const id of found.ids) expect(inOrder.slice(450)).toContain(id)
    }
    const best = await findIds(search.searchIndex, opened.database, { query: 'everywhere', limit: 100 })
    expect(best.ids).toHaveLength(100)
  })
})
