import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './platform.ts'
import { currentTurn, cursorAfter } from './turns.ts'

/** Asks until nobody has more; `pages` tells how many pages each source has. */
function askAll(pages: Record<string, number>): string[] {
  const sources = Object.keys(pages)
  const asked: string[] = []
  let cursor: Json = null
  do {
    const turn = currentTurn(cursor, sources)!
    asked.push(`${turn.source}${turn.page}`)
    cursor = JSON.parse(JSON.stringify(cursorAfter(cursor, sources, turn, turn.page + 1 < pages[turn.source]!)))
  } while (cursor !== null)
  return asked
}

describe('sources that take turns', () => {
  it('are asked one page each, until none has more', () => {
    expect(askAll({ a: 1, b: 3, c: 2 })).toEqual(['a0', 'b0', 'c0', 'b1', 'c1', 'b2'])
    expect(askAll({ a: 3 })).toEqual(['a0', 'a1', 'a2'])
  })

  it('are asked for every page exactly once', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 6 }), (counts) => {
        const pages = Object.fromEntries(counts.map((count, index) => [`s${index}p`, count]))
        const expected = counts.flatMap((count, index) =>
          Array.from({ length: count }, (_, page) => `s${index}p${page}`),
        )
        expect(askAll(pages).sort()).toEqual(expected.sort())
      }),
    )
  })

  it('may be added and removed while a cursor is stored', () => {
    const cursor = { turn: 1, next: { a: null, gone: 4 } }
    expect(currentTurn(cursor, ['a', 'added'])).toEqual({ source: 'added', page: 0 })
    expect(cursorAfter(cursor, ['a', 'added'], { source: 'added', page: 0 }, false)).toBeNull()
  })

  it('start anew from a cursor that is not theirs', () => {
    for (const cursor of [7, 'x', [], {}, { turn: -1, next: { a: 'x' } }, { turn: 0.5, next: [] }] as Json[]) {
      expect(currentTurn(cursor, ['a', 'b'])).toEqual({ source: 'a', page: 0 })
    }
  })

  it('have no turn when nobody has more', () => {
    expect(currentTurn({ turn: 0, next: { a: null } }, ['a'])).toBeNull()
    expect(currentTurn(null, [])).toBeNull()
  })
})
