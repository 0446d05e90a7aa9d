import { dayMs, hourMs, minuteMs } from '../runtime/durations.ts'

interface Elapsed {
  amount: number
  unit: 'minute' | 'hour' | 'day' | 'month' | 'year'
}

/** Adds calendar months in UTC, clamping the day to the month's last. */
function addMonths(moment: Date, months: number): Date {
  const firstOfMonth = new Date(moment)
  firstOfMonth.setUTCDate(1)
  firstOfMonth.setUTCMonth(firstOfMonth.getUTCMonth() + months)
  const days = new Date(Date.UTC(firstOfMonth.getUTCFullYear(), firstOfMonth.getUTCMonth() + 1, 0)).getUTCDate()
  firstOfMonth.setUTCDate(Math.min(moment.getUTCDate(), days))
  return firstOfMonth
}

function wholeMonths(from: Date, to: Date): number {
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth()
  return addMonths(from, months) > to ? months - 1 : months
}

/** The largest whole calendar unit (UTC), rounded down: 18 months are 1 year. Null below a minute or for the future. */
export function largestWholeUnit(from: Date, to: Date): Elapsed | null {
  const elapsedMs = to.getTime() - from.getTime()
  // Includes invalid dates.
  if (!(elapsedMs >= minuteMs)) return null
  const months = wholeMonths(from, to)
  if (months >= 12) return { amount: Math.floor(months / 12), unit: 'year' }
  if (months >= 1) return { amount: months, unit: 'month' }
  if (elapsedMs >= dayMs) return { amount: Math.floor(elapsedMs / dayMs), unit: 'day' }
  if (elapsedMs >= hourMs) return { amount: Math.floor(elapsedMs / hourMs), unit: 'hour' }
  return { amount: Math.floor(elapsedMs / minuteMs), unit: 'minute' }
}

/** How long ago a moment was: `3 months ago`; `just now` below a minute or in the future. @param moment ISO 8601 */
export function formatAge(moment: string, now: Date): string {
  const elapsed = largestWholeUnit(new Date(moment), now)
  if (elapsed === null) return 'just now'
  return `${elapsed.amount} ${elapsed.unit}${elapsed.amount === 1 ? '' : 's'} ago`
}
