import { describe, expect, it } from 'vitest'
import { isDate, parseDate } from './dates.ts'

describe('the moment of a date', () => {
  it.each([
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31t10:00:00z', '2026-01-31T10:00:00.000Z'],
    ['2026-01-31T10:00:00.1239Z', '2026-01-31T10:00:00.123Z'],
    ['2026-01-31T10:00:00+01:00', '2026-01-31T09:00:00.000Z'],
    ['2026-01-31T23:30:00-01:00', '2026-02-01T00:30:00.000Z'],
    [`2026-01-31T10:00:00.5${'0'.repeat(1_000)}Z`, '2026-01-31T10:00:00.500Z'],
  ])('%s is %s', (text, moment) => {
    expect(isDate(text)).toBe(true)
    expect(parseDate(text).toISOString()).toBe(moment)
  })

  it.each([
    ['0000-01-01', '1970-01-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00+23:59', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999-23:59', '9999-12-31T00:00:00.000Z'],
  ])('%s becomes the nearest that the database holds', (text, moment) => {
    expect(isDate(text)).toBe(true)
    expect(parseDate(text).toISOString()).toBe(moment)
  })
})
