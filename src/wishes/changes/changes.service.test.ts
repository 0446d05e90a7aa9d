import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { joinWish } from '../../../test/stored-wish.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { sharedView } from '../../requests/view.ts'
import { daysOfTrend, readTrends } from '../trends/trends.ts'
import { readChanges } from './changes.ts'

const dayMs = 86_400_000
const today = new Date('2026-06-30T12:00:00.000Z')
const daysAgo = (days: number) => new Date(today.getTime() - days * dayMs)

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())
beforeEach(() => opened.reset())

type Stored = Record<string, { votes?: number; status?: 'open' | 'completed'; statusChangedAt?: Date; asked?: Date }>

/** Stores requests as a page of that day has them. */
async function store(days: number, requests: Stored): Promise<void> {
  const found = Object.entries(requests).map(([id, { asked, ...request }]) =>
    foundRequest(id, { votes: 1, originalCreatedAt: asked ?? daysAgo(100), ...request }),
  )
  const prepared = await preparePage('github', { requests: found, incomplete: [], offTopic: [] }, null)
  const page = { platform: 'github' as const, topic: 'dark mode', jobId: null, markSeenBefore: null }
  await storePageAlone(opened.database, { ...page, now: daysAgo(days), ...prepared })
}

async function idsOf(...sourceIds: string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string; source_id: string }>`select id, source_id from requests`.execute(
    opened.database,
  )
  return sourceIds.map((one) => rows.find(({ source_id }) => source_id === one)!.id)
}

async function changes(days: number, limit = 20) {
  const read = await readChanges(opened.database, { view: sharedView, since: daysAgo(days), now: today, limit })
  const titles = (list: { results: { title: string }[] }) => list.results.map(({ title }) => title)
  return { rising: titles(read.rising), new: titles(read.new), done: titles(read.done), read }
}

test('what gained votes is rising, what was not there is new, what was completed is done; each wish once', async () => {
  await store(40, { slow: { votes: 50 }, fast: { votes: 5 }, still: { votes: 900 }, finished: { status: 'open' } })
  await store(3, { slow: { votes: 52 }, fast: { votes: 25 }, added: { votes: 7 }, other: { votes: 70 } })
  await store(2, {
    finished: { votes: 400, status: 'completed', statusChangedAt: daysAgo(2) },
    born: { votes: 9, status: 'completed', statusChangedAt: daysAgo(2) },
  })
  const { read, ...found } = await changes(4)
  expect(found).toEqual({
    rising: ['Request fast', 'Request slow'],
    new: ['Request other', 'Request added'],
    done: ['Request finished', 'Request born'],
  })
  expect(read.rising.results.map(({ votesGained }) => votesGained)).toEqual([20, 2])
  expect(await changes(1)).toMatchObject({ rising: [], new: [], done: [] })
})

test('a new request of a known wish makes no new wish; totals count what a page leaves out', async () => {
  await store(40, { known: { votes: 50 } })
  await store(3, { added: {}, alone: {}, another: {} })
  const [known, added] = await idsOf('known', 'added')
  await joinWish(opened.database, known!, [known!, added!])
  const { read } = await changes(4, 1)
  expect([read.new.total, read.new.results.length, read.rising.total]).toEqual([2, 1, 0])
})

test('what is done on one platform and open on another is not done', async () => {
  await store(40, { half: { status: 'open' }, open: { status: 'open' } })
  await store(2, { half: { votes: 5, status: 'completed', statusChangedAt: daysAgo(2) } })
  const [half, open] = await idsOf('half', 'open')
  await joinWish(opened.database, half!, [half!, open!])
  expect(await changes(4)).toMatchObject({ rising: ['Request half'], done: [] })
})

test('a trend has the votes of all members at the end of each seventh day, from when each was posted', async () => {
  await store(30, { one: { votes: 10 } })
  await store(9, { one: { votes: 14 } })
  await store(2, { one: { votes: 20 }, late: { votes: 3, asked: daysAgo(4) } })
  const [one, late] = await idsOf('one', 'late')
  await joinWish(opened.database, one!, [one!, late!])
  const days = daysOfTrend(5, today)
  // Before its first sample a request has the votes of that sample.
  expect(days).toEqual(['2026-05-26', '2026-06-02', '2026-06-09', '2026-06-16', '2026-06-23', '2026-06-30'])
  const unknown = '00000000-0000-4000-8000-000000000000'
  const trends = await readTrends(opened.database, [unknown, one!], { view: sharedView, days, now: today })
  expect(trends).toEqual([
    {
      ...{ wishId: one, votes: [10, 10, 10, 10, 14, 23], measuredSince: '2026-05-31' },
      ...{ growth: { days7: 6, days30: 10 }, voices: 1 },
    },
  ])
})
