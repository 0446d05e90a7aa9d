import { stripVTControlCharacters } from 'node:util'

/** No line of output is longer, and no more of a text than this is ever looked at. */
const maxLineLength = 4_000

/** Format characters (bidirectional overrides, tags) can make a terminal show another text; joiners make letters. */
const invisible = /(?![\u200c\u200d])\p{Cf}/gu

/**
 * Text from outside as one line that a terminal shows and never obeys: without control characters, escape sequences and
 * direction overrides.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text.slice(0, maxLineLength).toWellFormed())
    .replace(invisible, '')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/** The first line that has something on it, printable; empty when there is none. */
export function firstLine(text: string): string {
  const lines = text.slice(0, maxLineLength).split(/[\r\n\u2028\u2029]+/)
  return lines.map(printable).find((line) => line !== '') ?? ''
}

/** JSON on one line; characters that a terminal would obey are escaped, so the value stays the same. */
export function toJsonLine(value: unknown): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  // JSON.stringify escapes the ASCII ones by itself.
  return JSON.stringify(value).replace(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, toEscape)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** East Asian and emoji characters take two columns of a terminal. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^[\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u

const columnsOf = (grapheme: string) => (wide.test(grapheme) ? 2 : 1)

/** How many columns of a terminal a printable text takes. */
export function countColumns(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + columnsOf(segment), 0)
}

/** A printable text cut to so many columns, with an ellipsis where something is missing. */
export function shorten(text: string, columns: number): string {
  let used = 0
  let kept = ''
  let keptWithEllipsis = ''
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment)
    if (used > columns) return columns < 1 ? '' : `${keptWithEllipsis.trimEnd()}…`
    kept += segment
    if (used < columns) keptWithEllipsis = kept
  }
  return kept
}

/** Where what belongs to the start of a line goes on: below its second column if it has one, else further in where it is indented. */
function hangingColumns(line: string): number {
  const [indentation = ''] = /^ */.exec(line)!
  const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0]
  if (column !== undefined) return countColumns(column)
  return indentation === '' ? 0 : indentation.length + 2
}

/**
 * A printable line as lines of at most so many columns, broken between words. A word that is longer, such as an address, stays
 * whole: half of it is of no use.
 */
export function wrapLine(line: string, columns: number): string[] {
  if (countColumns(line) <= columns) return [line]
  const hanging = hangingColumns(line)
  const indentation = ' '.repeat(hanging > columns / 2 ? 2 : hanging)
  const lines: string[] = []
  let current = ''
  // The start of the line is one piece, so that its own columns stay as they are.
  for (const [piece] of line.matchAll(/(?:^ *)?\S+ */g)) {
    if (current.trim() !== '' && countColumns((current + piece).trimEnd()) > columns) {
      lines.push(current.trimEnd())
      current = indentation
    }
    current += piece
  }
  return [...lines, current.trimEnd()]
}

const withSeconds = (seconds: number) => `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`

/** How long something took, for people: `4.2 s`, `42 s`, `3 min 05 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  return seconds < 59.5 ? `${Math.round(seconds)} s` : withSeconds(Math.round(seconds))
}

/** `1 page`, `14,991 credits`. */
export function count(amount: number, noun: string): string {
  return `${amount.toLocaleString('en-US')} ${noun}${amount === 1 ? '' : 's'}`
}

/** A word as a POSIX shell reads it back: quoted when it must be. */
export function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** The last argument of a command of ours, as a person can paste it: a text that looks like an option stays a text. */
export const lastArgument = (text: string): string => (text.startsWith('-') ? '-- ' : '') + shellWord(text)
