import { dayMs } from '../runtime/durations.ts'

/** UTC day, YYYY-MM-DD. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10)

export interface Period {
  /** The first UTC day, YYYY-MM-DD; ends where the next period starts. */
  from: string
  requests: number
}

/** The Monday of a day's ISO 8601 week, at the same time of day. */
export function startOfWeek(day: Date): Date {
  const sinceMonday = (day.getUTCDay() + 6) % 7
  return new Date(day.getTime() - sinceMonday * dayMs)
}
const startOfMonth = (day: Date) => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1))
const startOfYear = (day: Date) => new Date(Date.UTC(day.getUTCFullYear(), 0, 1))

const nextOf = {
  week: (start: Date) => new Date(start.getTime() + 7 * dayMs),
  month: (start: Date) => new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1)),
  year: (start: Date) => new Date(Date.UTC(start.getUTCFullYear() + 1, 0, 1)),
}
const startOf = { week: startOfWeek, month: startOfMonth, year: startOfYear }

/** Weeks up to half a year, months up to ten years. */
const unitOf = (days: number) => (days <= 183 ? 'week' : days <= 3_653 ? 'month' : 'year')

/** Counts per week, month or year, depending on the span, empty periods included. @param days as YYYY-MM-DD, UTC */
export function timelineOf(days: readonly { day: string; requests: number }[]): Period[] {
  if (days.length === 0) return []
  const moments = days.map(({ day }) => Date.parse(day))
  const [first, last] = [Math.min(...moments), Math.max(...moments)]
  const unit = unitOf((last - first) / dayMs)
  const counts = new Map<string, number>()
  for (let start = startOf[unit](new Date(first)); start.getTime() <= last; start = nextOf[unit](start)) {
    counts.set(dayOf(start), 0)
  }
  for (const { day, requests } of days) {
    const from = dayOf(startOf[unit](new Date(day)))
    counts.set(from, (counts.get(from) ?? 0) + requests)
  }
  return [...counts].map(([from, requests]) => ({ from, requests }))
}
