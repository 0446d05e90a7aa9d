import { afterAll, beforeEach, expect, it } from 'vitest'
import type { FaultName } from '../../simulator/faults.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { campaignSize } from '../campaign-size.ts'
import { type JobReport, type Laboratory, startLaboratory } from './laboratory.ts'

/** Two pages of every source, also of the phrases that share the records of Hacker News. */
const laboratory: Laboratory = await startLaboratory({ size: 404 })
const whole = await laboratory.runJob()
const secondPages = new Set(
  laboratory.simulator.requests.filter(({ page }) => page === 2).map(({ platform }) => platform),
)

beforeEach(() => laboratory.reset())
afterAll(() => laboratory.stop())

async function runWith(fault: FaultName, faulty: (index: number) => boolean): Promise<JobReport> {
  for (const [index, platform] of simulatedPlatformNames.entries()) {
    if (!faulty(index)) continue
    laboratory.simulator.setFault(platform, fault, { times: Number.POSITIVE_INFINITY })
  }
  const report = await laboratory.runJob()
  const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
  expect(report.creditsUsed).toBe(pages)
  expect(await verifyLedger(laboratory.service.database)).toEqual([])
  expect(laboratory.simulator.breachLog).toEqual([])
  return report
}

const halves = [
  ['the first half', (index: number) => index % 2 === 0],
  ['the second half', (index: number) => index % 2 === 1],
] as const
/** In `npm test` each fault is on one half of the platforms. */
const halvesFrom = (first: number) =>
  [halves[first]!, halves[1 - first]!].slice(0, campaignSize('PAGING_HALVES', { quick: 1, nightly: 2 }))

/** One more page of every source may be fetched, to see that it is empty. */
function sourceCount(platform: SimulatedPlatformName): number {
  const first = laboratory.simulator.requests.filter((request) => request.platform === platform && request.page === 1)
  return first.length
}

it.each(halvesFrom(0))('a platform that says for ever that there is more is not believed: %s', async (_, faulty) => {
  const { tasks } = await runWith('endless_cursor', faulty)
  for (const platform of simulatedPlatformNames) {
    const { state, pages, stored } = tasks[platform]
    expect.soft({ platform, state }).toEqual({ platform, state: 'done' })
    // The token that comes again costs YouTube a page for each video and phrase, which is more than a job has.
    if (platform === 'youtube') expect.soft(whole.tasks[platform].stored).toEqual(expect.arrayContaining(stored))
    else expect.soft(stored, platform).toEqual(whole.tasks[platform].stored)
    expect.soft(pages, platform).toBeLessThanOrEqual(whole.tasks[platform].pages + sourceCount(platform))
  }
})

it.each(halvesFrom(1))('a page that comes again is stored once, and the job ends: %s', async (_, faulty) => {
  const { tasks } = await runWith('duplicate_page', faulty)
  for (const [index, platform] of simulatedPlatformNames.entries()) {
    const { state, pages, stored } = tasks[platform]
    const all = whole.tasks[platform]
    // The description of a board may be wrong, so its task says what is.
    expect
      .soft({ platform, state })
      .toEqual({ platform, state: faulty(index) && platform === 'board' ? 'error' : 'done' })
    expect.soft(all.stored, platform).toEqual(expect.arrayContaining(stored))
    expect.soft(new Set(stored).size, platform).toBe(stored.length)
    if (faulty(index)) expect.soft(pages, platform).toBeLessThanOrEqual(all.pages + sourceCount(platform))
    else expect.soft({ platform, pages, stored }).toEqual({ platform, pages: all.pages, stored: all.stored })
  }
})

it('without a fault, a second page of every platform is fetched', () => {
  // A phrase on one video of YouTube has no hundred comments here, and a board of Fider and a feed have one page.
  expect([...secondPages, 'youtube', 'fider', 'rss'].sort()).toEqual([...simulatedPlatformNames].sort())
})
