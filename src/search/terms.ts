import type { Spellings } from '../runtime/text/words.ts'
import type { Phrase } from './query.ts'

/** Words of which a text has one; an alternative of several words is there when the text has all of them. */
export type Term = readonly string[]

/** A phrase has at most this many forms: each is looked for in every text that is considered. */
const maxForms = 16

/** A phrase with all its forms in the other spellings of their words. */
export function respell(phrase: Phrase, spellings: Spellings): Phrase {
  const respelled = phrase.flatMap((form) => {
    let spelt = ['']
    for (const word of form.split(' ')) {
      const all = [word, ...(spellings.get(word) ?? [])]
      spelt = spelt.flatMap((before) => all.map((one) => `${before} ${one}`)).slice(0, maxForms)
    }
    return spelt.map((text) => text.trimStart())
  })
  return [...new Set([...phrase, ...respelled])].slice(0, Math.max(phrase.length, maxForms))
}

/** Whether every request with any of the words has all of them: there is one term, and no alternative of several words. */
export const isOneWord = (terms: readonly Term[]): boolean =>
  terms.length === 0 || (terms.length === 1 && terms[0]!.every((alternative) => !alternative.includes(' ')))

/** How many of the words from an index on are, put together, this word; 0 when none are. */
function partsFrom(words: readonly string[], index: number, joined: string): number {
  let rest = joined
  let count = 0
  while (rest !== '') {
    const part = words[index + count]
    if (part === undefined || !rest.startsWith(part)) return 0
    rest = rest.slice(part.length)
    count += 1
  }
  return count > 1 ? count : 0
}

/** The parts of a name whose last one is being typed: `dark` and `mo` of `dark_mo`; null when the beginning is a word by itself. */
export function partsOfBeginning(words: readonly string[], prefix: string): { before: string[]; last: string } | null {
  const index = words.indexOf(prefix)
  const count = index === -1 ? 0 : partsFrom(words, index + 1, prefix)
  const parts = words.slice(index + 1, index + 1 + count)
  return count === 0 ? null : { before: parts.slice(0, -1), last: parts.at(-1)! }
}

/** The last word of a query that may go on, and the words that begin with it. */
export interface Beginning {
  prefix: string
  words: readonly string[]
  /** Of a name: its parts, and the words that begin with the last one. */
  name: { before: readonly string[]; last: string; words: readonly string[] } | null
}

/** What a request must have of a beginning: a word that begins so, or the parts of the name, as texts are indexed that have it in parts. */
function termOf({ prefix, words, name }: Beginning): Term {
  const inParts = name === null ? [] : [name.last, ...name.words].map((word) => [...name.before, word].join(' '))
  return [...new Set([prefix, ...words, ...inParts])]
}

/**
 * What a request must have to have all words of a query. A name with its parts (`darkmode dark mode`, as normalisation writes
 * `darkMode`) is one term: as one word, or in parts.
 * @param words the words of the query in their order
 */
export function termsOf(
  words: readonly string[],
  beginning: Beginning | null,
  spellings: Spellings = new Map(),
): Term[] {
  const { prefix, name } = beginning ?? { prefix: null, name: null }
  const isOfName = (word: string) => name !== null && (word === name.last || name.before.includes(word))
  const typed = words.filter((word) => word !== prefix && !isOfName(word))
  const terms: Term[] = []
  for (let index = 0; index < typed.length; index++) {
    const word = typed[index]!
    const count = partsFrom(typed, index + 1, word)
    terms.push(count === 0 ? [word] : [word, typed.slice(index + 1, index + 1 + count).join(' ')])
    index += count
  }
  const all = beginning === null ? terms : [...terms, termOf(beginning)]
  return all.map((term) => [...new Set([...term, ...term.flatMap((word) => spellings.get(word) ?? [])])])
}
