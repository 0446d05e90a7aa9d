import { describe, expect, it } from 'vitest'
import { type ComparedRequest, createComparison, sameWish } from './similarity.ts'

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
  it('is 1 for the same words, 0 for no common word, between the two otherwise, and symmetric', () => {
    const compare = createComparison(requests)
    for (const a of requests.keys()) {
      expect(compare(a, a)).toBeCloseTo(1)
      for (const b of requests.keys()) {
        const similarity = compare(a, b)
        expect(similarity).toBeCloseTo(compare(b, a))
        expect(similarity).toBeGreaterThanOrEqual(0)
        expect(similarity).toBeLessThanOrEqual(1 + 1e-9)
      }
    }
    expect(compare(0, 1)).toBe(0)
    expect(compare(0, 2)).toBeGreaterThan(sameWish)
  })

  it('of requests without a word is 0', () => {
    const nothing = { title: new Set<string>(), text: new Set<string>() }
    expect(createComparison([nothing, nothing])(0, 1)).toBe(0)
  })
})
