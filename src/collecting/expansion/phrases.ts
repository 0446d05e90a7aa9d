import type { Clause, Word } from './clauses.ts'
import { functionWords, genericWords, plainNouns, templatePhrases } from './words.ts'

/** A run of one to three words that may be a topic. */
export interface Phrase {
  /** Its words as they are compared, separated by spaces. */
  key: string
  written: string
}

const maxPhraseWords = 3
const minWordLength = 3

const isIn = (words: ReadonlySet<string>, { key, written }: Word) => words.has(key) || words.has(written.toLowerCase())
const isEdge = (word: Word) => word.key.length >= 2 && !isIn(functionWords, word) && !isIn(genericWords, word)

/** "drag and drop", "terms of service", "text to speech". */
const joints = new Set(['and', 'of', 'to'])
/** Alone they describe an action of the author, not a thing. */
const participle = /[^e]ed$/

function isTopic(words: readonly Word[]): boolean {
  const [first, last] = [words[0]!, words.at(-1)!]
  if (!isEdge(first) || !isEdge(last)) return false
  if (words.length === 1 && (first.key.length < minWordLength || participle.test(first.key))) return false
  if (words.slice(1, -1).some((word) => isIn(functionWords, word) && !joints.has(word.key))) return false
  if (words.some((word) => isIn(genericWords, word))) return false
  if (words.length === 1 && isIn(plainNouns, first)) return false
  if (new Set(words.map(({ key }) => key)).size < words.length) return false
  return !templatePhrases.has(words.map(({ written }) => written.toLowerCase()).join('_'))
}

/** The phrases of a text that may be topics, repeated as often as they occur. */
export function* phrasesOf(clauses: readonly Clause[]): Generator<Phrase> {
  for (const clause of clauses) {
    for (let start = 0; start < clause.length; start++) {
      if (!isEdge(clause[start]!)) continue
      for (let end = start + 1; end <= Math.min(clause.length, start + maxPhraseWords); end++) {
        const words = clause.slice(start, end)
        if (!isTopic(words)) continue
        yield { key: words.map(({ key }) => key).join(' '), written: words.map(({ written }) => written).join(' ') }
      }
    }
  }
}
