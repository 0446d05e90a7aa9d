import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { areWordsStored, createStoredWords, fillStoredWords } from './stored-words.ts'
import { store, syntheticRow } from './testing.ts'

// Requests of an older version have no stored words: here they are taken away.

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

async function storeOld(count: number): Promise<void> {
  await opened.reset()
  await store(
    opened.database,
    Array.from({ length: count }, (_, number) => syntheticRow(number)),
  )
  await sql`update request_texts set words = null`.execute(opened.database)
  expect(await areWordsStored(opened.database)).toBe(false)
}

const countWrong = async () => {
  const { rows } = await sql<{ wrong: number }>`
    select count(*)::int as wrong from request_texts
    where words is distinct from to_tsvector('wishwell', text)`.execute(opened.database)
  return rows[0]!.wrong
}

it('the words of older texts are filled slice by slice', async () => {
  await storeOld(25)
  expect(await fillStoredWords(opened.database, 10)).toBe(true)
  expect(await countWrong()).toBe(15)
  expect(await fillStoredWords(opened.database, 10)).toBe(true)
  expect(await fillStoredWords(opened.database, 10)).toBe(false)
  expect([await countWrong(), await areWordsStored(opened.database)]).toEqual([0, true])
})

it('two processes at once fill all of them', async () => {
  await storeOld(120)
  const fill = async () => {
    while (await fillStoredWords(opened.database, 10)) {
      // Until it says that none is left.
    }
  }
  await Promise.all([fill(), fill()])
  expect(await countWrong()).toBe(0)
})

it('the maintenance job fills in the background, and ends with the service', async () => {
  await storeOld(120)
  const words = createStoredWords(opened.database, { error: (...failure: unknown[]) => expect.fail(String(failure)) })
  expect(await words.job()).toBe(false)
  await expect.poll(() => areWordsStored(opened.database)).toBe(true)
  await words.stop()
  expect(await countWrong()).toBe(0)
})
