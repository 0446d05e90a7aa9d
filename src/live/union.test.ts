import { describe, expect, it } from 'vitest'
import { fuseRanks } from './union.ts'

describe('the union of ranked lists', () => {
  it('is best first across the lists, not one list after the other', () => {
    const query = { ids: Array.from({ length: 70 }, (_, index) => `q${index + 1}`), weight: 2 }
    const fused = fuseRanks([query, { ids: ['a1', 'a2'], weight: 1 }, { ids: ['b1'], weight: 1 }])
    // 2 / (60 + 62) = 1 / 61: equally good, and the query's comes first.
    expect(fused.slice(60, 66)).toEqual(['q61', 'q62', 'a1', 'b1', 'q63', 'q64'])
    expect(new Set(fused).size).toBe(fused.length)
  })

  it('puts what several lists agree on before what one of them has', () => {
    const lists = [
      { ids: ['q1', 'q2', 'shared'], weight: 2 },
      { ids: ['a1', 'shared'], weight: 1 },
    ]
    expect(fuseRanks(lists)).toEqual(['shared', 'q1', 'q2', 'a1'])
  })

  it('puts the query first where its list and that of a topic say the same of different rows', () => {
    const lists = [
      { ids: ['q1'], weight: 2 },
      { ids: ['a1'], weight: 1 },
    ]
    expect(fuseRanks(lists)).toEqual(['q1', 'a1'])
  })
})
