import { describe, expect, it } from 'vitest'
import { fuseRanks } from './union.ts'

describe('the union of ranked lists', () => {
  it('is best first across the lists, not one list after the other', () => {
    const query = { ids: Array.from({ length: 70 }, (_, index) => `q${index + 1}`), weight: 2 }
    const fused = fuseRanks([query, { ids: ['a1', 'a2'], weight: 1 }, { ids: ['b1'], weight: 1 }])
    // 2 / (60 + 62) = 1 / 61: equal scores, and the row of the query is first.
    expect(fused.slice(60, 66)).toEqual(['q61', 'q62', 'a1', 'b1', 'q63', 'q64'])
    expect(new Set(fused).size).toBe(fused.length)
  })

  it('ranks a row of several lists before a row of one list', () => {
    const lists = [
      { ids: ['q1', 'q2', 'shared'], weight: 2 },
      { ids: ['a1', 'shared'], weight: 1 },
    ]
    expect(fuseRanks(lists)).toEqual(['shared', 'q1', 'q2', 'a1'])
  })

  it('ranks the row of the query first when a topic has another row at the same rank', () => {
    const lists = [
      { ids: ['q1'], weight: 2 },
      { ids: ['a1'], weight: 1 },
    ]
    expect(fuseRanks(lists)).toEqual(['q1', 'a1'])
  })
})
