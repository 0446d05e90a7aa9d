import { hourMs } from '../../../runtime/durations.ts'
import { asDate } from '../../content/fields.ts'

/** Clocks differ, and some feeds announce items of the same day. */
const aheadMs = 24 * hourMs
/** Earlier dates were never set: there were no feeds. */
const firstYear = 1990

/** Languages of known month names; no two of them use one name for different months. */
const languages =
  'en en-GB de de-AT fr ru uk es it pt nl pl cs sk sv da nb fi tr hu ro el bg id ca sl et lv lt vi ar he fa hi th'.split(
    ' ',
  )
let monthsByName: ReadonlyMap<string, number> | undefined

const nameForm = (name: string) => name.toLowerCase().normalize('NFKC').replace(/\.$/, '')

/** Month names, standalone and as written next to a day, long and short; ambiguous names are excluded. */
function readMonths(): ReadonlyMap<string, number> {
  const found = new Map<string, number>()
  const forms = (['long', 'short'] as const).flatMap((month) => [{ month }, { month, day: 'numeric' } as const])
  for (const language of languages) {
    for (const form of forms) {
      const written = new Intl.DateTimeFormat(`${language}-u-ca-gregory-nu-latn`, { ...form, timeZone: 'UTC' })
      for (let month = 0; month < 12; month++) {
        const part = written.formatToParts(Date.UTC(2021, month, 15)).find(({ type }) => type === 'month')
        const name = nameForm(part?.value ?? '')
        if (/^\p{L}/u.test(name)) found.set(name, (found.get(name) ?? month) === month ? month : -1)
      }
    }
  }
  return found
}

/** A month's number, from 0, by name or number; -1 if unknown. */
function monthOf(name: string): number {
  if (/^\d/.test(name)) return Number(name) - 1
  monthsByName ??= readMonths()
  const known = monthsByName.get(nameForm(name))
  // Also English abbreviations: Sept, Octob.
  return known ?? (/^[a-z]+$/i.test(name) ? (monthsByName.get(name.slice(0, 3).toLowerCase()) ?? -1) : -1)
}

/** UTC offsets in hours of RFC 822 zones and others that feeds use; an unknown zone counts as UTC (RFC 5322, 4.3). */
const zones: Readonly<Record<string, number>> = {
  ...{ EST: -5, EDT: -4, CST: -6, CDT: -5, MST: -7, MDT: -6, PST: -8, PDT: -7 },
  ...{ WEST: 1, BST: 1, CET: 1, CEST: 2, MEZ: 1, MESZ: 2, EET: 2, EEST: 3, MSK: 3 },
  ...{ JST: 9, KST: 9, AEST: 10, AEDT: 11, NZST: 12, NZDT: 13 },
}

/** Orders of day, month and year. Two numbers count as day and month only with dots: slashes are ambiguous. */
const dayForms = [
  /^(?<day>\d{1,2})(?:\.|er|º|ª|st|nd|rd|th)?[\s-]*(?:de |of )?(?<month>\p{L}+)\.?,?[\s-]+(?:del? )?(?<year>\d{4}|\d{2})(?!\d)/iu,
  /^(?<day>\d{1,2})\. ?(?<month>\d{1,2})\. ?(?<year>\d{4}|\d{2})(?!\d)/,
  /^(?<month>\p{L}+)\.? (?<day>\d{1,2})(?:st|nd|rd|th)?,? (?<year>\d{4})(?!\d)/iu,
  /^(?<year>\d{4})[-/.年] ?(?<month>\d{1,2})[-/.月] ?(?<day>\d{1,2})日?(?!\d)/,
]
/** A time and zone, after a few words such as "um". */
const timeForm =
  /^[^\d+]{0,8}(?<hour>\d{1,2})[:.h](?<minute>\d{2})(?:[:.](?<second>\d{2})(?:[.,]\d+)?)?\s*(?<half>[ap]\.?m\b\.?)?(?<zone>.*)$/i
/** Unix clock output: the time precedes the year. */
const clockForm = /^(\p{L}+ \p{L}+ \d{1,2}) (\d{1,2}:\d{2}(?::\d{2})?)(.*) (\d{4})$/u

function zoneMs(text: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d{1,2}):?(\d{2})?/.exec(text) ?? []
  if (sign !== undefined) return (sign === '-' ? -1 : 1) * (Number(hours) * hourMs + Number(minutes) * 60_000)
  return (zones[/[a-z]+/i.exec(text)?.[0].toUpperCase() ?? ''] ?? 0) * hourMs
}

/** Parses a date as written in mails (RFC 5322) and pages, in any known language; null if no such day exists. */
function writtenDate(given: string): Date | null {
  const text = given.replace(/\s+/g, ' ').replace(clockForm, '$1 $4 $2$3')
  // Skips a weekday, which is often wrong, and an article.
  const parts = [text, text.replace(/^\p{L}+\.?,? ?/u, ''), text.replace(/^\p{L}+\.?,? ?\p{L}+\.?,? ?/u, '')]
  for (const part of parts) {
    for (const form of dayForms) {
      const found = form.exec(part)
      const month = monthOf(found?.groups?.month ?? '')
      if (found && month >= 0) return dateOf(found.groups!, month, part.slice(found[0].length))
    }
  }
  return null
}

function dateOf({ day, year: written = '' }: Record<string, string>, month: number, rest: string): Date | null {
  const year = written.length === 4 ? Number(written) : Number(written) + (Number(written) < 50 ? 2000 : 1900)
  const date = new Date(Date.UTC(year, month, Number(day)))
  const time = timeForm.exec(rest)?.groups ?? {}
  const { minute = '0', second = '0', half, zone = '' } = time
  if (time.hour === undefined && /\d/.test(rest)) return null
  const hour = half ? (Number(time.hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(time.hour ?? 0)
  if (date.getUTCMonth() !== month || hour > 24 || Number(minute) > 59 || Number(second) > 60) return null
  const timeMs = hour * hourMs + Number(minute) * 60_000 + Math.min(59, Number(second)) * 1_000
  return new Date(date.getTime() + timeMs - zoneMs(zone))
}

/** Parses ISO 8601 (RFC 3339) strictly: `Date` would accept days that do not exist. */
function isoDate(text: string): Date | null {
  const [, year, month, day = '1'] = /^(\d{4})-(\d\d)(?:-(\d\d))?(?:$|[T ](?!.*[a-y]))/i.exec(text) ?? []
  if (year === undefined) return null
  const calendar = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return calendar.getUTCMonth() === Number(month) - 1 ? asDate(text) : null
}

/** The first text that is an existing date, not before 1990 and at most a day after `now`. */
export function feedDate(texts: readonly unknown[], now: Date): Date | null {
  for (const text of texts) {
    if (typeof text !== 'string' || text.length > 80) continue
    const trimmed = text.trim()
    const date = isoDate(trimmed) ?? writtenDate(trimmed)
    if (date && date.getUTCFullYear() >= firstYear && date.getTime() <= now.getTime() + aheadMs) return date
  }
  return null
}
