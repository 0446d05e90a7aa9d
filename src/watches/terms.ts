import { invalidField } from '../http/validation.ts'
import { type JobTerms, type JobTermsDependencies, readJobTerms } from '../scraping/job-terms.ts'
import { costOf } from '../scraping/jobs.ts'
import { isTimezone } from '../runtime/timezone.ts'
import { faultOfSchedule } from './schedule.ts'
import type { NewWatchBody, PreviewBody, WatchChangesBody } from './schemas.ts'
import type { Watch } from './watch.ts'

/** When a watch runs, and what a run collects. */
export interface RunTerms extends JobTerms {
  schedule: string
  timezone: string
}

/** All that a caller says of a watch. */
export interface WatchTerms extends RunTerms {
  name: string
  monthlyCredits: number
  goal: string | null
  filters: Record<string, unknown>
  channels: string[]
  reportsQuiet: boolean
}

/** @throws ServiceError INVALID_REQUEST for wrong terms of a job, a wrong schedule or time zone. */
export function readRunTerms(body: PreviewBody, dependencies: JobTermsDependencies, now: Date): RunTerms {
  const { schedule, timezone = 'UTC', ...job } = body
  const terms = readJobTerms(job, dependencies)
  const fault = faultOfSchedule(schedule, now)
  if (fault !== null) throw invalidField('schedule', fault)
  if (!isTimezone(timezone)) throw invalidField('timezone', 'must be a name of a time zone, such as Europe/Berlin')
  return { ...terms, schedule, timezone }
}

/** @throws ServiceError INVALID_REQUEST for a budget that cannot pay for one run. */
export function requireBudget(terms: RunTerms, monthlyCredits: number): void {
  const cost = costOf(terms)
  if (monthlyCredits >= cost) return
  throw invalidField('monthlyCredits', `must be at least ${cost}, what one run may cost (depth x platforms)`)
}

function readTerms(body: NewWatchBody, dependencies: JobTermsDependencies, now: Date): WatchTerms {
  const { name, monthlyCredits, goal = null, filters = {}, channels = [], reportsQuiet = false, ...run } = body
  // It is shown in mails and on terminals.
  if (/\p{Cc}/u.test(name)) throw invalidField('name', 'must not contain control characters')
  const terms = readRunTerms(run, dependencies, now)
  return { ...terms, monthlyCredits, name, goal, filters, channels: [...new Set(channels)], reportsQuiet }
}

/** @throws ServiceError INVALID_REQUEST */
export function readWatchTerms(body: NewWatchBody, dependencies: JobTermsDependencies, now: Date): WatchTerms {
  const terms = readTerms(body, dependencies, now)
  requireBudget(terms, terms.monthlyCredits)
  return terms
}

const costly = ['platforms', 'sources', 'depth', 'schedule', 'timezone', 'monthlyCredits'] as const

/** Whether changes of a watch decide what it costs. */
export const isAboutCost = (changes: WatchChangesBody): boolean => costly.some((name) => changes[name] !== undefined)

/** What its owner has said of a watch, as a body that would make it. */
const bodyOf = (watch: Watch): NewWatchBody => ({
  name: watch.name,
  topic: watch.topic,
  platforms: watch.platforms,
  ...(watch.sources === null ? {} : { sources: watch.sources }),
  depth: watch.depth,
  schedule: watch.schedule,
  timezone: watch.timezone,
  monthlyCredits: watch.monthly_credits,
  goal: watch.goal,
  filters: watch.filters,
  channels: watch.channels,
  reportsQuiet: watch.reports_quiet,
})

/**
 * The terms of a watch with changes, checked as those of a new one. Its budget is checked only when they are about costs: a watch whose platforms were turned
 * on since can be paused.
 * @throws ServiceError INVALID_REQUEST
 */
export function readChangedTerms(
  watch: Watch,
  changes: WatchChangesBody,
  dependencies: JobTermsDependencies,
  now: Date,
): WatchTerms {
  const { sources: before, ...stored } = bodyOf(watch)
  const { sources, state: _, ...others } = changes
  const named = sources === undefined ? before : (sources ?? undefined)
  const terms = readTerms({ ...stored, ...others, ...(named ? { sources: named } : {}) }, dependencies, now)
  if (isAboutCost(changes)) requireBudget(terms, terms.monthlyCredits)
  return terms
}
