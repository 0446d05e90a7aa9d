import { expect, it } from 'vitest'
import { monthPeriod, type Period, weekOf, weekPeriod } from './period.ts'

const spanOf = (period: Period | null) => period && [period.from.toISOString(), period.until.toISOString()]
const midnight = (day: string) => `${day}T00:00:00.000Z`

it('a week begins on Monday at 00:00 UTC, and belongs to the year of its Thursday', () => {
  expect(spanOf(weekPeriod('2026-W47'))).toEqual([midnight('2026-11-16'), midnight('2026-11-23')])
  expect(spanOf(weekPeriod('2027-W01'))).toEqual([midnight('2027-01-04'), midnight('2027-01-11')])
  expect(spanOf(weekPeriod('2025-W01'))).toEqual([midnight('2024-12-30'), midnight('2025-01-06')])
  expect(weekOf(new Date('2026-11-22T23:59:59.999Z'))).toBe('2026-W47')
  expect(weekOf(new Date('2026-11-23T00:00:00.000Z'))).toBe('2026-W48')
  expect(weekOf(new Date('2027-01-03T12:00:00.000Z'))).toBe('2026-W53')
  expect(weekOf(new Date('2024-12-31T12:00:00.000Z'))).toBe('2025-W01')
})

it('only a long year has a week 53', () => {
  expect(spanOf(weekPeriod('2026-W53'))).toEqual([midnight('2026-12-28'), midnight('2027-01-04')])
  expect(weekPeriod('2027-W53')).toBeNull()
})

it('every day of four centuries is in the week that it names', () => {
  for (let day = Date.UTC(2000, 0, 1); day < Date.UTC(2400, 0, 1); day += 24 * 3600_000) {
    const period = weekPeriod(weekOf(new Date(day)))!
    if (day < period.from.getTime() || day >= period.until.getTime()) throw new Error(new Date(day).toISOString())
  }
})

it('a month ends with the first instant of the next one', () => {
  expect(spanOf(monthPeriod('2026-12'))).toEqual([midnight('2026-12-01'), midnight('2027-01-01')])
})
