import { describe, expect, it } from 'vitest'
import { type ComparedRequest, groupAlike, sameWish, similarityOf, wordWeights } from './similarity.ts'

const compared = (title: string, description = ''): ComparedRequest => ({
  title: new Set(title.split(' ')),
  text: new Set(`${title} ${description}`.trim().split(' ')),
})
const requests = [
  compared('dark mode editor', 'eyes hurt night'),
  compared('export data csv'),
  compared('dark mode editor', 'eyes hurt evening'),
  compared('csv export data', 'spreadsheet'),
  compared('keyboard shortcuts'),
]

describe('similarity', () => {
  it('is 1 for the same words, 0 for none in common, symmetric, and between the two else', () => {
    const weight = wordWeights(requests)
    for (const a of requests) {
      expect(similarityOf(a, a, weight)).toBeCloseTo(1)
      for (const b of requests) {
        const similarity = similarityOf(a, b, weight)
        expect(similarity).toBeCloseTo(similarityOf(b, a, weight))
        expect(similarity).toBeGreaterThanOrEqual(0)
        expect(similarity).toBeLessThanOrEqual(1 + 1e-9)
      }
    }
    expect(similarityOf(requests[0]!, requests[1]!, weight)).toBe(0)
    expect(similarityOf(requests[0]!, requests[2]!, weight)).toBeGreaterThan(sameWish)
  })

  it('of requests without a word is 0', () => {
    const nothing = { title: new Set<string>(), text: new Set<string>() }
    expect(similarityOf(nothing, nothing, wordWeights([nothing, nothing]))).toBe(0)
  })
})

it('requests that are alike are put together, in the order that they came in', () => {
  expect(groupAlike(requests)).toEqual([[0, 2], [1, 3], [4]])
  expect(groupAlike([])).toEqual([])
})
