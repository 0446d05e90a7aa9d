import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { PlatformName } from '../src/database/column-types.ts'
import type { Database } from '../src/database/open.ts'
import type { FoundRequest } from '../src/platforms/platform.ts'
import { purgeRequests } from '../src/requests/purge/purge.ts'
import { preparePage } from '../src/requests/store/prepared-page.ts'
import { lockRequests } from '../src/requests/store/request-locks.ts'
import { storePage, storePageAlone } from '../src/requests/store/store.ts'
import { foldAllTopicCounts, foldTopicCounts } from '../src/requests/store/topic-counts.ts'
import { sharedView } from '../src/requests/view.ts'
import { readWishNumbers } from '../src/requests/wish-numbers/numbers.ts'
import { recount } from '../src/requests/wish-numbers/recount.ts'
import { plainWishes } from '../src/requests/wish-numbers/testing.ts'
import { addChangedWords, countSlice, countTexts, countUncounted } from '../src/requests/words/uncounted-texts.ts'
import { vocabularyCounts } from '../src/search/testing.ts'
import { findWrongCounts } from '../src/wishes/topics/verify.ts'
import { campaignSize } from './campaign-size.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { foundRequest } from './scripted-platform.ts'

// Holds (Jobs): pages with the same requests in any order never deadlock, and counts stay exact
// Holds (Jobs): no page locks out all others or waits for a lock that all take
// Holds (Jobs): a crash between a count's change and its fold loses and duplicates nothing

// Takes seconds: four writers store many pages at once.

// Pages are stored, purged and counted at the same time.

/** How many pages four writers store. */
const pages = campaignSize('WRITERS_PAGES', { quick: 160, nightly: 10_000 })
const writers = 4

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

interface Collected {
  requests: FoundRequest[]
  topic?: string
  platform?: PlatformName
}

async function store({ requests, topic = 'writers', platform = 'github' }: Collected) {
  const prepared = await preparePage(platform, { requests }, null)
  const page = { ...prepared, platform, topic, jobId: null, now: new Date() }
  return storePageAlone(opened.database, page)
}

/** Ten requests of a hundred, in an order of their own; every other page changes votes, every fifth page titles. */
function crossingPage(number: number): FoundRequest[] {
  const requests = Array.from({ length: 10 }, (_, index) => {
    const id = (number * 37 + index * (1 + (number % 7))) % 100
    return foundRequest(`crossing ${id}`, {
      title: `Palette ${id} ${number % 5 === 0 ? `changed${number}` : ''}`,
      description: `palette number ${id}`,
      votes: number % 2 === 0 ? id : number,
      tags: ['ui', `tag${id % 7}`],
      confidence: id % 3 === 0 ? 0.5 : 1,
    })
  })
  const distinct = [...new Map(requests.map((request) => [request.sourceId, request])).values()]
  return number % 2 === 0 ? distinct : distinct.toReversed()
}

/** Joins some of the requests to wishes, so that pages change the numbers of wishes that they share. */
async function joinWishes(): Promise<void> {
  await opened.database.transaction().execute(async (transaction) => {
    const { rows } = await sql<{ id: string }>`
      select id from requests where platform = 'github' order by source_id limit 60`.execute(transaction)
    const ids = rows.map(({ id }) => id)
    await lockRequests(transaction, ids)
    await sql`
      with numbered as (select id, row_number() over (order by id) % 6 as wish from unnest(${ids}::uuid[]) as id),
      chosen as (select id, first_value(id) over (partition by wish order by id) as wish_id from numbered),
      made as (insert into wishes (id) select distinct wish_id from chosen)
      insert into wish_members (request_id, wish_id, is_core) select id, wish_id, id = wish_id from chosen`.execute(
      transaction,
    )
    await recount(transaction, { requests: ids, left: ids })
  })
}

async function expectExact(): Promise<void> {
  const { database } = opened
  expect(await findWrongCounts(database)).toEqual([])
  const before = await vocabularyCounts(database)
  expect(before.stored).toEqual(before.counted)
  const right = await plainWishes(database, null)
  const { rows } = await sql<{ id: string }>`select id from wishes union select id from requests`.execute(database)
  const ids = rows.map(({ id }) => id)
  expect(Object.fromEntries(await readWishNumbers(database, ids, sharedView))).toEqual(Object.fromEntries(right.wishes))
  await foldAllTopicCounts(database)
  await countTexts(database)
  expect(await findWrongCounts(database)).toEqual([])
  const after = await vocabularyCounts(database)
  expect([after.stored, after.left]).toEqual([after.counted, 0])
  expect(await orphanedRows(database)).toEqual([])
}

/** The derived rows without their request: no foreign key holds them. */
async function orphanedRows(database: Database): Promise<string[]> {
  const tables = [
    'request_texts',
    'request_topics',
    'request_refreshes',
    'request_facets',
    'searchable_requests',
    'uncounted_texts',
    'wish_queue',
    'account_requests',
    'request_sources',
    'unwritten_texts',
  ]
  const { rows } = await sql<{ orphan: string }>`${sql.join(
    tables.map(
      (table) => sql`
        select ${sql.lit(table)} || ' ' || request_id as orphan from ${sql.table(table)}
        where not exists (select from requests where id = request_id)`,
    ),
    sql` union all `,
  )}`.execute(database)
  return rows.map(({ orphan }) => orphan)
}

interface HeldLock {
  objid: string
  granted: boolean
  mode: string
}

/** The advisory locks of all sessions of this database, again and again until `until` is settled. */
async function sampleLocks(until: Promise<unknown>): Promise<HeldLock[]> {
  const samples: HeldLock[][] = []
  let isEnded = false
  const end = until.finally(() => {
    isEnded = true
  })
  while (!isEnded) {
    const { rows } = await sql<HeldLock>`
      select objid::text, granted, mode from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      opened.database,
    )
    samples.push(rows)
  }
  await end
  return samples.flat()
}

/** Stores the pages by several writers, each its own in turn. */
async function storeCrossing(count: number): Promise<void> {
  const write = async (writer: number) => {
    for (let number = writer; number < count; number += writers) {
      await store({ requests: crossingPage(number), topic: `topic ${number % 3}` })
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
}

describe('pages with the same requests in other orders', () => {
  it(`of four writers never deadlock, and every count stays exact (${pages} pages)`, {
    timeout: 3_600_000,
  }, async () => {
    await store({ requests: Array.from({ length: 100 }, (_, id) => foundRequest(`crossing ${id}`, {})) })
    await joinWishes()
    let isStored = false
    const counting = async () => {
      while (!isStored) {
        await countSlice(opened.database, 20)
        await foldTopicCounts(opened.database, 5)
      }
    }
    const storing = storeCrossing(pages).finally(() => {
      isStored = true
    })
    await Promise.all([storing, counting()])
    await expectExact()
  })

  it('that are all new are each stored once', async () => {
    const requests = Array.from({ length: 40 }, (_, id) => foundRequest(`new ${id}`, {}))
    const stored = await Promise.all([
      store({ requests, topic: 'One topic' }),
      store({ requests: requests.toReversed(), topic: 'one  Topic' }),
      store({ requests: requests.slice(10, 30), topic: 'ONE TOPIC' }),
    ])
    expect(stored.reduce((sum, { created }) => sum + created, 0)).toBe(40)
    const { rows } = await sql<{ spellings: number; amount: number }>`
      select count(distinct topic) as spellings, count(*) as amount from requests`.execute(opened.database)
    expect(rows).toEqual([{ spellings: 1, amount: 40 }])
    await expectExact()
  })

  it('sample the votes that really were before', async () => {
    await store({ requests: [foundRequest('voted', { votes: 1 })] })
    await Promise.all(
      Array.from({ length: 8 }, (_, page) => store({ requests: [foundRequest('voted', { votes: page + 2 })] })),
    )
    const { rows } = await sql`
      select requests.votes = sample.votes as equal from requests join vote_samples as sample on request_id = id`.execute(
      opened.database,
    )
    expect(rows).toEqual([{ equal: true }])
  })
})

it('pages of one topic take no exclusive advisory lock, and wait for none', async () => {
  const locks = await sampleLocks(storeCrossing(80))
  expect(locks.length).toBeGreaterThan(0)
  expect(locks.filter(({ granted }) => !granted)).toEqual([])
  // Shared by pages: that of the suppressions. Exclusive to one page at a time, which never waits for it: the wake-up.
  const exclusive = locks.filter(({ mode }) => mode === 'ExclusiveLock')
  expect(exclusive.filter(({ objid }) => objid !== '4680015')).toEqual([])
})

it('a purge of what pages are storing leaves nothing of it, and every count exact', { timeout: 120_000 }, async () => {
  const now = new Date()
  const work: Promise<unknown>[] = []
  for (let round = 0; round < 8; round++) {
    work.push(store({ requests: crossingPage(round), topic: 'purged' }))
    work.push(store({ requests: crossingPage(round + 1).toReversed(), platform: 'hackernews' }))
    work.push(purgeRequests(opened.database, { platform: 'github', suppress: round % 3 === 0, dryRun: false, now }))
    work.push(countSlice(opened.database, 7), foldTopicCounts(opened.database, 2))
  }
  await Promise.all(work)
  await expectExact()
  await purgeRequests(opened.database, { platform: 'github', suppress: false, dryRun: false, now })
  await purgeRequests(opened.database, { platform: 'hackernews', suppress: false, dryRun: false, now })
  const { rows } = await sql`
    select 'tag' as kind, value from topic_counts
    union all select 'word', word from search_words
    union all select 'delta', topic_key from topic_deltas
    union all select 'change', word from word_deltas`.execute(opened.database)
  expect(rows).toEqual([])
})

describe('differences that are not folded', () => {
  const failing = (work: (transaction: Parameters<typeof countUncounted>[0]) => Promise<unknown>) =>
    opened.database.transaction().execute(async (transaction) => {
      await work(transaction)
      throw new Error('killed')
    })

  it('count at once, and survive a fold that is interrupted', async () => {
    await store({ requests: [foundRequest('one', { title: 'Palette', tags: ['ui'] })] })
    await countTexts(opened.database)
    await store({ requests: [foundRequest('one', { title: 'Spectrum', tags: ['ux'] })] })
    const interrupted = () =>
      failing(async (transaction) => {
        await countUncounted(transaction, 10)
        await sql`select fold_topic_deltas(10)`.execute(transaction)
      })
    await expect(interrupted()).rejects.toThrow('killed')
    const { stored } = await vocabularyCounts(opened.database)
    expect([stored.get('palette'), stored.get('spectrum')]).toEqual([undefined, 1])
    await expectExact()
    await Promise.all([addChangedWords(opened.database), foldAllTopicCounts(opened.database)])
    await expectExact()
  })

  it('of a page that is rolled back are gone with it', async () => {
    const prepared = await preparePage('github', { requests: crossingPage(1) }, null)
    const page = { ...prepared, platform: 'github' as const, topic: 'x', jobId: null, now: new Date() }
    await expect(failing((transaction) => storePage(transaction, page))).rejects.toThrow('killed')
    const { rows } =
      await sql`select from topic_deltas union all select from topics union all select from uncounted_texts`.execute(
        opened.database,
      )
    expect(rows).toEqual([])
  })
})
