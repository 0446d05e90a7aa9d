import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { watchSearchSize } from './size-watch.ts'
import { store, syntheticRow } from './testing.ts'

// Holds (Search, lists and export): a cache that outgrows `tsvector` warns the operator and continues

let opened: TestDatabase
let now = new Date('2026-01-01')
const clock = { now: () => now }

beforeAll(async () => {
  opened = await openTestDatabase()
  await store(opened.database, [0, 1, 2].map(syntheticRow))
})
afterAll(() => opened.close())

const watch = (kind: 'bm25' | 'tsvector', from: number) => {
  const logged: string[] = []
  const log = { warn: (text: string) => void logged.push(text) }
  return { ...watchSearchSize({ database: opened.database, searchIndex: { kind }, log, clock, from } as never), logged }
}

test('warns from its number of requests on, names the ways out, and never for another engine', async () => {
  expect(await watch('tsvector', 4).warnings()).toEqual([])
  expect(await watch('bm25', 3).warnings()).toEqual([])
  const [warning, ...others] = await watch('tsvector', 3).warnings()
  expect(others).toEqual([])
  for (const way of ['pg_textsearch', 'SEARCH_URL']) expect(warning).toContain(way)
})

test('logs the warning once a day, and counts once a minute', async () => {
  const size = watch('tsvector', 4)
  await size.check()
  expect(size.logged).toEqual([])
  await store(opened.database, [syntheticRow(3)])
  await size.check()
  expect(size.logged).toEqual([])
  now = new Date(now.getTime() + 60_000)
  await size.check()
  await size.check()
  expect(size.logged).toHaveLength(1)
  now = new Date(now.getTime() + 24 * 60 * 60_000)
  await size.check()
  expect(size.logged).toHaveLength(2)
})
