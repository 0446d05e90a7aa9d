import { afterAll, beforeAll, expect, it } from 'vitest'
import { createRandom } from '../../simulator/random.ts'
import { movedClock, openJobs } from '../../src/watches/testing.ts'
import { campaignSize } from '../campaign-size.ts'
import { platformMap, scriptedPlatform } from '../scripted-platform.ts'
import { startTestService, type TestService } from '../service.ts'
import { checkMonth, emptyPages, makeWatches, monthStart, stepsOf } from './month.ts'

// Holds (Watches, news and channels): each instant of a watch has one run or one recorded reason, despite clocks, kills and processes
// Holds (Watches, news and channels): watches run at the right local time across daylight-saving changes
// Holds (Watches, news and channels): a watch's or key's budget is never exceeded, whatever runs at once

// Takes seconds: a month has some hundred runs of watches.

const watches = campaignSize('WATCHES', { quick: 12, nightly: 200 })
const seed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))
const clock = movedClock(monthStart.toISOString())
let service: TestService

beforeAll(async () => {
  service = await startTestService({
    clock,
    platforms: platformMap(scriptedPlatform('github', emptyPages), scriptedPlatform('hackernews', emptyPages)),
    environment: { PLATFORMS: 'github,hackernews' },
  })
})
afterAll(() => service.stop())

it(`runs ${watches} watches for a month at the right instants, within their budgets`, {
  timeout: 3_600_000,
}, async () => {
  console.log(`a month of watches: seed ${seed} (set TEST_SEED to repeat it)`)
  // An account has at most 100 watches.
  const rich = [(await service.createAccount('max')).client, (await service.createAccount('max')).client]
  const poor = (await service.createAccount('free')).client
  const planned = await makeWatches(watches, { rich, poor }, createRandom(seed))
  for (const step of stepsOf(planned)) {
    clock.set(step)
    await service.runDueWatches()
    await expect.poll(() => openJobs(service.database), { interval: 5, timeout: 60_000 }).toBe(0)
  }
  await checkMonth(service.database, planned)
})
