import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { numberedPages, platformMap, scriptedPlatform } from '../../../test/scripted-platform.ts'
import { startTestService, type TestService } from '../../../test/service.ts'
import { verifyLedger } from '../../credits/verify.ts'

// The transactions of the embedded database are sequential: there a page and a cancellation never meet.

let service: TestService
beforeAll(async () => {
  service = await startTestService({ platforms: platformMap(scriptedPlatform('github', numberedPages(9))) })
})
afterAll(() => service.stop())

it('cancelling a job waits for a page that is being stored, and charges it', async () => {
  const { database } = service
  // A page waits when it has written its task, until this test lets it go on.
  await sql`create function wait_for_test() returns trigger language plpgsql as
    $$ begin perform pg_advisory_xact_lock(1); return null; end $$`.execute(database)
  await sql`create trigger wait_for_test after update on scrape_tasks for each row when (new.pages > old.pages)
    execute function wait_for_test()`.execute(database)
  onTestFinished(async () => {
    await sql`drop function wait_for_test cascade`.execute(database)
  })
  const stored = await database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(1)`.execute(transaction)
    const { body } = await service.client.scrape({ topic: 'dark mode', platforms: ['github'], depth: 5 })
    const { jobId } = body.data
    const storing = async () => {
      const waiting = sql`select 1 from pg_locks where not granted and locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`
      return (await waiting.execute(transaction)).rows.length
    }
    await expect.poll(storing).toBe(1)
    const cancelling = service.client.send('DELETE', `/api/v1/scrape/${jobId}`)
    // The page waits for the advisory lock; only the cancellation waits for a transaction, that of the page.
    const cancelWaits = async () => {
      const waiting = sql`select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and wait_event = 'transactionid'
        and query like 'update "scrape_tasks"%' and datname = current_database()`
      return (await waiting.execute(database)).rows.length
    }
    await expect.poll(cancelWaits).toBe(1)
    return { jobId, cancelling }
  })
  const { data } = (await stored.cancelling).body
  expect(data).toMatchObject({ status: 'failed', progress: { github: 'skipped' } })
  const task = await database
    .selectFrom('scrape_tasks')
    .select(['pages', 'requests_found'])
    .where('job_id', '=', stored.jobId)
    .executeTakeFirst()
  expect(task).toEqual({ pages: 1, requests_found: 2 })
  expect((await service.client.get('/api/v1/usage')).body.data.credits.used).toBe(1)
  expect(await verifyLedger(database)).toEqual([])
})
