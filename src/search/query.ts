import { invalidField } from '../http/validation.ts'
import { withoutLeadIn } from '../runtime/text/asking.ts'
import { normaliseText } from '../runtime/text/normalise.ts'
import { type SameWords, sameWordsOf } from '../runtime/text/same-words.ts'
import { otherSpellings, type Spellings } from '../runtime/text/spellings.ts'
import { isStopWord, tellingWords, wordsOf } from '../runtime/text/words.ts'

/** Each phrase and exclusion is checked on every row that is considered. */
const conditionLimit = 10

/** Words that must be adjacent, in each of the forms that a text may have. */
export type Phrase = readonly string[]

export interface ParsedQuery {
  /** Distinct words to look for, including those of phrases. */
  words: string[]
  phrases: Phrase[]
  excluded: Phrase[]
  /** The prefix being typed; null unless the search is by prefix. */
  prefix: string | null
}

const spaceInArabic = /(?<=\p{Script=Arabic}\p{M}{0,8})\s+(?=\p{Script=Arabic})/gu
/** How many extra forms a phrase can have. */
const maxJoined = 5

/** The phrase with zero-width non-joiners for spaces between Arabic letters: texts may join such words. */
const withNonJoiners = (text: string): string[] =>
  [...text.matchAll(spaceInArabic)]
    .slice(0, maxJoined)
    .map(({ 0: space, index }) => `${text.slice(0, index)}\u200c${text.slice(index + space.length)}`)

/** As typed, in lower case (names as one word) and split: `darkMode`, `darkmode`, `dark mode`. */
function phraseOf(text: string): Phrase {
  const inParts = text.replace(/(?<=\p{Ll})(?=\p{Lu})|[_\u200c]+/gu, ' ')
  const joined = text.replaceAll('\u200c', '')
  const forms = [text, text.toLowerCase(), joined, inParts, ...withNonJoiners(text)].map((form) => normaliseText(form))
  return [...new Set(forms)].filter((form) => form !== '')
}

interface QuerySyntax {
  /** What is searched by words, including phrases. */
  asked: string
  /** Its part outside of quotes. */
  unquoted: string
  phrases: string[]
  excluded: string[]
}

/** `"some words"`, `-"some words"` or `-word`; a minus counts only where a word could start. */
const syntax = /(?<![^\s(])(?<minus>-)?"(?<phrase>[^"]*)"|(?<!\S)-(?<word>[^\s"-][^\s"]*)/gu
const typographicQuotes = /[“”„‟«»＂]/gu

/** Parses a query. A minus without quotes excludes only if `isExclusionList` says so. */
function readSyntax(query: string): QuerySyntax {
  const typed = query.replace(typographicQuotes, '"')
  const from = exclusionsFrom(typed)
  const read: QuerySyntax = { asked: '', unquoted: '', phrases: [], excluded: [] }
  const replaceSyntax = (replacePhrase: (phrase: string) => string) =>
    typed.replace(syntax, (...match) => {
      const { minus, phrase, word } = match.at(-1) as Record<'minus' | 'phrase' | 'word', string | undefined>
      if (phrase !== undefined) return minus === undefined ? replacePhrase(phrase) : ' '
      return (match.at(-3) as number) < from ? ` ${word} ` : ' '
    })
  for (const { index, groups } of typed.matchAll(syntax)) {
    const { minus, phrase, word } = groups as Record<'minus' | 'phrase' | 'word', string | undefined>
    if (phrase === undefined && index >= from) read.excluded.push(word!)
    if (phrase !== undefined) (minus === undefined ? read.phrases : read.excluded).push(phrase)
  }
  read.asked = replaceSyntax((phrase) => ` ${phrase} `)
  read.unquoted = replaceSyntax(() => ' ')
  return read
}

/** Where the exclusions at the end of a query start; Infinity if no minus was meant as one (decision 043). */
function exclusionsFrom(typed: string): number {
  const marks = [...typed.matchAll(syntax)]
  let end = typed.length
  let from = Number.POSITIVE_INFINITY
  const words: string[] = []
  for (const { 0: mark, index, groups } of marks.reverse()) {
    if (typed.slice(index + mark.length, end).trim() !== '') break
    const word = groups?.word
    if (word !== undefined) {
      from = index
      words.push(word)
    }
    end = index
  }
  return isExclusionList(words, typed.slice(0, from)) ? from : Number.POSITIVE_INFINITY
}

/** A word that people exclude: no one-letter option, negative number or piece of code. */
const excludable = /^(?:[.#@_]?\p{L}[^\s()[\]{}=,;:<>$%|]+|\p{Lo})$/u
/** Punctuation of titles and code; a query with it was hardly typed as a list of words. */
const titlePunctuation = /[:;,.?!](?=\s|$)|[()[\]{}`=<>|]/u
/** Typed queries with exclusions rarely have more words; titles often do. */
const maxTypedWords = 10

/** Whether the minuses of these last words were meant as exclusions, judging by the text before them. */
function isExclusionList(words: readonly string[], before: string): boolean {
  if (!words.every((word) => excludable.test(word))) return false
  const unquoted = before.replace(syntax, ' ')
  const last = /(?:^|\s)([^\s"]+)\s*$/u.exec(before)?.[1]
  // "Support for -race": the sentence continues after a stop word.
  if (last !== undefined && isStopWord(normaliseText(last))) return false
  return !titlePunctuation.test(unquoted) && wordsOf(before).length <= maxTypedWords
}

/**
 * Parses a user's query: any word may match, quoted phrases must, and what follows a minus must not. Phrases beyond the
 * limit are searched as words.
 * @param prefix whether the last word may be incomplete
 * @throws ServiceError INVALID_REQUEST for exclusions only, or too many exclusions.
 */
export function parseQuery(query: string, { prefix = false } = {}): ParsedQuery {
  const { asked, ...typed } = readSyntax(query)
  const isPhrase = (forms: Phrase) => forms.length > 0
  const excluded = typed.excluded.map(phraseOf).filter(isPhrase)
  const words = tellingWords(withoutLeadIn(wordsOf(asked)).join(' '))
  if (words.length === 0 && excluded.length > 0) {
    throw invalidField('query', 'has exclusions only; it needs a word to search, and -word excludes from those results')
  }
  if (excluded.length > conditionLimit) throw invalidField('query', `may have at most ${conditionLimit} exclusions`)
  const phrases = typed.phrases
    .map(phraseOf)
    .filter(isPhrase)
    .slice(0, conditionLimit - excluded.length)
  return { words, phrases, excluded, prefix: prefix ? prefixOf(query, typed.excluded) : null }
}

/** The other spellings of all words of a query, including phrases and exclusions. */
export function spellingsOf(query: string): Spellings {
  const { asked, excluded } = readSyntax(query)
  return otherSpellings([asked, ...excluded].join(' '))
}

/** Stop words that change the word before them. */
const particles = new Set('down in off on only out over up'.split(' '))

/** Pairs with a stop word that form a term: hyphenated (`all-day`), or a whole query with a particle (`view only`). */
function compoundsIn(unquoted: string, words: readonly string[]): SameWords[] {
  const hyphenated = [...unquoted.matchAll(/(?<![\p{L}\p{N}-])(\p{L}+)-(\p{L}+)(?![\p{L}\p{N}-])/gu)].map(
    ([, ...pair]) => pair.map((part) => normaliseText(part)),
  )
  const typed = words.length === 2 && particles.has(words[1]!) ? [[...words]] : []
  return [...hyphenated, ...typed]
    .filter((pair) => pair.filter(isStopWord).length === 1)
    .map((pair) => ({ words: pair.join(' '), others: [pair.join('')], kind: 'spelling' }))
}

/** The unquoted words of a query that have alternatives. */
export function sameWordsIn(query: string): SameWords[] {
  const { unquoted } = readSyntax(query)
  const words = wordsOf(unquoted)
  const known = sameWordsOf(words)
  const isKnown = (pair: string) => known.some((one) => ` ${one.words} `.includes(` ${pair} `))
  return [...known, ...compoundsIn(unquoted, words).filter((pair) => !isKnown(pair.words))]
}

/** How a query was understood, for its user. */
export interface UnderstoodQuery {
  words: string[]
  /** As typed, without quotes. */
  phrases: string[]
  /** As typed, without quotes and minus. */
  excluded: string[]
  /** Words with searched alternatives. */
  alternatives: SameWords[]
}

/** How `parseQuery` understands a query. @throws like it */
export function describeQuery(query: string): UnderstoodQuery {
  const { words, phrases, excluded } = parseQuery(query)
  const typed = readSyntax(query)
  const shown = (texts: readonly string[], count: number) =>
    texts.filter((text) => phraseOf(text).length > 0).slice(0, count)
  return {
    words,
    phrases: shown(typed.phrases, phrases.length),
    excluded: shown(typed.excluded, excluded.length),
    alternatives: sameWordsIn(query),
  }
}

const withoutBreaks = (text: string) => text.replace(/\s+/gu, ' ').trim()

/** Splits a query into its words without quotes and its exclusions with their minus, to search with other words. */
export function splitQuery(query: string): { asked: string; leftOut: string } {
  const { asked, excluded } = readSyntax(query)
  return { asked: withoutBreaks(asked), leftOut: excluded.map((text) => `-"${text}"`).join(' ') }
}

/** With more words around its phrases, a query was hardly typed by someone who wants the phrases. */
const maxWordsAroundPhrases = 5

/** A query with its phrases as words; null if it has no phrases, or only phrases. `isTitle`: it looks pasted. */
export function withoutPhrases(query: string): { query: string; isTitle: boolean } | null {
  const { unquoted, phrases } = readSyntax(query)
  if (phrases.length === 0 || wordsOf(unquoted).length === 0) return null
  const { asked, leftOut } = splitQuery(query)
  const isTitle = titlePunctuation.test(unquoted) || tellingWords(unquoted).length > maxWordsAroundPhrases
  return { query: `${plainQuery(asked)} ${leftOut}`.trim(), isTitle }
}

/** Replaces each whitespace-separated piece of a query that is neither quoted nor excluded. */
export function replaceWords(query: string, replace: (piece: string) => string): string {
  const typed = query.replace(typographicQuotes, '"')
  const from = exclusionsFrom(typed)
  let end = 0
  let replaced = ''
  const replaceIn = (text: string) => text.replace(/\S+/gu, replace)
  for (const { 0: mark, index, groups } of typed.matchAll(syntax)) {
    if (groups?.word !== undefined && index < from) continue
    replaced += replaceIn(typed.slice(end, index)) + mark
    end = index + mark.length
  }
  return replaced + replaceIn(typed.slice(end))
}

/** A query without phrases and exclusions: every word is searched. */
export const plainQuery = (text: string): string =>
  text
    .replace(typographicQuotes, ' ')
    .replaceAll('"', ' ')
    .replace(/(?<!\S)-+/gu, '')

/** The incomplete last word, in lower case; of a name the whole name (`darkmo` of `dark_mo`). */
function prefixOf(query: string, excluded: readonly string[]): string | null {
  const last = /(?:^|\s)([^\s"“”„‟«»＂]+)$/u.exec(query)?.[1]
  if (last === undefined || last === `-${excluded.at(-1)}`) return null
  const [word = null, ...parts] = wordsOf(last.toLowerCase())
  return parts.length === 0 || parts.join('') === word ? word : parts.at(-1)!
}
