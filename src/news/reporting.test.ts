import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../test/database.ts'
import { foundRequest } from '../../test/scripted-platform.ts'
import { startReporting } from './reporting.ts'
import { endedRun, makeWatch } from './testing.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

const reported = async () => (await opened.database.selectFrom('news_reports').select('watch_id').execute()).length

const start = async () => {
  const reporting = await startReporting({
    ...opened,
    clock: { now: () => new Date() },
    log: pino({ level: 'silent' }),
    config: null,
    isAutomatic: true,
  })
  onTestFinished(() => reporting.stop())
}

it('a run is reported soon after it has ended, and what another process left at the start', async () => {
  const watch = await makeWatch(opened.database)
  await endedRun(opened.database, watch, { requests: [foundRequest('a')], now: new Date() })
  await start()
  await expect.poll(reported, { timeout: 20_000 }).toBe(1)
  await endedRun(opened.database, watch, { requests: [foundRequest('b')], now: new Date() })
  await expect.poll(reported, { timeout: 20_000 }).toBe(2)
})

it('a run is reported once its requests are placed', async () => {
  const watch = await makeWatch(opened.database)
  await start()
  await endedRun(opened.database, watch, { requests: [foundRequest('a')], now: new Date(), staysUnplaced: true })
  await expect.poll(async () => opened.database.selectFrom('wish_queue').selectAll().execute()).toHaveLength(1)
  expect(await reported()).toBe(0)
  await opened.database.deleteFrom('wish_queue').execute()
  await expect.poll(reported, { timeout: 25_000 }).toBe(1)
})
