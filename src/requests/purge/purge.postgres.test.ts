import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { FoundRequest } from '../../platforms/platform.ts'
import { preparePage } from '../store/prepared-page.ts'
import { storePage, storePageAlone } from '../store/store.ts'
import { purgeRequests } from './purge.ts'

// The embedded database runs one transaction at a time: there a purge and a page never meet.

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const ada = { authorName: 'Ada Lovelace', authorHandle: 'Ada' }
const now = new Date('2026-11-21T12:00:00Z')
const pageOf = async (...requests: FoundRequest[]) => ({
  ...(await preparePage('github', { requests }, null)),
  platform: 'github' as const,
  jobId: null,
  topic: 'birds',
  now,
})

it('a purge waits for a page that is being stored, and deletes what it stored; the page after it knows', async () => {
  const { database } = opened
  const stored = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  onTestFinished(() => goOn.resolve())
  const page = await pageOf(
    foundRequest('1', ada),
    foundRequest('2', ada),
    foundRequest('3', { authorName: 'Bob', authorHandle: 'bob' }),
  )
  const storing = database.transaction().execute(async (transaction) => {
    await storePage(transaction, page)
    stored.resolve()
    await goOn.promise
  })
  await stored.promise
  const purging = purgeRequests(database, { author: 'ada', suppress: true, dryRun: false, now })
  const waits = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from pg_locks where locktype = 'advisory' and not granted
      and database = (select oid from pg_database where datname = current_database())`.execute(database)
    return rows[0]?.waiting
  }
  await expect.poll(waits).toBe(1)
  // A second page comes while the purge waits: it must not read the list as it was before.
  const secondPage = await pageOf(foundRequest('4', ada))
  const later = storePageAlone(database, secondPage)
  await expect.poll(waits).toBe(2)
  goOn.resolve()
  await storing
  expect((await purging).deleted).toBe(2)
  expect(await later).toMatchObject({ found: 0, created: 0, maybeCreated: 0 })
  expect(await database.selectFrom('requests').select('source_id').execute()).toEqual([{ source_id: '3' }])
})
