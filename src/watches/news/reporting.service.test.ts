import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, type TestDatabase } from '../../../test/database.ts'
import { neverAnswers, startFakeModel } from '../../../test/fake-model/fake-model.ts'
import { foundRequest } from '../../../test/scripted-platform.ts'
import { startReporting } from './reporting.ts'
import type { NewsJudgingConfig } from './settings.ts'
import { endedRun, makeWatch } from './testing.ts'

let opened: TestDatabase
beforeAll(async () => {
  opened = await openTestDatabase()
})
beforeEach(() => opened.reset())
afterAll(() => opened.close())

const reported = async () => (await opened.database.selectFrom('news_reports').select('watch_id').execute()).length

const start = async (config: NewsJudgingConfig | null = null) => {
  const reporting = await startReporting({
    ...opened,
    clock: { now: () => new Date() },
    log: pino({ level: 'silent' }),
    config,
    retention: new Map(),
    isAutomatic: true,
    settleMs: 10,
    waitMs: 10,
  })
  onTestFinished(() => reporting.stop())
}

it('a run is reported soon after it has ended, and what another process left at the start', async () => {
  const watch = await makeWatch(opened.database)
  await endedRun(opened.database, watch, { requests: [foundRequest('a')], now: new Date() })
  await start()
  await expect.poll(reported).toBe(1)
  await endedRun(opened.database, watch, { requests: [foundRequest('b')], now: new Date() })
  await expect.poll(reported).toBe(2)
})

it('a run is reported once its requests are placed', async () => {
  const watch = await makeWatch(opened.database)
  await start()
  await endedRun(opened.database, watch, { requests: [foundRequest('a')], now: new Date(), staysUnplaced: true })
  await expect.poll(async () => opened.database.selectFrom('wish_queue').selectAll().execute()).toHaveLength(1)
  expect(await reported()).toBe(0)
  await opened.database.deleteFrom('wish_queue').execute()
  await expect.poll(reported).toBe(1)
})

it('a run is reported while more than a step of others cannot be', async () => {
  for (let number = 0; number < 21; number++) {
    // No such filter passes the routes.
    const broken = await makeWatch(opened.database, { filters: { minVotes: 'many' } })
    await endedRun(opened.database, broken, { requests: [], now: new Date(Date.now() - 60_000) })
  }
  const watch = await makeWatch(opened.database)
  await endedRun(opened.database, watch, { requests: [foundRequest('a')], now: new Date() })
  await start()
  await expect.poll(reported).toBe(1)
})

it('a run is reported while a model does not answer about another', async () => {
  const fake = await startFakeModel()
  onTestFinished(() => fake.stop())
  fake.behave(neverAnswers)
  const judged = await makeWatch(opened.database, { goal: 'sharing on mobile' })
  await endedRun(opened.database, judged, { requests: [foundRequest('a')], now: new Date() })
  const model = { baseUrl: fake.baseUrl, apiKey: undefined, name: 'small-model', timeoutMs: 60_000, maxTokens: 100 }
  await start({ model, perDay: 100, excludedPlatforms: [] })
  await expect.poll(() => fake.calls.length).toBe(1)
  const other = await makeWatch(opened.database)
  await endedRun(opened.database, other, { requests: [foundRequest('b')], now: new Date() })
  await expect.poll(reported).toBe(2)
})
