import { describe, expect, it } from 'vitest'
import type { FaultName, FaultOptions } from '../../simulator/faults.ts'
import { newestFirst, since } from '../../simulator/newest-first-testing.ts'
import { platformFacts } from '../../simulator/platform-facts-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import { type Expectation, lastingFaults, passingFaults, passingWaits } from './expectations.ts'
import { type Cell, openMatrix, rounds } from './matrix.ts'

// Holds (Watches, news and channels): collecting news finds everything since its instant, whether platforms obey, ignore or refuse it; idle sources end alone
// Holds (Platforms): whatever a platform does wrong, the outcome is right and other platforms continue

describe('faults that pass', () => {
  const matrix = openMatrix(60_000)

  const once = (expectation: Expectation, moment: 'at once' | 'on the way'): Cell => ({ expectation, moment, times: 1 })

  describe.each(passingFaults)('after one $fault', (expectation) => {
    const cells = [once(expectation, 'at once'), once(expectation, 'on the way'), null]
    it.each(rounds)('everything is collected all the same, round %i', async (round) => {
      await matrix.runRound(cells, round)
    })
  })

  describe('after a refusal that names a time', () => {
    // All of them in each job, because all that these jobs do is wait.
    const cells = [...passingWaits.flatMap((wait) => [once(wait, 'at once'), once(wait, 'on the way')]), null, null]
    it.each(cells.map((_, round) => round))('the wait is kept and everything is collected, round %i', async (round) => {
      await matrix.runRound(cells, round)
    })
  })
})

describe('faults that last', () => {
  // A laboratory of its own: a fault may leave a pause behind, and `heal` puts the clock forward.
  const matrix = openMatrix(60_000)

  const cellsOf = (expectation: Expectation): Cell[] => [
    { expectation, moment: 'at once', times: Number.POSITIVE_INFINITY },
    { expectation, moment: 'on the way', times: Number.POSITIVE_INFINITY },
    null,
  ]

  it('without a fault, every platform delivers several pages', () => {
    for (const platform of simulatedPlatformNames) {
      const { state, pages, stored } = matrix.whole.tasks[platform]
      expect.soft({ platform, state }).toEqual({ platform, state: 'done' })
      expect.soft(pages, `pages of ${platform}`).toBeGreaterThan(1)
      expect.soft(stored.length, `requests of ${platform}`).toBeGreaterThan(pages)
      expect.soft(new Set(stored).size, `requests of ${platform}`).toBe(stored.length)
    }
  })

  describe.each(lastingFaults)('with $fault for ever', (expectation) => {
    it.each(rounds)('a platform ends as it should, and no other is touched, round %i', async (round) => {
      await matrix.runRound(cellsOf(expectation), round)
      await matrix.heal()
    })
  })
})

/** YouTube searches twice before its first page. */
const untilFirst = (name: SimulatedPlatformName) => (name === 'youtube' ? 3 : 1)
const sizeOf = (name: SimulatedPlatformName) => 2 * platformFacts[name].severalPages

const faults: readonly [FaultName, FaultOptions][] = [...passingFaults, ...passingWaits].map(({ fault, seconds }) => [
  fault,
  seconds === undefined ? {} : { seconds },
])

// Searches for what is new, through faults that pass: nothing is lost, nothing comes twice, and each walk ends.
describe.each(simulatedPlatformNames)('what is new on %s', (name) => {
  let undisturbed: Awaited<ReturnType<typeof collect>> | undefined

  async function collect(fault?: FaultName, options?: FaultOptions) {
    const { simulator, walk } = await newestFirst(name, { size: sizeOf(name), timeScale: 600 })
    if (fault) simulator.setFault(name, fault, options)
    const { pages, ids, found } = await walk(since)
    expect(simulator.breachLog).toEqual([])
    expect(found).toHaveLength(ids.length)
    // A fault that no request met would prove nothing.
    expect(simulator.requests.filter((request) => request.fault !== null)).toHaveLength(fault ? 1 : 0)
    return { pages: pages.length, ids }
  }

  it.each(faults)('is complete after one %s %o, at once and on the way', async (fault, options) => {
    undisturbed ??= await collect()
    expect(undisturbed.pages).toBeGreaterThan(1)
    expect(await collect(fault, options)).toEqual(undisturbed)
    expect(await collect(fault, { ...options, skip: untilFirst(name) })).toEqual(undisturbed)
  })
})
