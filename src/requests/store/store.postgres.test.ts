import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { Transaction } from '../../database/open.ts'
import type { Page } from '../../platforms/platform.ts'
import { reclassifySlice, setStrictness } from '../accuracy/reclassifying.ts'
import { correctRequest, deleteCorrectionsOf } from '../corrections/corrections.ts'
import { preparePage } from './prepared-page.ts'
import { storePage, storePageAlone } from './store.ts'

// Holds (Search, lists and export): outdated strictness or corrections never keep showing a request, however late their reader ends

// Transactions at once: the embedded database runs one at a time.

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const now = new Date('2026-06-01T10:00:00Z')

async function store(fetched: Partial<Pick<Page, 'requests' | 'offTopic'>>, topic = 'dark mode') {
  const prepared = await preparePage('github', { requests: [], ...fetched }, null)
  return storePageAlone(opened.database, { ...prepared, platform: 'github', topic, jobId: null, now })
}
const row = (sourceId: string) =>
  opened.database.selectFrom('requests').selectAll().where('source_id', '=', sourceId).executeTakeFirst()

const isWaiting = async (count: number) => {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    opened.database,
  )
  return rows.length >= count
}
/** A transaction that does something, and stays open until it is told to end. */
async function holdOpen(run: (transaction: Transaction) => Promise<unknown>) {
  const begun = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  const done = opened.database.transaction().execute(async (transaction) => {
    await run(transaction)
    begun.resolve()
    await end.promise
  })
  done.catch(begun.reject)
  await begun.promise
  return async () => {
    end.resolve()
    await done
  }
}

it('a page off topic changes nothing of a request that another one stores at this moment', async () => {
  await store({ requests: [foundRequest('1')] })
  const releaseFirst = await holdOpen((transaction) =>
    sql`select from requests where source_id = '1' for no key update`.execute(transaction),
  )
  // Its statement begins before the second request is stored, and waits for the first one.
  const offTopic = store({
    requests: [foundRequest('1', { votes: 5 })],
    offTopic: [foundRequest('2', { confidence: 0, votes: 7 })],
  })
  await expect.poll(() => isWaiting(1)).toBe(true)
  await store({ requests: [foundRequest('2', { confidence: 0 })] }, 'export')
  const prepared = await preparePage('github', { requests: [foundRequest('2', { confidence: 1, votes: 3 })] }, null)
  const releaseSecond = await holdOpen((transaction) =>
    storePage(transaction, { ...prepared, platform: 'github', topic: 'export', jobId: null, now }),
  )
  await releaseFirst()
  await Promise.race([offTopic, expect.poll(() => isWaiting(1)).toBe(true)])
  await releaseSecond()
  await offTopic
  expect([(await row('1'))?.votes, (await row('2'))?.votes]).toEqual([5, 3])
  expect([(await row('2'))?.confidence, (await row('2'))?.standing]).toEqual([1, 2])
})

/** A page with one request that is not committed before it is told to. */
async function storeLate(sourceId: string, confidence: number) {
  const prepared = await preparePage('github', { requests: [foundRequest(sourceId, { confidence })] }, null)
  return holdOpen((transaction) =>
    storePage(transaction, { ...prepared, platform: 'github', topic: 'dark mode', jobId: null, now }),
  )
}
const makeAccount = async () => {
  const values = { name: 'reader', tier: 'max' as const, created_at: now, has_own_view: true }
  return (await opened.database.insertInto('accounts').values(values).returning('id').executeTakeFirstOrThrow()).id
}
/** Reclassifies what an account sees, as far as open transactions allow. @returns whether all is. */
async function reclassify(accountId: string): Promise<boolean> {
  const { database } = opened
  while (await reclassifySlice(database));
  const { rows } = await sql`select from accounts where id = ${accountId} and reclassified_to is null`.execute(database)
  return rows.length > 0
}
const ownStandings = (accountId: string) =>
  opened.database.selectFrom('account_requests').select('standing').where('account_id', '=', accountId).execute()

it('a strict account sees a request so, also where a page that read before that it was not ends late', async () => {
  await store({ requests: [foundRequest('late', { confidence: 1 })] })
  const account = await makeAccount()
  const release = await storeLate('late', 0.4)
  await setStrictness(opened.database, account, 'strict')
  expect(await reclassify(account)).toBe(false)
  await release()
  await expect.poll(() => reclassify(account)).toBe(true)
  expect(await ownStandings(account)).toEqual([{ standing: 1 }])
})

it('nothing stays of what a deleted account saw, also where a page that read its corrections ends late', async () => {
  const { database } = opened
  await store({ requests: [foundRequest('corrected', { confidence: 1 })] })
  const accountId = await makeAccount()
  const { id: requestId } = (await row('corrected'))!
  await database
    .transaction()
    .execute((transaction) =>
      correctRequest(transaction, { accountId, requestId, isRequest: true, madeBy: 'admin', now }),
    )
  const release = await storeLate('corrected', 0)
  await database.transaction().execute((transaction) => deleteCorrectionsOf(transaction, accountId))
  await release()
  expect(await ownStandings(accountId)).toEqual([{ standing: 2 }])
  await expect.poll(() => reclassify(accountId)).toBe(true)
  expect(await ownStandings(accountId)).toEqual([])
})
