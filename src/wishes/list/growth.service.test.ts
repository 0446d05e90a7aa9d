import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { joinWish } from '../../../test/stored-wish.ts'
import { deleteExpiredRequests } from '../../requests/store/delete.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { sharedView } from '../../requests/view.ts'
import { listWishes } from './list.ts'
import type { WishSummary } from './summary.ts'

// Holds (Data): expiry or return of a request is no growth of its wish

const dayMs = 86_400_000
/** The day on which growth is read. */
const today = new Date('2026-06-30T12:00:00.000Z')
const daysAgo = (days: number) => new Date(today.getTime() - days * dayMs)

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
beforeEach(() => opened.reset())

/** Stores requests with these votes, as a page of that day has them. */
async function store(days: number, votes: Record<string, number>): Promise<void> {
  const requests = Object.entries(votes).map(([sourceId, amount]) => foundRequest(sourceId, { votes: amount }))
  const prepared = await preparePage('github', { requests, incomplete: [], offTopic: [] }, null)
  const page = {
    platform: 'github' as const,
    topic: 'dark mode',
    jobId: null,
    markSeenBefore: null,
    now: daysAgo(days),
  }
  await storePageAlone(opened.database, { ...page, ...prepared })
}

/** Puts all requests into one wish. */
async function joinAll(): Promise<void> {
  const { rows } = await sql<{ id: string }>`select id from requests order by source_id`.execute(opened.database)
  const ids = rows.map(({ id }) => id)
  await joinWish(opened.database, ids[0]!, ids)
}

async function list(sortBy: 'growing' | 'votes'): Promise<WishSummary[]> {
  return (await listWishes(opened.database, { sortBy, limit: 100, view: sharedView, now: today })).results
}

const growths = async () => (await list('votes')).map(({ growth }) => [growth.days7, growth.days30])

test('growth is what the votes gained since 7 and 30 days ago', async () => {
  await store(60, { one: 10, two: 5 })
  await store(20, { one: 14 })
  await store(3, { one: 15, two: 4 })
  await joinAll()
  expect(await growths()).toEqual([[0, 4]])
})

test('a change on the day before the period is not in it, and one on its first day is', async () => {
  await store(60, { one: 1, two: 1 })
  await store(7, { one: 3 })
  await store(6, { two: 9 })
  await joinAll()
  expect(await growths()).toEqual([[8, 10]])
})

test('the first change after a long time counts from the votes before', async () => {
  await store(90, { one: 100 })
  await store(1, { one: 130 })
  expect(await growths()).toEqual([[30, 30]])
})

test('is not known while none of the wish was in the cache before the days', async () => {
  await store(7, { one: 10 })
  expect(await growths()).toEqual([[0, null]])
  await opened.reset()
  await store(6, { one: 10 })
  await store(0, { one: 12 })
  expect(await growths()).toEqual([[null, null]])
})

test('a request that is new in the cache is no growth, nor is what it gained since', async () => {
  await store(60, { one: 10 })
  await store(5, { new: 500 })
  await store(2, { one: 11, new: 510 })
  await joinAll()
  expect(await growths()).toEqual([[1, 1]])
})

test('neither the expiry of a member nor its return is growth or a loss', async () => {
  await store(60, { one: 10, two: 50 })
  await store(4, { one: 12 })
  await joinAll()
  const [before] = await growths()
  await deleteExpiredRequests(opened.database, new Map([['github', 30]]), today)
  expect(await growths()).toEqual([before])
  await store(0, { two: 55 })
  expect(await list('growing')).toMatchObject([{ requestCount: 1, growth: { days7: 2 } }])
})

test('the order growing has the wishes that gained votes in 7 days, the fastest first', async () => {
  await store(60, { slow: 900, fast: 1, stale: 5, falling: 8 })
  await store(20, { stale: 50 })
  await store(2, { slow: 905, fast: 30, falling: 2 })
  const listed = await list('growing')
  expect(listed.map(({ title, growth }) => [title, growth.days7])).toEqual([
    ['Request fast', 29],
    ['Request slow', 5],
  ])
  const first = await listWishes(opened.database, { sortBy: 'growing', limit: 1, view: sharedView, now: today })
  const second = await listWishes(opened.database, {
    sortBy: 'growing',
    limit: 1,
    view: sharedView,
    now: today,
    cursor: first.cursor ?? '',
  })
  expect([...first.results, ...second.results]).toEqual(listed)
  expect([first.hasMore, second.hasMore]).toEqual([true, false])
})
