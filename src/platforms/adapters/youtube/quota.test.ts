import { expect, it } from 'vitest'
import { nextPacificMidnight } from './quota.ts'

// Clocks in California went forward on 8 March 2026 and go back on 1 November 2026, both at two in the morning.
it.each([
  ['in winter', '2026-01-15T12:00:00Z', '2026-01-16T08:00:00Z'],
  ['in summer', '2026-07-15T12:00:00Z', '2026-07-16T07:00:00Z'],
  ['just before it', '2026-07-16T06:59:59.999Z', '2026-07-16T07:00:00Z'],
  ['at it', '2026-07-16T07:00:00Z', '2026-07-17T07:00:00Z'],
  ['at the end of a year', '2026-12-31T20:00:00Z', '2027-01-01T08:00:00Z'],
  ['the night before clocks go forward', '2026-03-08T07:59:00Z', '2026-03-08T08:00:00Z'],
  ['before clocks go forward that day', '2026-03-08T09:00:00Z', '2026-03-09T07:00:00Z'],
  ['after clocks went forward that day', '2026-03-08T20:00:00Z', '2026-03-09T07:00:00Z'],
  ['the night before clocks go back', '2026-11-01T06:30:00Z', '2026-11-01T07:00:00Z'],
  ['in the first of the two hours at one', '2026-11-01T08:30:00Z', '2026-11-02T08:00:00Z'],
  ['in the second of the two hours at one', '2026-11-01T09:30:00Z', '2026-11-02T08:00:00Z'],
  ['after clocks went back that day', '2026-11-01T20:00:00Z', '2026-11-02T08:00:00Z'],
])('the next midnight in California is found %s', (_, now, midnight) => {
  expect(nextPacificMidnight(new Date(now))).toEqual(new Date(midnight))
})
