import { expect, it } from 'vitest'
import { timelineOf } from './timeline.ts'

const one = (...days: string[]) => days.map((day) => ({ day, requests: 1 }))
const sum = (periods: { requests: number }[]) => periods.reduce((total, { requests }) => total + requests, 0)

it('shows half a year in weeks from Monday, without gaps', () => {
  const timeline = timelineOf(one('2026-03-01', '2026-03-02', '2026-03-08', '2026-03-23'))
  expect(timeline).toEqual([
    { from: '2026-02-23', requests: 1 },
    { from: '2026-03-02', requests: 2 },
    { from: '2026-03-09', requests: 0 },
    { from: '2026-03-16', requests: 0 },
    { from: '2026-03-23', requests: 1 },
  ])
})

it('shows years in months and decades in years, and loses no request', () => {
  const months = timelineOf(one('2024-02-29', '2026-01-31'))
  expect([months.length, months[0]?.from, months.at(-1)?.from, sum(months)]).toEqual([
    24,
    '2024-02-01',
    '2026-01-01',
    2,
  ])
  const years = timelineOf(one('1970-01-01', '2026-12-31', '1999-12-31'))
  expect([years.length, years[0]?.from, sum(years)]).toEqual([57, '1970-01-01', 3])
  expect(timelineOf([])).toEqual([])
})
