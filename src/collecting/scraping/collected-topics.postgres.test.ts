import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import type { Transaction } from '../../database/open.ts'
import { countPage, countPages } from './collected-topics.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const now = new Date('2026-11-23T12:00:00Z')
const count = (transaction: Transaction) => countPage(transaction, 'github', 'dark mode', now)

const isWaiting = async () => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    opened.database,
  )
  return rows.length > 0
}

it('a page waits for one that holds its topic before it locks anything that that one counts next', async () => {
  const { database } = opened
  await sql`insert into topics (key, name, created_at, collected_at) values ('dark mode', 'dark mode', ${now}, ${new Date(0)})`.execute(
    database,
  )
  let other: Promise<void> | undefined
  await database.transaction().execute(async (transaction) => {
    // As a page that spells the topic.
    await sql`select from topics where key = 'dark mode' for no key update`.execute(transaction)
    other = database.transaction().execute(count)
    other.catch(() => {})
    await expect.poll(isWaiting, { interval: 10 }).toBe(true)
    await count(transaction)
  })
  await other
  expect(await countPages(database, 'github', 'dark mode')).toBe(2)
})
