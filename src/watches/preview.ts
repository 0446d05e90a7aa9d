import { costOf } from '../collecting/scraping/jobs.ts'
import { countInstants, nextInstants, type Schedule } from './schedule.ts'

const shownRuns = 5

export interface WatchPreview {
  runs: { at: string; maxCredits: number }[]
  /** Of the next 31 days. */
  month: { runs: number; maxCredits: number; paidRuns: number }
}

/**
 * The next runs of a watch, and what they cost at most.
 * @param monthlyCredits its budget; undefined while it has none.
 */
export function previewRuns(
  terms: Schedule & Parameters<typeof costOf>[0] & { monthlyCredits?: number | undefined },
  now: Date,
): WatchPreview {
  const { monthlyCredits = Number.POSITIVE_INFINITY } = terms
  const maxCredits = costOf(terms)
  const runs = countInstants(terms, now)
  return {
    runs: nextInstants(terms, now, shownRuns).map((instant) => ({ at: instant.toISOString(), maxCredits })),
    month: {
      runs,
      maxCredits: Math.min(runs * maxCredits, monthlyCredits),
      paidRuns: maxCredits === 0 ? runs : Math.min(runs, Math.floor(monthlyCredits / maxCredits)),
    },
  }
}
