import { asDate } from '../../content/fields.ts'

const hourMs = 3_600_000
/** Clocks differ, and some feeds announce what appears within the day. */
const aheadMs = 24 * hourMs
/** Before there were feeds: a date that nobody set. */
const firstYear = 1990

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Hours from UTC of the zones of RFC 822, and of others that feeds write; a zone that is not here counts as UTC (RFC 5322, 4.3). */
const zones: Readonly<Record<string, number>> = {
  ...{ EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 },
  ...{ WEST: 1, BST: 1, CET: 1, CEST: 2, MEZ: 1, MESZ: 2, EET: 2, EEST: 3, MSK: 3 },
  ...{ JST: 9, KST: 9, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13 },
}

/** A weekday, which is often wrong, then day, month and year, then a time, then a zone. */
const mailForm =
  /^(?:\p{L}+\.?,?\s*)?(\d{1,2})[\s-]+([a-z]{3})[a-z]*\.?[\s-]+(\d{4}|\d{2})(?:,?\s+(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(.*))?$/iu

function zoneMs(text: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?/.exec(text) ?? []
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000)
  return (zones[/[a-z]+/i.exec(text)?.[0].toUpperCase() ?? ''] ?? 0) * hourMs
}

/** A date as mails have it (RFC 822, RFC 5322); null for one that the calendar does not have. */
function mailDate(text: string): Date | null {
  const [, day, name = '', shortYear = '', hour = '0', minute = '0', second = '0', zone = ''] =
    mailForm.exec(text) ?? []
  const month = months.indexOf(name.toLowerCase())
  if (month < 0) return null
  const written = Number(shortYear)
  const year = shortYear.length === 4 ? written : written + (written < 50 ? 2000 : 1900)
  const date = new Date(Date.UTC(year, month, Number(day)))
  if (date.getUTCMonth() !== month || Number(hour) > 24 || Number(minute) > 59 || Number(second) > 60) return null
  const timeMs = Number(hour) * hourMs + Number(minute) * 60_000 + Math.min(59, Number(second)) * 1_000
  return new Date(date.getTime() + timeMs - zoneMs(zone))
}

/** ISO 8601 (RFC 3339), of which `Date` would take days that the calendar does not have. */
function isoDate(text: string): Date | null {
  const [, year, month, day = '1'] = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:$|[T ])/.exec(text) ?? []
  if (year === undefined) return null
  const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return calendar.getUTCMonth() === Number(month) - 1 ? asDate(text) : null
}

/**
 * The first of these texts that is a date: of a day that exists, not before 1990, and at most a day ahead.
 * @param now what is later is a date that somebody made up
 */
export function feedDate(texts: readonly unknown[], now: Date): Date | null {
  for (const text of texts) {
    if (typeof text !== 'string' || text.length > 80) continue
    const trimmed = text.trim()
    const date = isoDate(trimmed) ?? mailDate(trimmed)
    if (date && date.getUTCFullYear() >= firstYear && date.getTime() <= now.getTime() + aheadMs) return date
  }
  return null
}
