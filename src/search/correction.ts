import { sql } from 'kysely'
import { standings } from '../database/column-types.ts'
import type { Executor } from '../database/open.ts'
import { filterView } from '../requests/filters/filters.ts'
import type { View } from '../requests/view.ts'
import {
  type CountedWords,
  countsOf,
  exactRequests,
  lastCharacter,
  rareRequests,
  countOf as requestsWith,
} from '../requests/words/vocabulary.ts'
import type { SameWords } from '../runtime/text/same-words.ts'
import { isStopWord, wordsOf } from '../runtime/text/words.ts'
import { isOfOneAlphabet, neighboursOf, wordAtTwoSlips } from './near-words.ts'
import { replaceWords } from './query.ts'
import type { SearchIndex, SearchInput } from './search-index.ts'

/** Further words stay as typed. */
const wordLimit = 8
/** The neighbors of shorter words are often words, too. */
const shortestCorrected = 4
/** From this length on, a word may have two slips. */
const shortestTwoSlips = 8
/** Longer words have too many neighbors to look up. */
const longestWord = 24
/** A word in `rareRequests` requests is a slip only beside a word this much more frequent. */
const frequentFactor = 50
/** Long words rarely have neighbors, so a smaller factor applies from this length on. */
const shortestUnlikely = 7
const frequentFactorOfLong = 10

/** A word that may be a slip, as typed and normalized. */
export interface TypedWord {
  typed: string
  word: string
}

const punctuation = /^[\p{P}\p{S}]*(.*?)[\p{P}\p{S}]*$/su

/** A piece of a query without surrounding punctuation; null for names, numbers, fields, addresses and code. */
function lettersOf(piece: string): string | null {
  const letters = punctuation.exec(piece)?.[1] ?? ''
  const isPlain = /^[\p{L}\p{M}]+$/u.test(letters) && !/\p{Ll}\p{Lu}/u.test(letters)
  return isPlain && !/^[@#/\\~$-]|[/\\(=]$/u.test(piece) ? letters : null
}

/** The words that may be slips: plain, outside quotes and exclusions, and only once in the query. */
function typedWords(query: string, shortest: number): TypedWord[] {
  const words: TypedWord[] = []
  const times = new Map<string, number>()
  replaceWords(query, (piece) => {
    for (const word of wordsOf(piece)) times.set(word, (times.get(word) ?? 0) + 1)
    const typed = lettersOf(piece)
    const [word, ...others] = typed === null ? [] : wordsOf(typed)
    if (word !== undefined && others.length === 0) words.push({ typed: typed!, word })
    return piece
  })
  return words.filter(({ word }) => {
    const { length } = [...word]
    const isOnce = times.get(word) === 1
    return isOnce && length >= shortest && length <= longestWord && !isStopWord(word) && isOfOneAlphabet(word)
  })
}

/** @returns null if nothing is replaced. */
function replaceTyped(query: string, replacements: ReadonlyMap<string, string>): string | null {
  const replaced = replaceWords(query, (piece) => {
    const typed = lettersOf(piece)
    const replacement = typed === null ? undefined : replacements.get(typed)
    return replacement === undefined ? piece : piece.replace(typed!, replacement)
  })
  return replaceWords(query, (piece) => piece) === replaced ? null : replaced
}

/** The words of a query that are slips if they are rare. */
export const correctableWords = (query: string): TypedWord[] => typedWords(query, shortestCorrected)

/** How many requests have each word, if not read with the page. */
export async function readCounts(executor: Executor, words: readonly string[]): Promise<CountedWords> {
  if (words.length === 0) return {}
  const { rows } = await sql<{ counts: CountedWords }>`select ${countsOf(words)} as counts`.execute(executor)
  return rows[0]!.counts
}

const shortestPart = 2
/** How many splits of a word are looked up in texts, those with the most frequent parts first. */
const partingsTried = 2

/** Splits a rare word into two adjacent ones: `darkmode`. @param requests how many have it as one word */
async function partWord(
  index: SearchIndex,
  executor: Executor,
  { word, requests, view }: Pick<Slip, 'word' | 'requests'> & { view: View },
): Promise<SameWords | null> {
  const least = requests + 1
  const ends = Array.from({ length: Math.max(0, word.length - 2 * shortestPart + 1) }, (_, at) => at + shortestPart)
  const pairs = ends.map((end) => [word.slice(0, end), word.slice(end)] as const)
  const counts = await readCounts(executor, pairs.flat())
  const countOf = (pair: readonly string[]) =>
    pair.every(isStopWord)
      ? 0
      : Math.min(...pair.map((part) => (isStopWord(part) ? Infinity : requestsWith(counts, part))))
  const likely = pairs.filter((pair) => countOf(pair) >= least).sort((one, other) => countOf(other) - countOf(one))
  for (const pair of likely.slice(0, partingsTried)) {
    const phrase = { query: `"${pair.join(' ')}"`, filters: { view }, offset: 0, limit: least }
    const { results } = await index.search(executor, phrase)
    if (results.length === least) return { words: word, others: [pair.join(' ')], kind: 'spelling' }
  }
  return null
}

const isSwap = (one: string, other: string) =>
  one.length === other.length && [...one].sort().join('') === [...other].sort().join('')

/** Whether a slip is plausible: first letters are seldom wrong; a changed letter of four is another word. */
function isLikelySlip(word: string, neighbour: string): boolean {
  if (isSwap(word, neighbour)) return true
  if (word[0] !== neighbour[0]) return false
  return word.length > shortestCorrected || neighbour.length > word.length
}

interface Slip {
  word: string
  /** How many requests have it, capped at one more than `rareRequests`. */
  requests: number
  /** Whether it is a prefix, whose last letter is not compared. */
  isBeginning: boolean
}

/** The most frequent word one slip away; for a long unknown word, also two slips. */
async function correctWord(executor: Executor, { word, requests, isBeginning }: Slip): Promise<string | null> {
  const factor = word.length < shortestUnlikely ? frequentFactor : frequentFactorOfLong
  const leastRequests = Math.max(1, requests * factor)
  const { rows } = await sql<{ word: string }>`
    select word from search_words where word = any(${neighboursOf(word)}::text[]) and ${exactRequests} >= ${leastRequests}
    order by requests desc, word limit 20`.execute(executor)
  const isEndOnly = (other: string) => isBeginning && other.startsWith(word.slice(0, -1))
  const near = rows.find((row) => isLikelySlip(word, row.word) && !isEndOnly(row.word))
  if (near !== undefined) return near.word
  return requests === 0 && word.length >= shortestTwoSlips ? wordAtTwoSlips(executor, word) : null
}

/** Whether a known word has this prefix: then the last word of a prefix query is just incomplete. */
async function hasBeginning(executor: Executor, word: string): Promise<boolean> {
  const { rows } = await sql`
    select from search_words where word >= ${word} and word < ${word + lastCharacter} and ${exactRequests} > 0 limit 1`.execute(
    executor,
  )
  return rows.length > 0
}

interface Meaning {
  /** The query with corrected words; null if unchanged. */
  corrected: string | null
  /** Words also written as two. */
  alternatives: readonly SameWords[]
}

/**
 * What is meant by words that hardly anything in the view has: two words, or a slip of a frequent one. Words only in
 * the index (from the end of long texts, unlisted requests) are no slips.
 * @param rare those that the vocabulary does not know as frequent
 */
export async function readMeaning(
  index: SearchIndex,
  executor: Executor,
  { query, filters = {}, prefix = false }: SearchInput,
  rare: readonly TypedWord[],
): Promise<Meaning> {
  const replacements = new Map<string, string>()
  const alternatives: SameWords[] = []
  const view = { ...filterView(filters), least: standings.unlikely }
  for (const { typed, word } of rare.slice(0, wordLimit)) {
    const isBeginning = prefix && query.endsWith(typed)
    if (isBeginning && (await hasBeginning(executor, word))) continue
    // As typed, so that other spellings of a word are no slips.
    const search = { query: typed, filters: { view }, offset: 0, limit: rareRequests + 1 }
    const { results } = await index.search(executor, search)
    if (results.length > rareRequests) continue
    const requests = results.length
    const parted = await partWord(index, executor, { word, requests, view })
    if (parted !== null) {
      alternatives.push(parted)
      continue
    }
    const corrected = await correctWord(executor, { word, requests, isBeginning })
    if (corrected !== null) replacements.set(typed, corrected)
  }
  return { corrected: replaceTyped(query, replacements), alternatives }
}

/** The words without any match that the view shows or may offer, regardless of filters. */
export async function readUnknown(
  index: SearchIndex,
  executor: Executor,
  { filters = {} }: SearchInput,
  words: readonly string[],
): Promise<string[]> {
  const view = { ...filterView(filters), least: standings.unlikely }
  const unknown: string[] = []
  for (const word of words.slice(0, wordLimit)) {
    const { results } = await index.search(executor, { query: word, filters: { view }, offset: 0, limit: 1 })
    if (results.length === 0) unknown.push(word)
  }
  return unknown
}
