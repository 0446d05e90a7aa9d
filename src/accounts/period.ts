import { dayMs } from '../runtime/durations.ts'

/** The UTC month of a time, `YYYY-MM`. */
export const monthOf = (moment: Date): string => moment.toISOString().slice(0, 7)

/** The end of a month, `YYYY-MM`: when its pool renews. */
export function endOfMonth(month: string): Date {
  const first = new Date(`${month}-01T00:00:00.000Z`)
  return new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1))
}

export interface Period {
  from: Date
  until: Date
}

/** A UTC month, `YYYY-MM`, or an ISO week, `YYYY-Www`, from Monday 00:00 UTC. */
export type PeriodName = { month: string } | { week: string }

// This millennium only, so every database can represent the period's end.
export const monthPattern = '^2[0-9]{3}-(0[1-9]|1[0-2])$'
export const weekPattern = '^2[0-9]{3}-W(0[1-9]|[1-4][0-9]|5[0-3])$'

function mondayOf(moment: Date): Date {
  const day = Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate())
  return new Date(day - ((moment.getUTCDay() + 6) % 7) * dayMs)
}

/** The ISO 8601 week of a time, `YYYY-Www`; its year is that of its Thursday. */
export function weekOf(moment: Date): string {
  const thursday = new Date(mondayOf(moment).getTime() + 3 * dayMs)
  const year = thursday.getUTCFullYear()
  const week = Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * dayMs)) + 1
  return `${year}-W${String(week).padStart(2, '0')}`
}

/** The last `count` ISO weeks including the week of `now`, oldest first. */
export function lastWeeks(count: number, now: Date): (Period & { week: string })[] {
  const thisMonday = mondayOf(now).getTime()
  return Array.from({ length: count }, (_, index) => {
    const from = new Date(thisMonday - (count - 1 - index) * 7 * dayMs)
    return { week: weekOf(from), from, until: new Date(from.getTime() + 7 * dayMs) }
  })
}

/** Bounds of a month, `YYYY-MM`. */
export const monthPeriod = (month: string): Period => ({
  from: new Date(`${month}-01T00:00:00.000Z`),
  until: endOfMonth(month),
})

/** Bounds of an ISO week, `YYYY-Www`; null for a week 53 its year lacks. */
export function weekPeriod(name: string): Period | null {
  const [year, week] = name.split('-W').map(Number)
  // 4 January is always in the first week.
  const from = new Date(mondayOf(new Date(Date.UTC(year!, 0, 4))).getTime() + (week! - 1) * 7 * dayMs)
  return weekOf(from) === name ? { from, until: new Date(from.getTime() + 7 * dayMs) } : null
}
