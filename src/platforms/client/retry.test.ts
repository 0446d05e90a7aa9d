import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { retryDelay } from './client.ts'

describe('the delay before another try', () => {
  it('has a ceiling that doubles from half a second to 8 seconds', () => {
    const almostOne = () => 1 - Number.EPSILON
    const ceilings = [0, 1, 2, 3, 4, 5, 40].map((attempt) => Math.round(retryDelay(attempt, almostOne)))
    expect(ceilings).toEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
  })

  it('is spread over everything below the ceiling', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, random) => {
        const ceiling = retryDelay(attempt, () => 1)
        expect(retryDelay(attempt, () => random)).toBeCloseTo(random * ceiling)
      }),
    )
  })
})
