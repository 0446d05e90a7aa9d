import { invalidField } from '../../http/validation.ts'
import { normaliseQuery, normaliseText } from './text.ts'

/** A query has at most this many different words; those after them are ignored. */
export const queryWordLimit = 32
/** Each phrase and exclusion is checked on every row that is considered. */
const conditionLimit = 10

/** Words that must stand side by side, in each of the forms in which a text may have them. */
export type Phrase = readonly string[]

export interface ParsedQuery {
  /** The different words to look for, those of the phrases too. */
  words: string[]
  /** Every one of these must be in the text … */
  phrases: Phrase[]
  /** … and none of these. */
  excluded: Phrase[]
  /** The beginning of a word that may go on; null unless the search is by prefix. */
  prefix: string | null
}

/** The stop words of Snowball's English stemmer, and what is left of its contractions without their apostrophe. */
const stopWords = new Set(
  `a about above after again against all am an and any are aren as at be because been before being below between both
  but by can couldn d did didn do does doesn doing don down during each few for from further had hadn has hasn have haven
  having he her here hers herself him himself his how i if in into is isn it its itself just ll m me mightn more most
  mustn my myself needn no nor not now of off on once only or other our ours ourselves out over own re s same shan she
  should shouldn so some such t than that the their theirs them themselves then there these they this those through to
  too under until up ve very was wasn we were weren what when where which while who whom why will with won wouldn you
  your yours yourself yourselves`.split(/\s+/),
)

/** Whether a word is so common that a query omits it where it has others. */
export const isStopWord = (word: string): boolean => stopWords.has(word)

const wordsOf = (text: string) => normaliseQuery(text).split(' ').filter(Boolean)

/** The different words by which a text is searched: not the stop words, unless it has nothing else. */
export function tellingWords(text: string): string[] {
  const words = [...new Set(wordsOf(text))]
  const telling = words.filter((word) => !isStopWord(word))
  return (telling.length > 0 ? telling : words).slice(0, queryWordLimit)
}

/** As typed, in lower case (a name in one word) and in parts: `darkMode`, `darkmode`, `dark mode`. */
function phraseOf(text: string): Phrase {
  const inParts = text.replace(/(?<=\p{Ll})(?=\p{Lu})|_+/gu, ' ')
  const forms = [text, text.toLowerCase(), inParts].map((form) => normaliseText(form))
  return [...new Set(forms)].filter((form) => form !== '')
}

/** `"some words"`, `-"some words"` or `-word`; a minus counts only where a word could begin. */
const syntax = /(?<![^\s(])(?<minus>-)?"(?<phrase>[^"]*)"|(?<!\S)-(?<word>[^\s"-][^\s"]*)/gu
const typographicQuotes = /[“”„‟«»＂]/gu

/**
 * Reads what a user typed: any of the words may match, a quoted phrase must, and what has a minus before it must not. Every
 * other character only parts words.
 * @param prefix whether the last word may go on; not if it ends a phrase or is left out
 * @throws ServiceError INVALID_REQUEST for a query with exclusions only, and for too many phrases and exclusions.
 */
export function parseQuery(query: string, { prefix = false } = {}): ParsedQuery {
  const typed = query.replace(typographicQuotes, '"')
  const phrases: Phrase[] = []
  const excluded: Phrase[] = []
  const asked = typed.replace(syntax, (...match) => {
    const { minus, phrase, word } = match.at(-1) as Record<'minus' | 'phrase' | 'word', string | undefined>
    const forms = phraseOf(phrase ?? word ?? '')
    if (minus !== undefined || word !== undefined) {
      if (forms.length > 0) excluded.push(forms)
      return ' '
    }
    if (forms.length > 0) phrases.push(forms)
    return ` ${phrase} `
  })
  const words = tellingWords(asked)
  if (words.length === 0 && excluded.length > 0) {
    throw invalidField('query', 'has exclusions only; it needs a word to search, and -word excludes from those results')
  }
  if (phrases.length + excluded.length > conditionLimit) {
    throw invalidField('query', `may have at most ${conditionLimit} phrases and exclusions`)
  }
  return { words, phrases, excluded, prefix: prefix ? prefixOf(typed) : null }
}

/** The searched words of a query, without quotes, and its exclusions, with their minus: for searches of other words beside it. */
export function splitQuery(query: string): { asked: string; leftOut: string } {
  const leftOut: string[] = []
  const asked = query.replace(typographicQuotes, '"').replace(syntax, (...match) => {
    const { minus, phrase, word } = match.at(-1) as Record<'minus' | 'phrase' | 'word', string | undefined>
    if (minus === undefined && word === undefined) return ` ${phrase} `
    leftOut.push(match[0] as string)
    return ' '
  })
  return { asked: asked.replace(/\s+/gu, ' ').trim(), leftOut: leftOut.join(' ') }
}

/** A query of which every word is searched: nothing in it is a phrase or an exclusion. */
export const plainQuery = (text: string): string =>
  text
    .replace(typographicQuotes, ' ')
    .replaceAll('"', ' ')
    .replace(/(?<!\S)-+/gu, '')

/** The last word of a query that ends in one, in lower case: parts of a name are words of their own only when it is whole. */
function prefixOf(typed: string): string | null {
  const last = /(?:^|\s)([^\s"]+)$/u.exec(typed)?.[1]
  if (last === undefined || /^-[^-]/.test(last)) return null
  return wordsOf(last.toLowerCase()).at(-1) ?? null
}
