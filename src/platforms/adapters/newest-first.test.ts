import { describe, expect, it } from 'vitest'
import { asDate } from '../content/fields.ts'
import { epochSecond, isoSecond, reachesOlder } from './newest-first.ts'

const since = new Date('2026-11-10T00:00:00Z')
const days = (...list: (number | null)[]) =>
  list.map((day) => ({ at: day === null ? null : `2026-11-${String(day).padStart(2, '0')}T12:00:00Z` }))
const reaches = (items: unknown[]) => reachesOlder(items, ({ at }) => asDate(at), since)

describe('an answer that was asked for newest first reaches what is older', () => {
  it.each([
    ['with an older last item', days(20, 15, 9), true],
    ['with nothing newer', days(9, 8, 8), true],
    ['with a last item that does not say', days(20, 9, null), true],
    ['not with newer items only', days(20, 15, 10), false],
    ['not with a pinned item before newer ones', days(3, 20, 19, 18, 17), false],
    ['with a pinned item before newer and older ones', days(3, 20, 19, 18, 9), true],
    ['not in another order', days(20, 3, 19, 4, 12, 9), false],
    ['not in the opposite order', days(3, 4, 5, 6, 9), false],
    ['not without items', [], false],
    ['not without dates', [...days(null), null, 'text'], false],
  ])('%s', (_, items, expected) => expect(reaches(items)).toBe(expected))

  it('not without an instant', () => {
    expect(reachesOlder(days(1), ({ at }) => asDate(at), null)).toBe(false)
    expect(reachesOlder(days(1), ({ at }) => asDate(at), undefined)).toBe(false)
  })
})

it('rounds an instant down', () => {
  const instant = new Date('2026-11-10T08:09:10.999Z')
  expect([isoSecond(instant), epochSecond(instant)]).toEqual(['2026-11-10T08:09:10Z', instant.getTime() / 1000 - 0.999])
})
