import { expect, it } from 'vitest'
import { defaultBounds } from './bounds.ts'
import { estimateMatches, isWalkVain } from './sample.ts'

const cache = { ...defaultBounds, requests: 1_000_000, isSmall: false }
const sampleOf = (matching: number, isWhole = true) => ({ matching, shown: matching, isWhole })

it('a sample of which only a part was read says nothing about how many match', () => {
  expect(estimateMatches(sampleOf(100))).toBe(3_200)
  expect(estimateMatches(sampleOf(defaultBounds.sampled, false))).toBe(Number.POSITIVE_INFINITY)
})

it('a walk is in vain where so few are shown that a page needs more than twice the rows', () => {
  // 21 of 5,120 results are in 4,102 rows on average, and 4,000 are twice what may be walked.
  expect(isWalkVain(sampleOf(160), cache, 21)).toBe(true)
  expect(isWalkVain(sampleOf(170), cache, 21)).toBe(false)
  expect(isWalkVain(sampleOf(170), cache, 101)).toBe(true)
})
