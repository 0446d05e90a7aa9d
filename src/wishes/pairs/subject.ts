import { normaliseText } from '../../runtime/text/normalise.ts'
import { endOfParts, inOneForm } from '../../runtime/text/same-words.ts'
import { stemInOneSpelling } from '../../runtime/text/spellings.ts'
import { isStopWord } from '../../runtime/text/words.ts'
import written from './choices.json' with { type: 'json' }

/**
 * Choices, one per line, with sides separated by bars: titles on different sides ask for different things. `platforms`
 * are what software runs on; words of a side are the same in `synonyms`, of one kind in `families`.
 */
const { platforms, synonyms, families } = written
const choices = [platforms, ...synonyms, ...families]

/** A choice and one of its sides, encoded in a number. */
type Side = number
const maxSides = 100
const choiceOf = (side: Side) => Math.floor(side / maxSides)

/** Words whose stems are other words: window, HTTP, IO. */
const unstemmed = new Set(['windows', 'https', 'ios'])
const titleStemOf = (word: string, stem: (word: string) => string = stemInOneSpelling): string =>
  unstemmed.has(word) ? word : stem(word)

const sides = new Map<string, Side[]>()
for (const [choice, line] of choices.entries()) {
  for (const [side, words] of line.split(' | ').entries()) {
    for (const form of new Set(words.split(' ').map((word) => titleStemOf(word)))) {
      sides.set(form, [...(sides.get(form) ?? []), choice * maxSides + side])
    }
  }
}

const none: readonly Side[] = []
/** The sides that a stem takes, ignoring a version at its end: `ios7`. */
export const sidesOf = (stem: string): readonly Side[] =>
  sides.get(stem) ?? (/\p{N}$/u.test(stem) ? sides.get(stem.replace(/\p{N}+$/u, '')) : undefined) ?? none

export const isOfPlatforms = (side: Side): boolean => choiceOf(side) === 0
/** Whether the words of a side are synonyms. */
export const hasSynonyms = (side: Side): boolean => choiceOf(side) <= synonyms.length

/** Whether each takes a side of a choice that the other does not: Android and iOS. */
export function areOpposed(one: ReadonlySet<Side>, other: ReadonlySet<Side>): boolean {
  const aloneIn = (some: ReadonlySet<Side>, others: ReadonlySet<Side>) =>
    [...some].filter((side) => !others.has(side)).map(choiceOf)
  const ofOther = new Set(aloneIn(other, one))
  return aloneIn(one, other).some((choice) => ofOther.has(choice))
}

/** Label words for the kind of ticket, not for a part of a product. */
const kinds: ReadonlySet<string> = new Set(
  `feature features request requests requested fr rfe req suggestion suggestions suggest idea ideas proposal enhancement enhancements
  improvement improvements bug question discussion wish wishlist rfc story task todo wip backport cherry pick clone copy duplicate poll
  meta help please new dev ask show tell hn`.split(/\s+/),
)

const maxLength = 40
const maxWords = 3
const before = new RegExp(`^\\s*(?:\\[([^\\]]{1,${maxLength}})\\]|\\(([^)]{1,${maxLength}})\\))[\\s:|–—-]*`, 'u')
const after = new RegExp(`[[(]([^[\\]()]{1,${maxLength}})[\\])]\\s*$`, 'u')
/** Excludes the colons of times, addresses and namespaces. */
const separated = new RegExp(`^\\s*([^:|]{1,${maxLength}}?)(?:\\s*:(?![:/\\p{N}])|\\s+[-–—|]+)\\s*(?=\\S)`, 'u')
const contraction = /(?<=\p{L})['’](?:d|ll|m|re|s|t|ve)(?!\p{L})/giu

const countWords = (label: string) => label.trim().split(/\s+/).length

/** Splits `[Feature request] Android: dark mode (backport)` into the labels `Android` and the rest `dark mode`. */
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

/** A word of a title. People write some alone or joined: `text field`, `textfield`. */
export interface TitleWord {
  stem: string
  plain: string
  /** Joined with a neighbor, or as part of a camelCase name. */
  joined: readonly string[]
  isPart: boolean
}

/** What a title is about, including the part of a product. */
export interface Subject {
  /** The words before a colon, dash or bar, or in brackets. */
  labels: readonly TitleWord[]
  /** The other words. */
  body: readonly TitleWord[]
  /** The stems of all separate words. Parts of a name in a label do not count: `MobileWeb:` has no web. */
  stems: ReadonlySet<string>
  plain: ReadonlySet<string>
  joined: ReadonlySet<string>
  sides: ReadonlySet<Side>
  /** Stop words that change the meaning of others, sorted. */
  relations: string
  /** Words that name the product, in the singular: they say nothing about the wish. */
  names: ReadonlySet<string>
}

/** Cheaper than stemming every pair of neighbors. */
const singular = (word: string) => (word.endsWith('s') && !unstemmed.has(word) ? word.slice(0, -1) : word)

/** Single letters are stop words only as ends of contractions, already removed here: Model S, A-M. */
const isTelling = (word: string) => word !== '' && (!isStopWord(word) || (word.length === 1 && /[dmst]/.test(word)))

/** The words of a part of a title; compound names only by their parts. */
function titleWords(part: string, stem: (word: string) => string): TitleWord[] {
  const words = inOneForm(normaliseText(part).split(' '), stem)
  const joined = words.map((): string[] => [])
  const parts: number[] = []
  for (const [index, word] of words.entries()) {
    const end = endOfParts(words, index)
    if (end === index) parts.push(index)
    for (let at = index + 1; at < end; at += 1) joined[at]!.push(singular(word))
  }
  const isPart = joined.map((names) => names.length > 0)
  for (const [position, next] of parts.slice(1).entries()) {
    const index = parts[position]!
    const form = words[index]! + singular(words[next]!)
    joined[index]!.push(form)
    joined[next]!.push(form)
  }
  return parts
    .filter((index) => isTelling(words[index]!))
    .map((index) => {
      const word = words[index]!
      return { stem: titleStemOf(word, stem), plain: singular(word), joined: joined[index]!, isPart: isPart[index]! }
    })
}

/** Whether a stem is a number or a version. */
export const isNumber = (stem: string): boolean => /^v?\p{N}+(?:dot\p{N}+)*$/u.test(stem)

/** Stop words that can change the wish: `imageAs` and `imageWith`, a tab and any tab. */
const relations: ReadonlySet<string> = new Set(
  `after all any as before between by each few from into more most no nor not off only other out over own same than through under until
  up with`.split(/\s+/),
)

/** Spells out negations: `can't` is the opposite of `can`. */
const withNegations = (title: string): string =>
  title
    .replace(/\bcan(?:['’]t|not)\b/giu, 'can not')
    .replace(/\bwon['’]t\b/giu, 'will not')
    .replace(/n['’]t\b/giu, ' not')

/** What a title is about. @param names of its product, as lists of words @param stem as the search index stems */
export function subjectOf(
  written: string,
  names: readonly (readonly string[])[] = [],
  stem: (word: string) => string = stemInOneSpelling,
): Subject {
  const title = withNegations(written)
  const parts = splitLabels(title)
  const labels = parts.labels.flatMap((label) => titleWords(label, stem))
  const body = titleWords(parts.body, stem)
  const all = [...labels, ...body]
  const stems = new Set([...labels.filter(({ isPart }) => !isPart), ...body].map((word) => word.stem))
  const joined = new Set(all.flatMap((word) => word.joined))
  const sides = new Set([...all.map((word) => word.stem), ...joined].flatMap(sidesOf))
  const plain = new Set(all.map((word) => word.plain))
  return {
    ...{ labels, body, stems, plain, joined, sides },
    relations: [...new Set(inOneForm(normaliseText(title).split(' '), stem))]
      .filter((word) => relations.has(word))
      .sort()
      .join(' '),
    names: new Set(names.flat().map(singular)),
  }
}
