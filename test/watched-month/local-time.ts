// The instants of a schedule without the library that the product uses: every minute of a month is compared with the clock of the time zone.

const minuteMs = 60_000
const quarterMs = 15 * minuteMs

/** What a schedule asks of the local time; null: anything. */
export interface Rule {
  minute: number
  hours: readonly number[] | null
  weekday: number | null
  day: number | null
}

/** A moment with the local time as the UTC fields of `local`. */
interface LocalMinute {
  instant: Date
  local: Date
}

/** How far the clock of a time zone is ahead of UTC. */
function offsetOf(format: Intl.DateTimeFormat, moment: number): number {
  const part = Object.fromEntries(format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]))
  return Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!) - moment
}

/** Every minute of a time. Offsets change at a quarter of an hour. */
export function localMinutes(timezone: string, from: Date, until: Date): LocalMinute[] {
  const numeric = 'numeric'
  const format = new Intl.DateTimeFormat('en', {
    timeZone: timezone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
  })
  const minutes: LocalMinute[] = []
  for (let quarter = from.getTime(); quarter < until.getTime(); quarter += quarterMs) {
    const offset = offsetOf(format, quarter)
    for (let moment = quarter; moment < quarter + quarterMs; moment += minuteMs) {
      minutes.push({ instant: new Date(moment), local: new Date(moment + offset) })
    }
  }
  return minutes
}

const isDayOf = ({ weekday, day }: Rule, local: Date) =>
  (weekday === null || local.getUTCDay() === weekday) && (day === null || local.getUTCDate() === day)

/**
 * The instants of a rule. A time of a day that comes twice is the first of both; one that does not exist is the first moment after it. A rule
 * without hours runs in every hour that there is.
 */
export function instantsOf(rule: Rule, minutes: readonly LocalMinute[]): Date[] {
  if (rule.hours === null) {
    return minutes.filter(({ local }) => local.getUTCMinutes() === rule.minute).map(({ instant }) => instant)
  }
  const days = Map.groupBy(minutes, ({ local }) => local.toISOString().slice(0, 10))
  return [...days.values()].flatMap((ofDay) => {
    if (!isDayOf(rule, ofDay[0]!.local)) return []
    const start = ofDay[0]!.local.getUTCHours() * 60 + ofDay[0]!.local.getUTCMinutes()
    const end = ofDay.at(-1)!.local.getUTCHours() * 60 + ofDay.at(-1)!.local.getUTCMinutes()
    return rule.hours!.flatMap((hour) => {
      const time = hour * 60 + rule.minute
      // The time that is looked at begins or ends within this day.
      if (time < start || time > end) return []
      const later = ofDay.find(({ local }) => local.getUTCHours() * 60 + local.getUTCMinutes() >= time)
      return later ? [later.instant] : []
    })
  })
}
