import type { Pricing } from '../accounts/plans.ts'
import { type JobTerms, type JobTermsDependencies, readJobTerms } from '../collecting/scraping/job-terms.ts'
import { costOf, pagesOf } from '../collecting/scraping/jobs.ts'
import type { Tier } from '../database/column-types.ts'
import type { NewsKind } from '../database/tables/watches.ts'
import { invalidField, invalidTimezone, notThis } from '../http/validation.ts'
import { isTimezone } from '../runtime/timezone.ts'
import { faultOfSchedule, previewRuns } from './schedule.ts'
import type { NewWatchBody, PreviewBody, WatchChangesBody } from './schemas.ts'
import type { Watch } from './watch.ts'

/** When a watch runs, and what a run collects. */
export interface RunTerms extends JobTerms {
  schedule: string
  timezone: string
}

/** Everything a caller sets on a watch. */
export interface WatchTerms extends RunTerms {
  name: string
  monthlyCredits: number
  goal: string | null
  filters: Record<string, unknown>
  channels: string[]
  reportsQuiet: boolean
  mutedNews: NewsKind[]
}

/** @throws ServiceError INVALID_REQUEST for wrong job terms, schedule or time zone. */
export function readRunTerms(body: PreviewBody, dependencies: JobTermsDependencies, now: Date): RunTerms {
  const { schedule = 'daily', timezone = 'UTC', ...job } = body
  const terms = readJobTerms(job, dependencies)
  const fault = faultOfSchedule(schedule, now)
  if (fault !== null) throw invalidField('schedule', fault + notThis(schedule))
  if (!isTimezone(timezone)) throw invalidTimezone(timezone)
  return { ...terms, schedule, timezone }
}

/** @throws ServiceError INVALID_REQUEST for a budget below the cost of one run. */
export function requireBudget(pricing: Pricing, terms: RunTerms, monthlyCredits: number): void {
  const cost = costOf(pricing, terms)
  if (monthlyCredits >= cost) return
  throw invalidField('monthlyCredits', `must be at least ${cost}, what one run may cost (depth x platforms)`)
}

type WholeBody = NewWatchBody & Required<Pick<NewWatchBody, 'name' | 'monthlyCredits'>>

function readTerms(body: WholeBody, dependencies: JobTermsDependencies, now: Date): WatchTerms {
  const { name, monthlyCredits, goal = null, filters = {}, channelIds = [], ...others } = body
  const { reportsQuiet = false, mutedNews = [], ...run } = others
  // Names appear in mails and on terminals.
  if (/\p{Cc}/u.test(name)) throw invalidField('name', 'must not contain control characters')
  const terms = readRunTerms(run, dependencies, now)
  const channels = [...new Set(channelIds)]
  return { ...terms, monthlyCredits, name, goal, filters, channels, reportsQuiet, mutedNews }
}

/** The terms of a new watch; only the topic is required. @throws ServiceError INVALID_REQUEST */
export function readWatchTerms(
  body: NewWatchBody,
  { accountId, tier }: { accountId: string; tier: Tier },
  dependencies: JobTermsDependencies & { pricing: Pricing },
  now: Date,
): WatchTerms {
  const { pricing } = dependencies
  const { creditsPerMonth } = pricing.plans[tier]
  // The budget is checked once known. Topics may have control characters, names may not.
  const { name = body.topic.replace(/\p{Cc}+/gu, ' '), monthlyCredits: given, ...rest } = body
  const { monthlyCredits: _, ...terms } = readTerms({ ...rest, name, monthlyCredits: given ?? 1 }, dependencies, now)
  // The default: the maximum cost of 31 days as far as the plan pays for it, even if nothing is charged yet.
  const usual = () =>
    Math.min(previewRuns(pricing, { ...terms, accountId }, now).month.runs * pagesOf(terms), creditsPerMonth)
  const monthlyCredits = given ?? Math.max(1, usual())
  requireBudget(pricing, terms, monthlyCredits)
  return { ...terms, monthlyCredits }
}

const costly = ['platforms', 'sources', 'depth', 'schedule', 'timezone', 'monthlyCredits'] as const

/** Whether changes of a watch affect its cost. */
export const isAboutCost = (changes: WatchChangesBody): boolean => costly.some((name) => changes[name] !== undefined)

/** A watch's settings as a body that would recreate it. */
const bodyOf = (watch: Watch): WholeBody => ({
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
  channelIds: watch.channels,
  reportsQuiet: watch.reports_quiet,
  mutedNews: watch.muted_news,
})

/** Changed terms, checked as new ones; the budget only if costs change. @throws ServiceError INVALID_REQUEST */
export function readChangedTerms(
  watch: Watch,
  changes: WatchChangesBody,
  dependencies: JobTermsDependencies & { pricing: Pricing },
  now: Date,
): WatchTerms {
  const { sources: before, ...stored } = bodyOf(watch)
  const { sources, state: _, ...others } = changes
  const named = sources === undefined ? before : (sources ?? undefined)
  const terms = readTerms({ ...stored, ...others, ...(named ? { sources: named } : {}) }, dependencies, now)
  if (isAboutCost(changes)) requireBudget(dependencies.pricing, terms, terms.monthlyCredits)
  return terms
}
