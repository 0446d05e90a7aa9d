import type { BudgetLimits } from '../../budget/budget.ts'

const pacificTime = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
})

/** When the quotas of Google's APIs are renewed: the next midnight in California, also on days of a clock change. */
export function nextPacificMidnight(now: Date): Date {
  const { year, month, day } = pacificParts(now)
  // Seven hours behind UTC in summer, eight in winter; clocks change at two, so each night has one midnight.
  const inSummer = new Date(Date.UTC(year, month - 1, day + 1, 7))
  return pacificParts(inSummer).hour === 0 ? inSummer : new Date(Date.UTC(year, month - 1, day + 1, 8))
}

function pacificParts(moment: Date) {
  const parts = pacificTime.formatToParts(moment)
  const read = (type: Intl.DateTimeFormatPartTypes) => Number(parts.find((part) => part.type === type)?.value)
  return { year: read('year'), month: read('month'), day: read('day'), hour: read('hour') }
}

/**
 * The default quotas of a project, each with its own count: 100 searches and 10,000 other calls a day
 * (developers.google.com/youtube/data/determine_quota_cost). No limit for a shorter time is published and no header says
 * what is left, so the windows are small.
 */
export function youtubeLimits(baseUrl: string): { search: BudgetLimits; comments: BudgetLimits } {
  const { host } = new URL(baseUrl)
  const windows = [{ limit: 10, windowMs: 1_000 }]
  return {
    search: {
      name: `${host} (search)`,
      windows,
      concurrency: 1,
      quota: { limit: 100, periodEnd: nextPacificMidnight },
    },
    comments: { name: host, windows, concurrency: 2, quota: { limit: 10_000, periodEnd: nextPacificMidnight } },
  }
}
