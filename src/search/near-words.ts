import { sql } from 'kysely'
import type { Executor } from '../database/open.ts'
import { exactRequests, lastCharacter, notedChanges } from '../requests/words/vocabulary.ts'
import { slipsBetween } from '../runtime/text/slips.ts'

/** How many words that begin alike are compared. */
const comparedWords = 2_000

const alphabets = [
  'abcdefghijklmnopqrstuvwxyz0123456789',
  'абвгдежзийклмнопрстуфхцчшщъыьэюяіє',
  'αβγδεζηθικλμνξοπρστυφχψω',
]

/** Whether all letters of a word are of one alphabet in which slips can be looked for. */
export const isOfOneAlphabet = (word: string): boolean =>
  alphabets.some((alphabet) => [...word].every((one) => alphabet.includes(one)))

/** Every text that one slip leads to: a letter left out, doubled, added, changed, or two in the wrong order. */
export function neighboursOf(word: string): string[] {
  const characters = [...word]
  const letters = alphabets.find((alphabet) => characters.some((one) => alphabet.includes(one))) ?? ''
  const neighbours = new Set<string>()
  for (let index = 0; index <= characters.length; index++) {
    const before = characters.slice(0, index).join('')
    const [here = '', next = ''] = characters.slice(index, index + 2)
    const after = characters.slice(index + 1).join('')
    neighbours.add(before + after)
    neighbours.add(before + next + here + characters.slice(index + 2).join(''))
    for (const letter of letters) {
      neighbours.add(before + letter + here + after)
      if (here !== '') neighbours.add(before + letter + after)
    }
  }
  neighbours.delete(word)
  return [...neighbours]
}

function trigramsOf(word: string): Set<string> {
  const padded = [...`  ${word} `]
  return new Set(padded.slice(2).map((_, index) => padded.slice(index, index + 3).join('')))
}

/** How much two words have in common, 0 to 1: the share of their trigrams that both have (as `pg_trgm` counts it). */
function similarity(a: string, b: string): number {
  const ofA = trigramsOf(a)
  const ofB = trigramsOf(b)
  const common = [...ofA].filter((trigram) => ofB.has(trigram)).length
  return common / (ofA.size + ofB.size - common)
}
/** Below this two words that begin alike have nothing to do with each other … */
const leastSimilarity = 0.4

/** … but for words of some length that are two slips apart. */
const forgivenSlips = 2
const shortestForgiven = 6

interface KnownWord {
  word: string
  requests: number
}

/** The most similar of the words that begin alike, the most frequent of equally similar ones. */
function maxSimilar(word: string, others: readonly KnownWord[]): string | null {
  let best: { word: string; score: number } | null = null
  for (const { word: other } of others) {
    const likeness = similarity(word, other)
    const forgiven = word.length >= shortestForgiven && slipsBetween(word, other) <= forgivenSlips
    // Two slips may leave few trigrams whole, and still nothing is nearer.
    const score = forgiven ? 1 + likeness : likeness
    if (score >= leastSimilarity && score > (best?.score ?? 0)) best = { word: other, score }
  }
  return best?.word ?? null
}

/** Some words of the vocabulary with the same first three letters and about as many, the most frequent first. */
async function readBeginningAlike(executor: Executor, word: string): Promise<KnownWord[]> {
  const beginning = [...word].slice(0, 3).join('')
  const { length } = [...word]
  const isAlike = sql`word >= ${beginning}::text and word < ${beginning + lastCharacter}::text`
  const { rows } = await sql<KnownWord>`
    select word, requests + coalesce(change, 0) as requests from (
      select word, requests from search_words where ${isAlike}
      and length(word) between ${length - 2} and ${length + 2} limit ${sql.lit(comparedWords)}
    ) as scanned left join ${notedChanges(isAlike)} using (word)
    where requests + coalesce(change, 0) > 0 order by requests desc, word`.execute(executor)
  return rows
}

/** The most frequent word at two slips of those that begin alike. */
export async function wordAtTwoSlips(executor: Executor, word: string): Promise<string | null> {
  const alike = await readBeginningAlike(executor, word)
  return alike.find((other) => other.word !== word && slipsBetween(word, other.word) <= forgivenSlips)?.word ?? null
}

/** The most frequent word of the vocabulary at one slip from this one; else the most similar of those that begin alike. */
export async function closestWord(executor: Executor, word: string): Promise<string | null> {
  const { rows: near } = await sql<KnownWord>`
    select word, requests from search_words where word = any(${neighboursOf(word)}::text[]) and ${exactRequests} > 0
    order by requests desc, word limit 1`.execute(executor)
  if (near[0]) return near[0].word
  return maxSimilar(word, await readBeginningAlike(executor, word))
}
