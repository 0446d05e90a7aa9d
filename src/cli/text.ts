import { stripVTControlCharacters } from 'node:util'
import { withoutUnseen } from '../runtime/text/unseen.ts'

export { formatDay, formatMoment } from '../runtime/dates.ts'

/** The longest output line; the rest of a text is not processed. */
const maxLineLength = 4_000

/** Foreign text as one line, safe on a terminal: no control characters, escape sequences or direction overrides. */
export function printable(text: string): string {
  return withoutUnseen(stripVTControlCharacters(text.slice(0, maxLineLength).toWellFormed()))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
}

/** The first non-blank line, printable; empty if there is none. */
export function firstLine(text: string): string {
  const lines = text.slice(0, maxLineLength).split(/[\r\n\u2028\u2029]+/)
  return lines.map(printable).find((line) => line !== '') ?? ''
}

/** JSON on one line, with control characters escaped. */
export function toJsonLine(value: unknown): string {
  const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  // JSON.stringify already escapes ASCII controls.
  return JSON.stringify(value).replace(/[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, toEscape)
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** East Asian characters and emoji are two columns wide. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|^[\u{20000}-\u{3fffd}]|^\p{Emoji_Presentation}|\ufe0f/u

const columnsOf = (grapheme: string) => (wide.test(grapheme) ? 2 : 1)

/** A printable text's width in columns. */
export function countColumns(text: string): number {
  return [...graphemes.segment(text)].reduce((sum, { segment }) => sum + columnsOf(segment), 0)
}

/** Shortens a printable text to a number of columns, with an ellipsis. */
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

/** Indentation for wrapped lines: the line's second column if it has one, else its own indentation. */
function hangingColumns(line: string): number {
  const [indentation = ''] = /^ */.exec(line)!
  const column = /^ *\S+(?: \S+)* {2,}(?=\S)/.exec(line)?.[0]
  if (column !== undefined) return countColumns(column)
  return indentation === '' ? 0 : indentation.length + 2
}

/** Wraps a printable line between words. Longer words, such as URLs, are never cut. */
export function wrapLine(line: string, columns: number): string[] {
  if (countColumns(line) <= columns) return [line]
  const hanging = hangingColumns(line)
  const indentation = ' '.repeat(hanging > columns / 2 ? 2 : hanging)
  const lines: string[] = []
  let current = ''
  // Keeps the line's start in one piece, to preserve its columns.
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

/** A duration as text: `4.2 s`, `42 s`, `3 min 05 s`. */
export function formatDuration(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds) / 1000
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  return seconds < 59.5 ? `${Math.round(seconds)} s` : withSeconds(Math.round(seconds))
}

export { count } from '../runtime/count.ts'

/** Quotes a word for a POSIX shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Quotes a command's last argument, protecting text that looks like an option. */
export const lastArgument = (text: string): string => (text.startsWith('-') ? '-- ' : '') + shellWord(text)
