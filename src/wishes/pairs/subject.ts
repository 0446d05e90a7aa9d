import { normaliseText } from '../../runtime/text/normalise.ts'
import { isStopWord, stemOf } from '../../runtime/text/words.ts'
import { type Side, sidesOf, titleStemOf } from './choices.ts'

/** Words of labels that say what kind of ticket it is, not which part of a product it is about. */
const kinds: ReadonlySet<string> = new Set(
  `feature features request requests requested fr rfe req suggestion suggestions suggest idea ideas proposal enhancement enhancements
  improvement improvements bug question discussion wish wishlist rfc story task todo wip backport cherry pick clone copy duplicate poll
  meta help please new dev`.split(/\s+/),
)

const maxLength = 40
const maxWords = 3
const before = new RegExp(`^\\s*(?:\\[([^\\]]{1,${maxLength}})\\]|\\(([^)]{1,${maxLength}})\\))[\\s:|–—-]*`, 'u')
const after = new RegExp(`[[(]([^[\\]()]{1,${maxLength}})[\\])]\\s*$`, 'u')
/** Not the colon of a time, an address or a namespace. */
const separated = new RegExp(`^\\s*([^:|]{1,${maxLength}}?)(?:\\s*:(?![:/\\p{N}])|\\s+[-–—|]+)\\s*(?=\\S)`, 'u')
const contraction = /(?<=\p{L})['’](?:d|ll|m|re|s|t|ve)(?!\p{L})/giu

const countWords = (label: string) => label.trim().split(/\s+/).length

/**
 * Splits a title such as `[Feature request] Android: dark mode (backport)` into its labels, here `Android`, and the rest, here
 * `dark mode`. Words that say what kind of ticket it is are left out.
 */
export function splitLabels(title: string): { labels: string[]; body: string } {
  const labels: string[] = []
  let body = title.replace(contraction, '')
  const wordsOf = (label: string) => normaliseText(label).split(' ')
  const end = after.exec(body)
  if (end !== null && countWords(end[1]!) <= maxWords && wordsOf(end[1]!).some((word) => kinds.has(word))) {
    body = body.slice(0, end.index).trimEnd()
  }
  for (;;) {
    const found = before.exec(body) ?? separated.exec(body)
    const label = found?.[1] ?? found?.[2] ?? ''
    if (found === null || countWords(label) > maxWords) return { labels, body }
    const words = wordsOf(label)
    if (words.some((word) => kinds.has(word))) labels.push(words.filter((word) => !kinds.has(word)).join(' '))
    else labels.push(label)
    body = body.slice(found[0].length)
  }
}

/** A word of a title, which people write alone or with its neighbours: `text field`, `textfield`. */
export interface TitleWord {
  stem: string
  /** In the singular. */
  plain: string
  /** With the word before or after it, or as a part of a name in camel case. */
  joined: readonly string[]
}

/** What a title is about, and in which part of a product. */
export interface Subject {
  /** Of the parts that stand before a colon, a dash or a bar, or in brackets. */
  labels: readonly TitleWord[]
  /** Of the rest. */
  body: readonly TitleWord[]
  /** Of all words. */
  stems: ReadonlySet<string>
  plain: ReadonlySet<string>
  joined: ReadonlySet<string>
  /** The sides of choices that the title takes. */
  sides: ReadonlySet<Side>
}

/** Cheaper than a stem, which would have to be made for every two neighbours. */
const singular = (word: string) => (word.endsWith('s') ? word.slice(0, -1) : word)

/** Where the parts of a name in camel case or with underscores end, which the normal form has after it; `index` where it is no such name. */
function endOfParts(words: readonly string[], index: number): number {
  const name = words[index]!
  let [joined, end] = ['', index + 1]
  while (joined.length < name.length && end < words.length) joined += words[end++]
  return joined === name && end > index + 2 ? end : index
}

/** These are stop words only as the ends of contractions, which titles lost before: Model S, A-M. */
const isTelling = (word: string) => word !== '' && (!isStopWord(word) || (word.length === 1 && /[dmst]/.test(word)))

/** The words of a part of a title; names of several words by their parts only. */
function titleWords(part: string, stem: (word: string) => string): TitleWord[] {
  const words = normaliseText(part).split(' ')
  const joined = words.map((): string[] => [])
  const parts: number[] = []
  for (const [index, word] of words.entries()) {
    const end = endOfParts(words, index)
    if (end === index) parts.push(index)
    for (let at = index + 1; at < end; at += 1) joined[at]!.push(singular(word))
  }
  for (const [position, next] of parts.slice(1).entries()) {
    const index = parts[position]!
    const form = singular(words[index]! + words[next]!)
    joined[index]!.push(form)
    joined[next]!.push(form)
  }
  return parts
    .filter((index) => isTelling(words[index]!))
    .map((index) => {
      const word = words[index]!
      return { stem: titleStemOf(word, stem), plain: singular(word), joined: joined[index]! }
    })
}

/** Whether a stem is a number or a version. */
export const isNumber = (stem: string): boolean => /^v?\p{N}+(?:dot\p{N}+)*$/u.test(stem)

/** What a title is about. @param stem of a word, as the search index has it */
export function subjectOf(title: string, stem: (word: string) => string = stemOf): Subject {
  const parts = splitLabels(title)
  const labels = parts.labels.flatMap((label) => titleWords(label, stem))
  const body = titleWords(parts.body, stem)
  const all = [...labels, ...body]
  const stems = new Set(all.map((word) => word.stem))
  const joined = new Set(all.flatMap((word) => word.joined))
  const sides = new Set([...stems, ...joined].flatMap(sidesOf))
  return { labels, body, stems, plain: new Set(all.map((word) => word.plain)), joined, sides }
}
