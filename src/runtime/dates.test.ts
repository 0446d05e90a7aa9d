import { expect, it } from 'vitest'
import { formatDay, formatMoment } from './dates.ts'

// Holds (texts): dates for people have one form: 29 Nov 2026, with minutes 29 Nov 2026, 17:12 UTC
it.each([
  ['2026-11-29T17:12:29.597Z', '29 Nov 2026', '29 Nov 2026, 17:12 UTC'],
  ['2026-12-01', '1 Dec 2026', '1 Dec 2026, 00:00 UTC'],
  [new Date('2026-03-01T01:30:00+02:00'), '28 Feb 2026', '28 Feb 2026, 23:30 UTC'],
  ['\x1b[2J', 'no date', 'no date'],
])('%s is a date for people', (moment, day, minute) => {
  expect([formatDay(moment), formatMoment(moment)]).toEqual([day, minute])
})
