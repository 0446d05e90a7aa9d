import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { emptyTables, openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createAdapterCache, purgeExpiredCacheEntries } from '../adapters/adapter-cache.ts'
import { createMemoryQuotas, createQuotaStore, type Quota, type QuotaStore } from './quota.ts'

// Holds (Platforms): processes together spend a daily quota exactly once

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
const dayMs = 86_400_000
const quota: Quota = {
  platform: 'youtube',
  name: 'searches',
  limit: 3,
  periodEnd: (now) => new Date(now.getTime() + dayMs),
}
let opened: TestDatabase

beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => emptyTables(opened.database))
afterAll(() => opened.close())

describe.each(['in the database', 'in memory'])('a quota that is counted %s', (where) => {
  const createStore = (): QuotaStore =>
    where === 'in memory' ? createMemoryQuotas() : createQuotaStore(opened.database)

  it('allows its limit until its period ends, then the same again', async () => {
    const store = createStore()
    expect(await store.read(quota, at(0))).toBeNull()
    for (const ms of [0, 10, 20]) expect(await store.take(quota, at(ms))).toBeNull()
    expect(await store.take(quota, at(30))).toEqual(at(dayMs))
    expect(await store.read(quota, at(40))).toEqual({ used: 3, resetsAt: at(dayMs) })
    expect(await store.take(quota, at(dayMs))).toBeNull()
    expect(await store.read(quota, at(dayMs))).toEqual({ used: 1, resetsAt: at(2 * dayMs) })
  })

  it('is not used up until the end of a period that a clock which was ahead began', async () => {
    const store = createStore()
    for (const ms of [0, 1, 2]) expect(await store.take(quota, at(30 * dayMs + ms))).toBeNull()
    expect(await store.read(quota, at(10))).toBeNull()
    expect(await store.take(quota, at(10))).toBeNull()
    expect(await store.read(quota, at(10))).toEqual({ used: 1, resetsAt: at(10 + dayMs) })
  })

  it('allows its last requests exactly once to concurrent callers', async () => {
    const store = createStore()
    const answers = await Promise.all(Array.from({ length: 40 }, () => store.take(quota, at(0))))
    expect(answers.filter((resetsAt) => resetsAt === null)).toHaveLength(3)
  })

  it('is corrected by the platform, never loosened', async () => {
    const store = createStore()
    await store.take(quota, at(0))
    await store.correct(quota, 1, at(1_000), at(1))
    expect(await store.read(quota, at(2))).toEqual({ used: 2, resetsAt: at(dayMs) })
    await store.correct(quota, 3, at(1_000), at(3))
    expect(await store.read(quota, at(4))).toEqual({ used: 2, resetsAt: at(dayMs) })
    await store.correct(quota, 0, at(1_000), at(5))
    expect(await store.take(quota, at(6))).toEqual(at(1_000))
    expect(await store.take(quota, at(1_000))).toBeNull()
  })

  it('is separate from the other quotas of its platform', async () => {
    const store = createStore()
    for (let count = 0; count < 4; count++) await store.take(quota, at(0))
    expect(await store.take({ ...quota, name: 'units' }, at(0))).toBeNull()
  })
})

it("an adapter's cached result is read until it expires", async () => {
  const cache = createAdapterCache(opened.database)
  await cache.store('youtube', 'dark mode', { videos: ['a'] }, at(1_000))
  expect(await cache.read('youtube', 'dark mode', at(999))).toEqual({ videos: ['a'] })
  expect(await cache.read('x', 'dark mode', at(0))).toBeNull()
  expect(await cache.read('youtube', 'dark mode', at(1_000))).toBeNull()
  await cache.store('youtube', 'dark mode', ['b'], at(2_000))
  expect(await cache.read('youtube', 'dark mode', at(1_500))).toEqual(['b'])
  expect(await purgeExpiredCacheEntries(opened.database, at(2_000))).toBe(false)
  expect(await opened.database.selectFrom('adapter_cache').selectAll().execute()).toEqual([])
})
