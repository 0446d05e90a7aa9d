import { normaliseText, unspacedCharacterPattern as unspaced } from '../runtime/text/normalise.ts'

/** A piece of a text as it was written, and the normalised words that it is indexed by. */
export interface Piece {
  /** UTF-16 offsets. */
  start: number
  end: number
  words: readonly string[]
}

/** What the normalisation takes as one: names with punctuation, version numbers, characters of a script without spaces, words. */
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

/** The characters of a run without spaces: each is indexed by itself and with its neighbours. */
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

/** Finds the pieces of texts, and caches the words of each piece for the next texts. */
export function createPieceReader(): (text: string) => Piece[] {
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
