import type { Spellings } from '../../text/words.ts'
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

/**
 * What a request must have to have all words of a query. A name with its parts (`darkmode dark mode`, as normalisation writes
 * `darkMode`) is one term: as one word, or in parts.
 * @param words the words of the query in their order
 * @param prefix the last word if it may go on, and the words that begin with it
 */
export function termsOf(
  words: readonly string[],
  prefix: string | null,
  beginnings: readonly string[],
  spellings: Spellings = new Map(),
): Term[] {
  const typed = words.filter((word) => word !== prefix)
  const terms: Term[] = []
  for (let index = 0; index < typed.length; index++) {
    const word = typed[index]!
    const count = partsFrom(typed, index + 1, word)
    terms.push(count === 0 ? [word] : [word, typed.slice(index + 1, index + 1 + count).join(' ')])
    index += count
  }
  const all = prefix === null ? terms : [...terms, [...new Set([prefix, ...beginnings])]]
  return all.map((term) => [...new Set([...term, ...term.flatMap((word) => spellings.get(word) ?? [])])])
}
