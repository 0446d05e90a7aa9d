const numbers = new Intl.NumberFormat('en')
const compactNumbers = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' })
const days = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

export const number = (value: number): string => numbers.format(value)
export const compact = (value: number): string => compactNumbers.format(value)
export const signed = (value: number): string => (value > 0 ? `+${number(value)}` : number(value))
export const date = (moment: string): string => dates.format(new Date(moment))
export const dateAndTime = (moment: string): string => moments.format(new Date(moment))
/** A UTC day, YYYY-MM-DD or a moment in it. */
export const utcDay = (day: string): string => days.format(new Date(day))

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${number(count)} ${count === 1 ? one : many}`

const minute = 60_000
const units: [unit: Intl.RelativeTimeFormatUnit, ms: number, upTo: number][] = [
  ['minute', minute, 60 * minute],
  ['hour', 60 * minute, 24 * 60 * minute],
  ['day', 1440 * minute, 30 * 1440 * minute],
  ['month', 43_800 * minute, 525_600 * minute],
  ['year', 525_600 * minute, Number.POSITIVE_INFINITY],
]

/** How long ago, or in how long, in the largest unit that says something. */
export function ago(moment: string, now = Date.now()): string {
  const difference = Date.parse(moment) - now
  if (Math.abs(difference) < minute) return 'just now'
  const [unit, ms] = units.find(([, , upTo]) => Math.abs(difference) < upTo) ?? units[4]!
  return relative.format(Math.round(difference / ms), unit)
}

/** How long something takes, in whole seconds or minutes. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

const platformNames: Record<string, string> = {
  github: 'GitHub',
  hackernews: 'Hacker News',
  stackexchange: 'Stack Exchange',
  discourse: 'Discourse',
  lemmy: 'Lemmy',
  gitlab: 'GitLab',
  reddit: 'Reddit',
  x: 'X',
  youtube: 'YouTube',
  bluesky: 'Bluesky',
}

/** A platform as people write it. */
export const platformTitle = (platform: string): string => platformNames[platform] ?? platform
