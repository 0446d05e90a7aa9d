import { describe, expect, it } from 'vitest'
import type { FaultName, FaultOptions } from '../../src/platform-simulator/faults.ts'
import { newestFirst, since } from '../../src/platform-simulator/newest-first-testing.ts'
import { platformFacts } from '../../src/platform-simulator/platform-facts.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../src/platform-simulator/platforms/index.ts'
import { passingFaults, passingWaits } from './expectations.ts'

// Searches for what is new, through faults that pass: nothing is lost, nothing comes twice, and each walk ends.

/** YouTube searches twice before its first page. */
const untilFirst = (name: SimulatedPlatformName) => (name === 'youtube' ? 3 : 1)
const sizeOf = (name: SimulatedPlatformName) => 2 * platformFacts[name].severalPages

const faults: readonly [FaultName, FaultOptions][] = [...passingFaults, ...passingWaits].map(({ fault, seconds }) => [
  fault,
  seconds === undefined ? {} : { seconds },
])

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
