import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { createTaskQueue } from './queue.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

it('a task can be queued inside a transaction as the very first use of the queue', async () => {
  const queue = createTaskQueue(opened, pino({ level: 'silent' }), { free: 1, pro: 1, max: 1 })
  await queue.start()
  const id = await opened.database
    .transaction()
    .execute((transaction) => queue.enqueue(transaction, 'a task', { isLive: false }))
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  await queue.stop()
})

it('what is queued is kept until a worker comes, however long that takes', async () => {
  const queue = createTaskQueue(opened, pino({ level: 'silent' }), { free: 1, pro: 1, max: 1 })
  await queue.start()
  await opened.database
    .transaction()
    .execute((transaction) => queue.enqueue(transaction, 'left waiting', { isLive: false }))
  // Nothing on Postgres would queue it anew: its task would never end, and its credits be held for ever.
  const { rows } = await sql`
    select keep_until > now() + interval '9 years' as kept
    from pgboss.job where data->>'taskId' = 'left waiting'`.execute(opened.database)
  expect(rows).toEqual([{ kept: true }])
  await queue.stop()
})
