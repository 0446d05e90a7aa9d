import { invalidField } from '../http/validation.ts'
import { type JobTerms, type JobTermsDependencies, readJobTerms } from '../scraping/job-terms.ts'
import { costOf } from '../scraping/jobs.ts'
import { faultOfSchedule, isTimezone } from './schedule.ts'
import type { NewWatchBody, PreviewBody, WatchChangesBody } from './schemas.ts'
import type { Watch } from './watches.ts'

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
  const { monthlyCredits, schedule, timezone = 'UTC', ...job } = body
  const terms = readJobTerms(job, dependencies)
  const fault = faultOfSchedule(schedule, now)
  if (fault !== null) throw invalidField('schedule', fault)
  if (!isTimezone(timezone)) throw invalidField('timezone', 'must be a name of a time zone, such as Europe/Berlin')
  const cost = costOf(terms)
  if (monthlyCredits !== undefined && monthlyCredits < cost) {
    throw invalidField('monthlyCredits', `one run costs up to ${cost} credits (depth x platforms), so it must be at least that`)
  }
  return { ...terms, schedule, timezone }
}

/** @throws ServiceError INVALID_REQUEST */
export function readWatchTerms(body: NewWatchBody, dependencies: JobTermsDependencies, now: Date): WatchTerms {
  const { name, goal = null, filters = {}, channels = [], reportsQuiet = false, ...run } = body
  // It is shown in mails and on terminals.
  if (/\p{Cc}/u.test(name)) throw invalidField('name', 'must not contain control characters')
  const terms = readRunTerms(run, dependencies, now)
  const { monthlyCredits } = run
  return { ...terms, monthlyCredits, name, goal, filters, channels: [...new Set(channels)], reportsQuiet }
}

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

/** The terms of a watch with changes, checked as those of a new one. @throws ServiceError INVALID_REQUEST */
export function readChangedTerms(
  watch: Watch,
  { sources, state: _, ...changes }: WatchChangesBody,
  dependencies: JobTermsDependencies,
  now: Date,
): WatchTerms {
  const { sources: before, ...stored } = bodyOf(watch)
  const named = sources === undefined ? before : (sources ?? undefined)
  return readWatchTerms({ ...stored, ...changes, ...(named ? { sources: named } : {}) }, dependencies, now)
}
