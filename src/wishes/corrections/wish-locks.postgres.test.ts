import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import type { Transaction } from '../../database/open.ts'
import { deleteRequests } from '../../requests/store/delete.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePage } from '../../requests/store/store.ts'
import { readWishIds } from '../../requests/wish-numbers/numbers.ts'
import { mergeWishes, splitWish } from './corrections.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

const now = new Date()
const inTransaction = <Result>(work: (transaction: Transaction) => Promise<Result>) =>
  opened.database.transaction().execute(work)

/** Stores requests of these names. @returns their ids, in their order. */
async function store(names: readonly string[]): Promise<string[]> {
  const requests = names.map((name) => foundRequest(name, { title: `Wish ${name}`, confidence: 1 }))
  const prepared = await preparePage('github', { requests }, null)
  await inTransaction((transaction) =>
    storePage(transaction, { ...prepared, platform: 'github', topic: 't', jobId: null, now }),
  )
  const rows = await opened.database.selectFrom('requests').select('id').orderBy('source_id').execute()
  return rows.map(({ id }) => id)
}

/** Puts the second request into the wish of the first one, as placing does. */
const place = (first: string, second: string) =>
  sql`with made as (insert into wishes (id) values (${first}))
    insert into wish_members (request_id, wish_id, is_core) values (${first}, ${first}, true), (${second}, ${first}, false)`.execute(
    opened.database,
  )

it('a correction waits for the deletion of a request that it only looks at, and leaves it out', async () => {
  const account = { name: 'test', tier: 'max' as const, created_at: now }
  const made = await opened.database.insertInto('accounts').values(account).returning('id').executeTakeFirstOrThrow()
  const [a, h, k, l, q] = (await store(['a', 'h', 'k', 'l', 'q'])) as [string, string, string, string, string]
  await place(a, h)
  await place(k, l)
  const own = { accountId: made.id, madeBy: 'key', now }
  const split = (wishId: string, requestIds: string[]) =>
    inTransaction((transaction) => splitWish(transaction, { ...own, wishId, requestIds }))
  // For the account, h and l are one wish, which no correction connects with the wish of a and h of all others.
  const ofH = await split(a, [h])
  const ofL = await split(k, [l])
  await inTransaction((transaction) =>
    mergeWishes(transaction, { ...own, fromWishId: ofL.newWishId, toWishId: ofH.newWishId }),
  )
  const isDeleted = Promise.withResolvers<void>()
  const mayCommit = Promise.withResolvers<void>()
  const deletion = inTransaction(async (transaction) => {
    await deleteRequests(transaction, sql<{ id: string }>`select id from requests where id = ${l} for update`)
    isDeleted.resolve()
    await mayCommit.promise
  })
  await isDeleted.promise
  const operator = { accountId: null, madeBy: 'admin', now }
  const merging = inTransaction((transaction) => mergeWishes(transaction, { ...operator, fromWishId: a, toWishId: q }))
  const merged = expect(merging).resolves.toEqual(expect.any(String))
  const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  await expect.poll(async () => (await waiting.execute(opened.database)).rows.length).toBe(1)
  mayCommit.resolve()
  await deletion
  await merged
  const wishes = await readWishIds(opened.database, [a, h, k], { account: made.id, least: 2 })
  expect([wishes.get(a), wishes.get(h), wishes.get(k)]).toEqual([q, ofH.newWishId, k])
})
