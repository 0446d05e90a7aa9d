import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Executor } from '../../database/open.ts'
import { createPauses } from '../../event-loop.ts'
import { closed, oneOf } from '../../http/schemas.ts'
import type { RequestRecord } from '../record.ts'
import { createPieceReader, type Piece } from './marks.ts'
import { searchTextLimit } from './text.ts'

const highlightedFields = ['title', 'description', 'tags', 'author'] as const

/** Where a field of a result has the words of the query. */
export interface Highlight {
  field: (typeof highlightedFields)[number]
  /** The field, or the part of a long one that has most of the words. */
  text: string
  /** Start and end of each match in `text`, in UTF-16 code units, end exclusive; in order, never overlapping. */
  ranges: [number, number][]
}

export const highlightSchema = closed({
  field: oneOf(highlightedFields),
  text: Type.String({ description: 'The field, or the part of a long one that has most of the words' }),
  ranges: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
    description: 'Start and end of each match in `text`, in UTF-16 code units, end exclusive',
  }),
})

/** A longer text is shown in part. */
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

/** Only words of letters are stemmed by the text search configuration. */
const isStemmed = (word: string) => /^\p{L}[\p{L}\p{M}]*$/u.test(word)

/** The words that the index takes for one of the asked ones: those with the same stem. Stemming never changes the first letter. */
async function findMatchingWords(executor: Executor, asked: readonly string[], present: Iterable<string>) {
  const matching = new Set(asked)
  const beginnings = new Set(asked.map((word) => word[0]))
  const candidates = [...present].filter((word) => beginnings.has(word[0]) && !matching.has(word) && isStemmed(word))
  const stemmed = asked.filter(isStemmed)
  if (candidates.length === 0 || stemmed.length === 0) return matching
  const { rows } = await sql<{ word: string }>`
    select word from unnest(${candidates}::text[]) as word
    where ts_lexize('wishwell_stem', word) && array(
      select lexeme from unnest(${stemmed}::text[]) as asked, unnest(ts_lexize('wishwell_stem', asked)) as lexeme
    )`.execute(executor)
  for (const { word } of rows) matching.add(word)
  return matching
}

/** Matches as ranges; matches that touch are one. */
function rangesOf(matches: readonly Piece[]): [number, number][] {
  const ranges: [number, number][] = []
  for (const { start, end } of matches) {
    const last = ranges.at(-1)
    if (last && last[1] === start) last[1] = end
    else ranges.push([start, end])
  }
  return ranges
}

/** The part of a long text with the most different words among its matches, the first such part. */
function snippetOf(text: string, matches: readonly Piece[]): { from: number; to: number } {
  if (text.length <= snippetLength) return { from: 0, to: text.length }
  let best = { first: 0, different: 0 }
  for (const [first, { start }] of matches.entries()) {
    const words = new Set<string>()
    for (let place = first; place < matches.length && matches[place]!.end <= start + snippetLength; place++) {
      for (const word of matches[place]!.words) words.add(word)
    }
    if (words.size > best.different) best = { first, different: words.size }
  }
  const { start, end } = matches[best.first]!
  // Some words before the first match, from the beginning of one; and never half of a surrogate pair.
  const earliest = Math.max(0, start - 40)
  const space = text.slice(earliest, start).search(/\s\S/)
  const from = earliest === 0 ? 0 : space === -1 ? start : earliest + space + 1
  const latest = Math.min(text.length, Math.max(end, from + snippetLength))
  const lastSpace = text.slice(0, latest).search(/\s\S*$/)
  const whole = latest === text.length || lastSpace < end
  const to = whole ? latest : lastSpace
  return { from, to: to < text.length && isHighSurrogate(text, to - 1) ? to - 1 : to }
}

const isHighSurrogate = (text: string, place: number) => {
  const unit = text.charCodeAt(place)
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

/**
 * Where each of the results has the words, found as the index finds them: a word is marked when it is the same word after
 * normalisation and stemming.
 * @param words normalised
 * @returns the highlights of each result, in the order of the results.
 */
export async function highlightMatches(
  executor: Executor,
  results: readonly RequestRecord[],
  words: readonly string[],
): Promise<Highlight[][]> {
  const readPieces = createPieceReader()
  const pause = createPauses()
  const read: ReadField[][] = []
  const present = new Set<string>()
  for (const result of results) {
    const fields = fieldsOf(result).map((field) => ({ ...field, pieces: readPieces(field.text) }))
    for (const { pieces } of fields) for (const piece of pieces) for (const word of piece.words) present.add(word)
    read.push(fields)
    await pause()
  }
  const matching = await findMatchingWords(executor, words, present)
  return read.map((fields) => fields.flatMap((field) => highlightOf(field, matching)))
}
