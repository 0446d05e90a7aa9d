import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { store } from './testing.ts'
import { createUsualLength, estimateUsualLength } from './tsvector-preparation.ts'

// Holds (Search, lists and export): beyond its limit `tsvector` ranks the matches with the weightiest words, then most wanted and newest, and says how many

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
  await sql`insert into search_engine (kind) values ('tsvector')
    on conflict (only_row) do update set kind = 'tsvector', usual_length = 100`.execute(opened.database)
})
afterAll(() => opened.close())

const stored = async () =>
  (await opened.database.selectFrom('search_engine').select('usual_length').executeTakeFirstOrThrow()).usual_length
const storeLengths = (lengths: readonly number[]) =>
  store(
    opened.database,
    lengths.map((length) => ({ text: Array(length).fill('word').join(' '), platform: 'github', topic: 'topic' })),
  )

test('the usual length is the average of the texts, once it differs by a tenth', async () => {
  await estimateUsualLength(opened.database)
  expect(await stored()).toBe(100)
  await storeLengths([20, 40])
  await estimateUsualLength(opened.database)
  expect(await stored()).toBe(30)
  await storeLengths([31, 33])
  await estimateUsualLength(opened.database)
  expect(await stored()).toBe(30)
})

test('it is estimated anew once a day, and only where tsvector searches', async () => {
  await storeLengths(Array(50).fill(200))
  let now = new Date('2026-01-01')
  const clock = { now: () => now }
  const ofBm25 = createUsualLength(opened.database, clock, 'bm25')
  const job = createUsualLength(opened.database, clock, 'tsvector')
  await job()
  expect(await stored()).toBe(30)
  now = new Date('2026-01-02')
  await ofBm25()
  expect(await stored()).toBe(30)
  await job()
  expect(await stored()).toBeGreaterThan(150)
})
