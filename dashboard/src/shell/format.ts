import { largestWholeUnit } from '../../../src/cli/relative-time.ts'
import { importTitle, platformTitle } from '../../../src/platforms/titles.ts'
import { formatTexts } from '../texts/format.ts'
import { language, locale } from '../texts/locale.ts'

const numbers = new Intl.NumberFormat(locale)
/** One form of a date in all that is English: of the page, of shared pages and of briefs. */
const dateLocale = language === 'en' ? 'en-GB' : locale
const dates = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat(dateLocale, { dateStyle: 'medium', timeZone: 'UTC' })
const lists = new Intl.ListFormat(locale, { type: 'conjunction' })

export const number = (value: number): string => numbers.format(value)
const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** A size in the unit in which it has few digits: `66 GB`. */
export function bytes(size: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, size)) / 3))
  const unit = { style: 'unit', unit: byteUnits[power], maximumFractionDigits: 1 } as const
  return new Intl.NumberFormat(locale, unit).format(size / 1000 ** power)
}

const shares = new Intl.NumberFormat(locale, { style: 'percent' })
const dollars = new Intl.NumberFormat(locale, {
  style: 'currency',
  currency: 'USD',
  currencyDisplay: 'narrowSymbol',
  trailingZeroDisplay: 'stripIfInteger',
})
/** A price in US dollars: `$10`, `$9.50`. */
export const usd = (amount: number): string => dollars.format(amount)
/** A share of 0 to 1. */
export const percent = (share: number): string => shares.format(share)
export const signed = (value: number): string => (value > 0 ? `+${number(value)}` : number(value))
/** A day, `3 Nov 2026`: a UTC day, YYYY-MM-DD, as it is; of a moment the day of this browser. */
export const date = (day: string): string => (day.length === 10 ? days : dates).format(new Date(day))
/** A moment, `3 Nov 2026, 14:05`. */
export const dateAndTime = (moment: string): string => moments.format(new Date(moment))

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'always' })
const brief = new Intl.RelativeTimeFormat(locale, { style: 'narrow', numeric: 'always' })

/** How long ago a moment was, by the same rule as the command: `3 months ago`. */
export function ago(moment: string): string {
  const past = largestWholeUnit(new Date(moment), new Date())
  return past === null ? formatTexts.justNow : relative.format(-past.amount, past.unit)
}

/** The same in a few characters: `3d ago`. */
export function agoBriefly(moment: string): string {
  const past = largestWholeUnit(new Date(moment), new Date())
  return past === null ? formatTexts.now : brief.format(-past.amount, past.unit)
}

const monthNames = new Intl.DateTimeFormat(dateLocale, { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** The name of a period by its first UTC day and that of the next one: a day or week by its first day, a month, a year. */
export function utcPeriod(from: string, next: string | undefined): string {
  const days = next === undefined ? 0 : (Date.parse(next) - Date.parse(from)) / 86_400_000
  if (days > 31) return from.slice(0, 4)
  if (days > 7 || (next === undefined && from.endsWith('-01'))) return monthNames.format(new Date(from))
  return date(from)
}

const weekdayNames = new Intl.DateTimeFormat(locale, { weekday: 'long', timeZone: 'UTC' })

/** @param day 0 is Sunday, as in cron expressions. */
export const weekdayName = (day: number): string => weekdayNames.format(new Date(Date.UTC(2026, 0, 4 + day)))

/** The time until a moment. */
export function inHowLong(moment: string): string {
  const left = largestWholeUnit(new Date(), new Date(moment))
  return left === null ? formatTexts.inAMoment : relative.format(left.amount, left.unit)
}

/** A moment as the clocks of a time zone show it; of this browser for a zone that it does not know. */
export function momentIn(moment: string, timeZone: string): string {
  const parts = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  } as const
  const zone = isTimeZone(timeZone) ? { timeZone } : {}
  return new Intl.DateTimeFormat(dateLocale, { ...parts, ...zone }).format(new Date(moment))
}

/** Whether this browser knows a time zone by this name. */
export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat(locale, { timeZone: name })
    return name !== ''
  } catch {
    return false
  }
}

/** The time zone of this browser. */
export const ownTimeZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Names in a sentence: `GitHub, GitLab and X`. */
export const conjunction = (names: readonly string[]): string => lists.format(names)

/** A duration in whole seconds or minutes. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 120 ? `${number(seconds)} s` : `${number(Math.round(seconds / 60))} min`
}

/** Two letters that stand for a platform where there is no room. */
export function platformCode(platform: string): string {
  const [first = '', second] = platformTitle(platform).match(/\p{Lu}/gu) ?? []
  return second === undefined ? platformTitle(platform).slice(0, 2) : first + second
}

export { importTitle, platformTitle }
