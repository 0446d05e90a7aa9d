import type { ChannelCadence } from '../../../database/tables/notifications.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timezone, format)
  return format
}

/** A time zone's clock at an instant, as if it were UTC, in ms. */
function localClock(instant: number, timezone: string): number {
  const parts = Object.fromEntries(
    formatOf(timezone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number>
  return Date.UTC(parts.year!, parts.month! - 1, parts.day, parts.hour, parts.minute, parts.second)
}

/** The instant of a local time: an hour later if skipped, the first if repeated. */
function instantOf(local: number, timezone: string): number {
  const candidates = [-24, 0, 24].map((hours) => {
    const near = local + hours * 3_600_000
    return local - (localClock(near, timezone) - near)
  })
  const exact = candidates.filter((instant) => localClock(instant, timezone) === local)
  return exact.length > 0 ? Math.min(...exact) : Math.max(...candidates)
}

const monday = 1

export interface DigestSchedule {
  cadence: Exclude<ChannelCadence, 'now'>
  timezone: string
  /** Of the local day, 0 to 23. */
  hour: number
}

/** The next digest after a moment: each day, or each Monday, at the local hour. */
export function nextDigest(after: Date, { cadence, timezone, hour }: DigestSchedule): Date {
  const local = new Date(localClock(after.getTime(), timezone))
  // Two weeks of days suffice, even if a zone skipped a Monday.
  for (let days = 0; days <= 14; days++) {
    const clock = Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate() + days, hour)
    if (cadence === 'weekly' && new Date(clock).getUTCDay() !== monday) continue
    const instant = instantOf(clock, timezone)
    if (instant > after.getTime()) return new Date(instant)
  }
  throw new Error(`no digest within two weeks in ${timezone}`)
}
