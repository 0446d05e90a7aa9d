import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Executor } from '../database/open.ts'
import { closed, oneOf } from '../http/schemas.ts'
import type { RequestRecord } from '../requests/record.ts'
import { searchTextLimit } from '../requests/words/text.ts'
import { createPauses } from '../runtime/event-loop.ts'
import { normaliseText, unspacedCharacterPattern as unspaced } from '../runtime/text/normalise.ts'

interface Piece {
  /** UTF-16 offsets. */
  start: number
  end: number
  words: readonly string[]
}

/** The units of normalization: names with punctuation, version numbers, unspaced characters, words. */
const piece = new RegExp(
  [
    '(?<![\\p{L}\\p{N}])objective[ -]?c(?:\\+\\+|(?![\\p{L}\\p{N}]))',
    '(?<![\\p{L}\\p{N}])(?:asp|ado|vb|ml)?\\.net(?![\\p{L}\\p{N}])',
    '(?<![\\p{L}\\p{N}.])v?\\p{Nd}{1,6}(?:\\.\\p{Nd}{1,6}){1,3}(?!\\.?\\p{N})',
    `(?<unspaced>${unspaced}+)`,
    `(?:(?!${unspaced})[\\p{L}\\p{N}])(?:(?!${unspaced})[\\p{L}\\p{N}\\p{M}_\\u00ad\\u200c\\u200d\\u2060\\ufeff])*(?:\\+\\+|#)?`,
  ].join('|'),
  'giu',
)
const unspacedCharacter = new RegExp(unspaced, 'gu')
const plainWord = /^[a-z]+$/

/** The characters of an unspaced run: each is indexed by itself and with its neighbors. */
function* charactersOf(run: string, offset: number, normalise: (text: string) => string): Generator<Piece> {
  const characters = [...run.matchAll(unspacedCharacter)].map(({ 0: text, index }) => ({
    text: normalise(text),
    index,
  }))
  for (const [position, { text, index }] of characters.entries()) {
    const before = characters[position - 1]?.text
    const next = characters[position + 1]
    const words = [text, ...(before === undefined ? [] : [before + text]), ...(next ? [text + next.text] : [])]
    yield { start: offset + index, end: offset + (next?.index ?? run.length), words }
  }
}

function createPieceReader(): (text: string) => Piece[] {
  const known = new Map<string, readonly string[]>()
  const characters = new Map<string, string>()
  const normalise = (text: string) => {
    const character = characters.get(text) ?? normaliseText(text)
    characters.set(text, character)
    return character
  }
  const wordsOf = (text: string) => {
    if (plainWord.test(text)) return [text]
    const words = known.get(text) ?? normaliseText(text.slice(0, 1_000)).split(' ')
    known.set(text, words)
    return words
  }
  return (text) => {
    const pieces: Piece[] = []
    for (const match of text.matchAll(piece)) {
      const start = match.index
      if (match.groups?.unspaced !== undefined) pieces.push(...charactersOf(match[0], start, normalise))
      else pieces.push({ start, end: start + match[0].length, words: wordsOf(match[0]) })
    }
    return pieces
  }
}

const highlightedFields = ['title', 'description', 'tags', 'author'] as const

/** Where a result's field has the query's words. */
export interface Highlight {
  field: (typeof highlightedFields)[number]
  /** The field, or the part of a long one with the most matched words. */
  text: string
  /** Start and end (exclusive) of each match in UTF-16 units; sorted, never overlapping. */
  ranges: [number, number][]
}

export const highlightSchema = closed({
  field: oneOf(highlightedFields),
  text: Type.String({ description: 'The field, or the part of a long one that has the largest number of the words' }),
  ranges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Start and end of each match in `text`, in UTF-16 code units, end exclusive',
  }),
})

const snippetLength = 240

interface ReadField {
  field: Highlight['field']
  text: string
  pieces: Piece[]
}

function fieldsOf({ title, description, tags, authorName, authorHandle }: RequestRecord): Omit<ReadField, 'pieces'>[] {
  return [
    { field: 'title', text: title },
    { field: 'description', text: description.slice(0, searchTextLimit) },
    ...tags.map((text) => ({ field: 'tags' as const, text })),
    ...[authorName ?? '', authorHandle ?? ''].map((text) => ({ field: 'author' as const, text })),
  ]
}

/** The text search configuration stems only words of letters. */
const isStemmed = (word: string) => /^\p{L}[\p{L}\p{M}]*$/u.test(word)

/** Words stemmed by the database per page of results; later words match only exactly. */
const maxCandidates = 10_000

/** Collects words that may share a stem with the query: stemming never changes the first letter. */
function createCandidates(queried: readonly string[]) {
  const beginnings = new Set(queried.filter(isStemmed).map((word) => word[0]))
  const exact = new Set(queried)
  const candidates = new Set<string>()
  const add = (word: string) => {
    if (!beginnings.has(word[0]) || candidates.has(word) || exact.has(word) || !isStemmed(word)) return
    if (candidates.size < maxCandidates) candidates.add(word)
  }
  return { candidates, add }
}

/** The words that match in the index, i.e. share a stem with the query. */
async function findMatchingWords(executor: Executor, queried: readonly string[], candidates: ReadonlySet<string>) {
  const matching = new Set(queried)
  const stemmed = queried.filter(isStemmed)
  if (candidates.size === 0) return matching
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${[...candidates]}::text[]) as word
    where ts_lexize('wishwell_stem', word) && array(
      select lexeme from unnest(${stemmed}::text[]) as queried, unnest(ts_lexize('wishwell_stem', queried)) as lexeme
    )`.execute(executor)
  for (const { word } of rows) matching.add(word)
  return matching
}

/** Matches as ranges; adjacent ones are joined. */
function rangesOf(matches: readonly Piece[]): [number, number][] {
  const ranges: [number, number][] = []
  for (const { start, end } of matches) {
    const last = ranges.at(-1)
    if (last && last[1] === start) last[1] = end
    else ranges.push([start, end])
  }
  return ranges
}

function takeOne(amounts: Map<string, number>, word: string): void {
  const left = (amounts.get(word) ?? 0) - 1
  if (left > 0) amounts.set(word, left)
  else amounts.delete(word)
}

/** The first part of a long text with the most distinct matched words. */
function snippetOf(text: string, matches: readonly Piece[]): { from: number; to: number } {
  if (text.length <= snippetLength) return { from: 0, to: text.length }
  let best = { first: 0, different: 0 }
  // A sliding window: each match enters and leaves it once, so this is linear.
  const amounts = new Map<string, number>()
  let next = 0
  for (const [first, match] of matches.entries()) {
    for (; next < matches.length && matches[next]!.end <= match.start + snippetLength; next++) {
      for (const word of matches[next]!.words) amounts.set(word, (amounts.get(word) ?? 0) + 1)
    }
    if (amounts.size > best.different) best = { first, different: amounts.size }
    if (next === first) next++
    else for (const word of match.words) takeOne(amounts, word)
  }
  const { start, end } = matches[best.first]!
  // Start some words before the first match, at a word start, and never split a surrogate pair.
  const earliest = Math.max(0, start - 40)
  const space = text.slice(earliest, start).search(/\s\S/)
  const from = earliest === 0 ? 0 : space === -1 ? start : earliest + space + 1
  const latest = Math.min(text.length, Math.max(end, from + snippetLength))
  const lastSpace = text.slice(0, latest).search(/\s\S*$/)
  const whole = latest === text.length || lastSpace < end
  const to = whole ? latest : lastSpace
  return { from, to: to < text.length && isHighSurrogate(text, to - 1) ? to - 1 : to }
}

const isHighSurrogate = (text: string, index: number) => {
  const unit = text.charCodeAt(index)
  return unit >= 0xd800 && unit <= 0xdbff
}

function highlightOf({ field, text, pieces }: ReadField, matching: ReadonlySet<string>): Highlight[] {
  const matches = pieces.filter(({ words }) => words.some((word) => matching.has(word)))
  if (matches.length === 0) return []
  const { from, to } = snippetOf(text, matches)
  const inside = matches
    .filter(({ start, end }) => start >= from && end <= to)
    .map((match) => ({ ...match, start: match.start - from, end: match.end - from }))
  return inside.length === 0 ? [] : [{ field, text: text.slice(from, to), ranges: rangesOf(inside) }]
}

/** Finds words as the index does: equal after normalization and stemming. @param words normalized */
export async function highlightMatches(
  executor: Executor,
  results: readonly RequestRecord[],
  words: readonly string[],
): Promise<Highlight[][]> {
  const readPieces = createPieceReader()
  const pause = createPauses()
  const read: ReadField[][] = []
  const { candidates, add } = createCandidates(words)
  for (const result of results) {
    const fields = fieldsOf(result).map((field) => ({ ...field, pieces: readPieces(field.text) }))
    for (const { pieces } of fields) for (const piece of pieces) for (const word of piece.words) add(word)
    read.push(fields)
    await pause()
  }
  const matching = await findMatchingWords(executor, words, candidates)
  const highlights: Highlight[][] = []
  for (const fields of read) {
    highlights.push(fields.flatMap((field) => highlightOf(field, matching)))
    await pause()
  }
  return highlights
}
