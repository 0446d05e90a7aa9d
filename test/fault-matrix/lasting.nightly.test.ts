import { describe, expect, it } from 'vitest'
import { simulatedPlatformNames } from '../../src/platform-simulator/platforms/index.ts'
import { type Expectation, lastingFaults } from './expectations.ts'
import { type Cell, openMatrix, rounds } from './matrix.ts'

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
