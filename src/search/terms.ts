import type { SameWords } from '../runtime/text/same-words.ts'
import { otherSpellings, type Spellings } from '../runtime/text/spellings.ts'
import { isStopWord } from '../runtime/text/words.ts'
import type { Phrase } from './query.ts'

/**
 * Alternatives of which a text must have one. It must have all words of an alternative, adjacent if quoted (and then
 * not ranked). Titles are indexed several times, so their end and start are adjacent.
 */
export type Term = readonly string[]

/** The words of a quoted alternative; else null. */
export const quotedWords = (alternative: string): string[] | null =>
  alternative.startsWith('"') ? alternative.slice(1, -1).split(' ') : null

/** The most forms of a phrase: each is looked for in every considered text. */
const maxForms = 16

/** A phrase with all forms from its words' spellings. */
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

/** The alternatives of which a partial match has at least one. */
export const someOf = (terms: readonly Term[]): Term => [
  ...new Set(terms.flat().flatMap((words) => (quotedWords(words) === null ? words.split(' ') : [words]))),
]

/** Whether a request may have all words of a query without any ranked one, and so is found by its forms alone. */
export const hasUnrankedForms = (terms: readonly Term[]): boolean =>
  terms.some((term) => term.some((alternative) => quotedWords(alternative) !== null))

/** Whether having any of the words means having all: a single term of single words. */
export const isOneWord = (terms: readonly Term[]): boolean =>
  terms.length === 0 || (terms.length === 1 && terms[0]!.every((alternative) => !/[ "]/.test(alternative)))

/** How many words from an index on make up this word when joined; 0 if none. */
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

/** The parts of a name being typed: `dark` and `mo` of `dark_mo`; null if the prefix is a word by itself. */
export function partsOfBeginning(words: readonly string[], prefix: string): { before: string[]; last: string } | null {
  const index = words.indexOf(prefix)
  const count = index === -1 ? 0 : partsFrom(words, index + 1, prefix)
  const parts = words.slice(index + 1, index + 1 + count)
  return count === 0 ? null : { before: parts.slice(0, -1), last: parts.at(-1)! }
}

/** The incomplete last word of a query, and its expansions. */
export interface Beginning {
  prefix: string
  words: readonly string[]
  /** For a name: its parts, and the expansions of the last one. */
  name: { before: readonly string[]; last: string; words: readonly string[] } | null
}

/** What matches a prefix: a word that starts with it or, as names are indexed in parts too, the parts of the name. */
function termOf({ prefix, words, name }: Beginning): Term {
  const inParts = name === null ? [] : [name.last, ...name.words].map((word) => [...name.before, word].join(' '))
  return [...new Set([prefix, ...words, ...inParts])]
}

const isPlainWord = (word: string) => /^\p{L}{2,20}$/u.test(word) && !isStopWord(word)
/** In longer queries, two words are seldom meant as one. */
const maxJoined = 4

/** Neighbors in a short query that may be one word: `http client`. @param same words with other forms */
export function joinedNeighbours(words: readonly string[], same: readonly SameWords[]): SameWords[] {
  if (words.length > maxJoined) return []
  const known = new Set(same.flatMap((one) => one.words.split(' ')))
  return words.slice(1).flatMap((word, index) => {
    const before = words[index]!
    const isOne = [before, word].every((one) => isPlainWord(one) && !known.has(one))
    return isOne ? [{ words: `${before} ${word}`, others: [before + word], kind: 'spelling' as const }] : []
  })
}

/** Merges words with other forms into one term, matched by any of the forms. */
function withOtherForms(terms: readonly Term[], same: readonly SameWords[]): Term[] {
  const rest = [...terms]
  for (const { words, others } of same) {
    const all = words.split(' ')
    const telling = [...new Set(all)].filter((word) => !isStopWord(word))
    const at = rest.findIndex((_, index) => telling.every((word, offset) => rest[index + offset]?.[0] === word))
    if (at === -1 && telling.length > 0) continue
    const before = telling.slice(0, -1)
    const last = rest[at + before.length]!
    // `back up` does not mean `back`: a stop word at an edge changes the word beside it.
    const isWhole = [all[0]!, all.at(-1)!].some(isStopWord)
    const inOrder = () => (before.length === 0 ? last : last.map((word) => [...before, word].join(' ')))
    const typed = isWhole ? [`"${words}"`] : inOrder()
    const spelt = others.flatMap((other) => respell([other], otherSpellings(other)))
    rest.splice(Math.max(0, at), telling.length, [...typed, ...spelt.map((other) => `"${other}"`)])
  }
  return rest
}

/** A full match's terms; a name and its parts (`darkmode dark mode`) are one. @param same words with other forms */
export function termsOf(
  words: readonly string[],
  beginning: Beginning | null,
  { spellings = new Map(), same = [] }: { spellings?: Spellings; same?: readonly SameWords[] } = {},
): Term[] {
  const { prefix, name } = beginning ?? { prefix: null, name: null }
  const isOfName = (word: string) => name !== null && (word === name.last || name.before.includes(word))
  const typed = words.filter((word) => word !== prefix && !isOfName(word))
  const joined = joinedNeighbours(typed, same)
  const joinedOf = (word: string) =>
    joined
      .filter(({ words: pair }) => pair.split(' ').includes(word))
      .flatMap(({ others }) => others.map((other) => `"${other}"`))
  const terms: Term[] = []
  for (let index = 0; index < typed.length; index++) {
    const word = typed[index]!
    const count = partsFrom(typed, index + 1, word)
    terms.push(count === 0 ? [word, ...joinedOf(word)] : [word, typed.slice(index + 1, index + 1 + count).join(' ')])
    index += count
  }
  const all = beginning === null ? terms : [...terms, termOf(beginning)]
  return withOtherForms(all, same).map((term) => [
    ...new Set([...term, ...term.flatMap((word) => spellings.get(word) ?? [])]),
  ])
}
