import { invalidField } from '../../http/validation.ts'
import { normaliseText } from '../../text/normalise.ts'
import { tellingWords, wordsOf } from '../../text/words.ts'

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
