import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { createTaskQueue, type TaskQueue } from '../../collecting/scraping/queue.ts'
import { ledgerOf } from '../../credits/testing.ts'
import { preparePage } from '../../requests/store/prepared-page.ts'
import { storePageAlone } from '../../requests/store/store.ts'
import { backlogCollector, jobCollector } from './gauges.ts'

// No worker runs here, so every queue message waits.

let opened: TestDatabase
let queue: TaskQueue
beforeAll(async () => {
  opened = await openTestDatabase()
  queue = createTaskQueue(opened, pino({ level: 'silent' }), { free: 1, pro: 1, max: 1 })
  await queue.start()
})
afterAll(async () => {
  await queue.stop()
  await opened.close()
})

const read = async () => {
  const observations = await jobCollector(opened.database).read()
  return (name: string, labels: Record<string, string> = {}) =>
    observations
      .filter(
        (one) =>
          one.name === name &&
          Object.entries(labels).every(([label, value]) => (one.labels as Record<string, string>)[label] === value),
      )
      .reduce((sum, { value }) => sum + value, 0)
}

it('open tasks are counted by their state, and only due queue messages, with the age of the oldest', async () => {
  await opened.reset()
  const { database } = opened
  const ledger = ledgerOf(() => database)
  const account = await ledger.makeAccount('pro')
  const jobId = await ledger.startJob(account, { platforms: 3 })
  await ledger.startJob(account)
  await ledger.endJob(await ledger.startJob(account), 1)
  await sql`update scrape_jobs set begun_at = now() where id = ${jobId}`.execute(database)
  await sql`update scrape_jobs set ended_at = now(), begun_at = now()
    where id in (select job_id from scrape_tasks where state = 'done')`.execute(database)
  await sql`update scrape_tasks set state = 'running', waiting_until = case position when 1 then now() + interval '1 hour' end
    where job_id = ${jobId} and position > 0`.execute(database)
  await ledger.startCall(account, 1)
  await database.transaction().execute(async (transaction) => {
    await queue.enqueue(transaction, 'a', { isLive: false })
    await queue.enqueue(transaction, 'b', { isLive: false, startAfter: new Date(Date.now() + 3_600_000) })
    await queue.enqueue(transaction, 'c', { isLive: true })
  })
  await sql`update pgboss.job set start_after = start_after - interval '5 minutes' where name = 'live-task'`.execute(
    database,
  )
  const valueIn = await read()
  expect(['pending', 'running', 'waiting'].map((state) => valueIn('wishwell_tasks', { state }))).toEqual([2, 1, 1])
  expect([valueIn('wishwell_jobs_queued'), valueIn('wishwell_live_calls')]).toEqual([1, 1])
  expect(['jobs', 'live'].map((name) => valueIn('wishwell_queue_messages', { queue: name }))).toEqual([1, 1])
  expect(valueIn('wishwell_queue_oldest_seconds', { queue: 'live' })).toBeGreaterThanOrEqual(300)
  // Its message may be taken only in an hour: it has not waited.
  expect(valueIn('wishwell_queue_oldest_seconds', { queue: 'jobs' })).toBeLessThan(300)
})

it('requests that were stored wait to be placed, and their texts to be counted', async () => {
  await opened.reset()
  const prepared = await preparePage('github', { requests: [foundRequest('1'), foundRequest('2')] }, null)
  const page = { ...prepared, platform: 'github' as const, jobId: null, topic: 'words', now: new Date() }
  await storePageAlone(opened.database, page)
  const observations = await backlogCollector(opened.database).read()
  expect(observations.map(({ name, value }) => [name, value])).toEqual([
    ['wishwell_unplaced_requests', 2],
    ['wishwell_uncounted_texts', 2],
  ])
})
