import { createHash } from 'node:crypto'
import { Cron } from 'croner'
import type { Pricing } from '../accounts/plans.ts'
import { costOf, type pagesOf } from '../collecting/scraping/jobs.ts'
import { topicKey } from '../platforms/topic-words.ts'

const schedulePresets = ['hourly', 'daily', 'weekly', 'monthly'] as const

type Preset = (typeof schedulePresets)[number]

export interface Schedule {
  /** `hourly`, `daily`, `weekly`, `monthly` or a five-field cron expression. */
  schedule: string
  /** An IANA name, such as `Europe/Berlin`. */
  timezone: string
  /** With the topic, it determines a preset's minute. */
  accountId: string
  topic: string
}

const isPreset = (schedule: string): schedule is Preset => (schedulePresets as readonly string[]).includes(schedule)

/** A preset's cron expression. Account and topic set what it leaves open, which spreads watches predictably. */
function expressionOf({ schedule, accountId, topic }: Schedule): string {
  if (!isPreset(schedule)) return schedule
  const hash = createHash('sha256')
    .update(`${accountId} ${topicKey(topic)}`)
    .digest()
  const minute = hash.readUInt32BE(0) % 60
  // At night, so that results are there in the morning.
  const hour = hash.readUInt32BE(4) % 6
  const weekday = hash.readUInt32BE(8) % 7
  const day = 1 + (hash.readUInt32BE(12) % 28)
  const expressions: Record<Preset, string> = {
    hourly: `${minute} * * * *`,
    daily: `${minute} ${hour} * * *`,
    weekly: `${minute} ${hour} * * ${weekday}`,
    monthly: `${minute} ${hour} ${day} * *`,
  }
  return expressions[schedule]
}

/** The next `count` instants of a schedule. */
export const nextInstants = (schedule: Schedule, after: Date, count: number): Date[] =>
  new Cron(expressionOf(schedule), { timezone: schedule.timezone, mode: '5-part', paused: true }).nextRuns(count, after)

/** The next instant of a schedule. */
export function nextInstant(schedule: Schedule, after: Date): Date {
  const [next] = nextInstants(schedule, after, 1)
  // Refused when it was stored.
  if (next === undefined) throw new Error(`the schedule ${schedule.schedule} has no further instant`)
  return next
}

/** The most instants in a month: hourly, in 31 days. */
const maxInstants = 31 * 24

/** How many instants a schedule has in the next 31 days, ignoring daylight saving. */
export function countInstants(schedule: Schedule, after: Date): number {
  const expression = expressionOf(schedule)
  if (/^\d+ \* \* \* \*$/.test(expression)) return maxInstants
  const until = after.getTime() + 31 * 24 * 3600_000
  // Many times faster than with a time zone.
  const instants = new Cron(expression, { utcOffset: 0, mode: '5-part', paused: true }).nextRuns(maxInstants, after)
  return instants.filter((instant) => instant.getTime() <= until).length
}

const cronForm =
  'must be hourly, daily, weekly, monthly or a cron expression of five fields, such as "15 8 * * MON", whose minute is one number: it runs hourly at most'

/** A field in the syntax that every cron supports. */
const field = /^(?:\*|[0-9]{1,2}|[A-Za-z]{3})(?:-(?:[0-9]{1,2}|[A-Za-z]{3}))?(?:\/[0-9]{1,2})?$/

function isCron(schedule: string): boolean {
  const [minute = '', ...others] = schedule.split(/ +/)
  return (
    /^[0-5]?[0-9]$/.test(minute) &&
    others.length === 4 &&
    others.every((text) => text.split(',').every((part) => field.test(part)))
  )
}

/** @returns what is wrong with a schedule; null if nothing. */
export function faultOfSchedule(schedule: string, now: Date): string | null {
  if (isPreset(schedule)) return null
  if (!isCron(schedule)) return cronForm
  try {
    const [next] = nextInstants({ schedule, timezone: 'UTC', accountId: '', topic: '' }, now, 1)
    return next === undefined ? 'has no instant: there is no such day' : null
  } catch {
    // A number out of range, or a name that is no day or month.
    return cronForm
  }
}

const shownRuns = 5

/** A watch's next runs, and the maximum cost of them and of 31 days. @param monthlyCredits its budget */
export function previewRuns(
  pricing: Pricing,
  terms: Schedule & Parameters<typeof pagesOf>[0] & { monthlyCredits?: number | undefined },
  now: Date,
) {
  const { monthlyCredits = Number.POSITIVE_INFINITY } = terms
  const maxCredits = costOf(pricing, terms)
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
