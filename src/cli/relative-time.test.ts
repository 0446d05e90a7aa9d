import { describe, expect, it } from 'vitest'
import { formatAge } from './relative-time.ts'

describe('how long ago a moment was', () => {
  it.each([
    ['2026-06-15T11:59:30.000Z', 'just now'],
    ['2026-06-15T12:30:00.000Z', 'just now'],
    ['2026-06-15T11:59:00.000Z', '1 minute ago'],
    ['2026-06-15T11:00:01.000Z', '59 minutes ago'],
    ['2026-06-15T11:00:00.000Z', '1 hour ago'],
    ['2026-06-14T12:00:01.000Z', '23 hours ago'],
    ['2026-06-14T12:00:00.000Z', '1 day ago'],
    ['2026-06-13T12:00:01.000Z', '1 day ago'],
    ['2026-05-15T12:00:01.000Z', '30 days ago'],
    ['2026-05-15T12:00:00.000Z', '1 month ago'],
    ['2026-03-16T12:00:00.000Z', '2 months ago'],
    ['2026-03-10T12:00:00.000Z', '3 months ago'],
    ['2025-06-15T12:00:01.000Z', '11 months ago'],
    ['2025-06-15T12:00:00.000Z', '1 year ago'],
    ['2024-12-15T12:00:00.000Z', '1 year ago'],
    ['2024-06-15T12:00:01.000Z', '1 year ago'],
    ['2024-06-15T12:00:00.000Z', '2 years ago'],
    ['2020-01-01T00:00:00.000Z', '6 years ago'],
  ])('%s is %s at noon of 15 June 2026', (moment, expected) => {
    expect(formatAge(moment, new Date('2026-06-15T12:00:00.000Z'))).toBe(expected)
  })

  it.each([
    ['2026-01-31T00:00:00.000Z', '2026-02-27T23:59:59.000Z', '27 days ago'],
    ['2026-01-31T00:00:00.000Z', '2026-02-28T00:00:00.000Z', '1 month ago'],
    ['2024-02-29T00:00:00.000Z', '2025-02-28T00:00:00.000Z', '1 year ago'],
    ['2025-12-31T23:00:00.000Z', '2026-01-01T00:00:00.000Z', '1 hour ago'],
  ])('%s is, at %s, %s: months end with their last day', (moment, now, expected) => {
    expect(formatAge(moment, new Date(now))).toBe(expected)
  })

  it('says nothing false about an invalid date', () => {
    expect(formatAge('yesterday', new Date('2026-06-15T12:00:00.000Z'))).toBe('just now')
  })
})
