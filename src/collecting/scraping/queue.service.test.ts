import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { createTaskQueue } from './queue.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
afterAll(() => opened.close())

it('a task can be queued inside a transaction as the first use of the queue', async () => {
  const queue = createTaskQueue(opened, pino({ level: 'silent' }), { free: 1, pro: 1, max: 1 })
  await queue.start()
  const id = await opened.database
    .transaction()
    .execute((transaction) => queue.enqueue(transaction, 'a task', { isLive: false }))
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  await queue.stop()
})

it('a queue message is kept for years until a worker receives it', async () => {
  const queue = createTaskQueue(opened, pino({ level: 'silent' }), { free: 1, pro: 1, max: 1 })
  await queue.start()
  await opened.database
    .transaction()
    .execute((transaction) => queue.enqueue(transaction, 'left waiting', { isLive: false }))
  // Nothing queues it again on Postgres: without it the task would never end, and its credits stay reserved.
  const { rows } = await sql`
    select keep_until > now() + interval '9 years' as kept
    from pgboss.job where data->>'taskId' = 'left waiting'`.execute(opened.database)
  expect(rows).toEqual([{ kept: true }])
  await queue.stop()
})
