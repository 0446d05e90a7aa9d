import type { BriefQuote, BriefWish } from '../schemas.ts'
import { proven } from './words.ts'

// Numbers and dates in a sentence, in digits and in words.

const units =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const values = new Map<string, number>([
  ...units.map((word, value) => [word, value] as const),
  ...tens.map((word, at) => [word, 20 + 10 * at] as const),
  ['dozen', 12],
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
])
const numberWord = `(?:${[...values.keys()].join('|')})`
/** A number in digits, with commas or points between thousands, or in words. */
const numberSource = `[+−-]?\\d{1,3}(?:[,.' ]\\d{3})+(?!\\d)|[+−-]?\\d+|(?:a )?${numberWord}(?:[ -](?:and )?${numberWord})*`

/** The value of a number as `numberSource` matches it; NaN for words that are no number. */
function amountOf(text: string): number {
  if (/\d/.test(text)) return Number(text.replace(/[,.' +]/g, '').replace('−', '-'))
  let [sum, part] = [0, 0]
  for (const word of text.toLowerCase().split(/[ -]+/)) {
    if (word === 'a' || word === 'and') continue
    const value = values.get(word) ?? Number.NaN
    if (value >= 1_000) [sum, part] = [sum + (part || 1) * value, 0]
    else if (value === 100 || word === 'dozen') part = (part || 1) * value
    else part += value
  }
  return sum + part
}

/** Whether any number is left in a text, in digits or in words. */
export const leftNumber = (text: string): string | null =>
  new RegExp(`\\p{N}+|\\b(?:${[...values.keys()].filter((word) => word !== 'one').join('|')})s?\\b|\\d*%`, 'iu').exec(
    text,
  )?.[0] ?? null

const bound =
  /\b(?:over|above|under|below|nearly|almost|least|most|than|up to|only|just|roughly|around|approximately)\s*$/i

const days = '(?:in|over|within) (?:the )?(?:last |past )?(7|seven|30|thirty) days'
const growthPattern = new RegExp(`(?:gained |grew by )?(${numberSource}) (?:more )?votes? ${days}`, 'giu')
const countPattern = new RegExp(
  `(${numberSource}) (votes?|upvotes?|requests?|posts?|people|persons?|voices?|authors?|platforms?|sites?)\\b(?: on ([\\p{L}\\p{N} ]{1,20}))?`,
  'giu',
)

/** What is counted of a wish, by the words for it. */
function allowedOf(wish: BriefWish, unit: string, platform: BriefWish['platforms'][number] | undefined): number[] {
  const of = platform ?? wish
  if (/^(?:up)?votes?$/.test(unit)) return [of.votes]
  if (/^(?:requests?|posts?)$/.test(unit)) return [platform === undefined ? wish.requestCount : platform.requests]
  if (platform !== undefined) return []
  if (/^(?:platforms?|sites?)$/.test(unit)) return [wish.platforms.length]
  return unit.startsWith('author') ? [wish.authors] : [wish.voices]
}

export interface Figures {
  /** The sentence without the numbers and dates that are proved. */
  rest: string
  /** Why one is not; null where all are. */
  fault: string | null
}

/**
 * Proves the counts of a sentence by the one wish that it names.
 * @param titleOf the name of a platform as people write it.
 */
export function proveCounts(text: string, wish: BriefWish | null, titleOf: (platform: string) => string): Figures {
  let fault: string | null = null
  const fail = (what: string) => {
    fault ??= `counts ${what}`
    return ' '
  }
  const grown = text.replace(growthPattern, (whole, amount: string, period: string, at: number) => {
    const { days7 = null, days30 = null } = wish?.growth ?? {}
    const growth = /^(?:7|seven)$/i.test(period) ? days7 : days30
    return growth !== null && amountOf(amount) === growth && !bound.test(text.slice(0, at)) ? proven : fail(whole)
  })
  const rest = grown.replace(
    countPattern,
    (whole, amount: string, unit: string, place: string | undefined, at: number) => {
      if (wish === null || bound.test(grown.slice(0, at))) return fail(whole)
      const named = place?.trim().toLowerCase()
      const platform =
        named === undefined
          ? undefined
          : wish.platforms.find((one) =>
              [one.platform, titleOf(one.platform).toLowerCase()].some((name) => named.startsWith(name)),
            )
      if (!allowedOf(wish, unit.toLowerCase(), platform).includes(amountOf(amount))) return fail(whole)
      // The place is proved by itself.
      return place === undefined ? proven : `${proven}on ${place}`
    },
  )
  return { rest, fault }
}

const months = 'January February March April May June July August September October November December'.split(' ')
const month = `(?:${months.join('|')})`
/** What a date is the date of, by the words before it. */
const roles = {
  first: '(?:first (?:asked|requested|posted)(?: for)?|(?:asked for )?since|going back to)(?: on| in)?',
  last: '(?:last|latest|most recently)(?: (?:asked|requested|posted)(?: for)?)?(?: on| in)?',
  status: '(?:planned|completed|done|shipped|declined|in progress)(?: since| on| in)?',
  wrote: '(?:wrote|written|posted|asked|said|dated|[,(¤])(?: it| so| this)?(?: on| in)?',
}
const datePattern = new RegExp(
  `(?:${Object.entries(roles)
    .map(([name, words]) => `(?<${name}>${words})`)
    .join(
      '|',
    )})?\\s*\\b(?:(?<iso>\\d{4}-\\d\\d-\\d\\d)|(?<d1>\\d{1,2}) (?<m1>${month}),? (?<y1>\\d{4})|(?<m2>${month}) (?<d2>\\d{1,2}), (?<y2>\\d{4})|(?<m3>${month}) (?<y3>\\d{4})|(?<y4>(?:19|20)\\d\\d))\\b`,
  'giu',
)

type Groups = Record<string, string | undefined>

/** A date as it begins in ISO 8601: YYYY, YYYY-MM or YYYY-MM-DD. */
function isoOf({ iso, d1, m1, y1, m2, d2, y2, m3, y3, y4 }: Groups): string {
  if (iso !== undefined) return iso
  const [name, year, day] = [m1 ?? m2 ?? m3, y1 ?? y2 ?? y3, d1 ?? d2]
  if (name === undefined) return y4 ?? ''
  const at = String(months.findIndex((one) => one.toLowerCase() === name.toLowerCase()) + 1).padStart(2, '0')
  return [year, at, ...(day === undefined ? [] : [day.padStart(2, '0')])].join('-')
}

/** Proves the dates of a sentence: by when its wish was first and last asked for, when its status changed, or when its quotations were posted. */
export function proveDates(text: string, wish: BriefWish | null, quotes: readonly BriefQuote[]): Figures {
  let fault: string | null = null
  const rest = text.replace(datePattern, (whole, ...given) => {
    const groups = given.at(-1) as Groups
    const { first, last, status, wrote } = groups
    const dates = [
      first === undefined ? null : wish?.firstAskedAt,
      last === undefined ? null : wish?.lastAskedAt,
      status === undefined ? null : wish?.statusFrom?.changedAt,
      // Of several quotations nobody knows which one it is of.
      wrote === undefined || quotes.length !== 1 ? null : quotes[0]!.postedAt,
    ]
    const iso = isoOf(groups)
    if (!dates.some((date) => date?.startsWith(iso))) fault ??= `dates ${whole.trim()}`
    // The word of a status is proved by itself.
    return status === undefined ? proven : ` ${status.replace(/ (?:since|on|in)$/i, '')} `
  })
  return { rest, fault }
}
