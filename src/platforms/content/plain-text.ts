import { isSeen } from '../../runtime/text/unseen.ts'

/** Unwraps spoilers and folds: Discourse `[spoiler]` and `[details="Title"]`, Reddit `>!…!<`. */
export function withoutSpoilerMarks(text: string): string {
  return withoutRedditMarks(
    text.replace(/\[(\/?)(?:spoiler|details)(?:=("[^"\n\]]{0,200}"|[^\]\n"]{0,200}))?\]/gi, (_, closing, title = '') =>
      closing === '/' ? '' : title.replaceAll('"', ''),
    ),
  )
}

/** Only marks in pairs: `a >! b` is code. */
function withoutRedditMarks(text: string): string {
  let isOpen = false
  let closings = text.split('!<').length - 1
  return text.replace(/>!|!</g, (mark) => {
    if (mark === '!<') {
      closings -= 1
      if (!isOpen) return mark
      isOpen = false
      return ''
    }
    if (isOpen || closings === 0) return mark
    isOpen = true
    return ''
  })
}

/** Maximum text that is parsed and stored, in UTF-8 bytes (the storage rule of the whole service). */
export const textLimitBytes = 64 * 1024
export const titleLimit = 500
const nameLimit = 200
const tagLimit = 100
const tagCountLimit = 50

/**
 * Storable text: no control characters or lone surrogates (one fails a whole Postgres batch), nothing invisible, at
 * most two empty lines in a row and 64 KiB. Empty if nothing is visible.
 */
export function plainText(source: string): string {
  if (!isSeen(source)) return ''
  const lines = withoutControls(capBytes(source, textLimitBytes)).split('\n')
  return lines
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{4,}/g, '\n\n\n')
    .trim()
}

/** A title as one line of at most 500 characters, with single spaces. */
export function plainTitle(source: string): string {
  return cut(withoutControls(source.slice(0, 16 * titleLimit)).replace(/\s+/g, ' '), titleLimit)
}

/** A name as one line of at most 200 characters. */
export const plainName = (source: string): string => singleLine(source, nameLimit)

/** Storable tags: strings only, trimmed, distinct, at most 50 of at most 100 characters. */
export function cleanTags(values: Iterable<unknown>): string[] {
  const tags = new Set<string>()
  for (const value of values) {
    const tag = typeof value === 'string' ? singleLine(value, tagLimit) : ''
    if (tag !== '') tags.add(tag)
    if (tags.size === tagCountLimit) break
  }
  return [...tags]
}

/** Turns line breaks into spaces; keeps other white space. */
function singleLine(source: string, limit: number): string {
  return cut(withoutControls(source.slice(0, 16 * limit)).replace(/[\n\t\u2028\u2029]+/g, ' '), limit)
}

/** Empty if nothing is visible. */
function cut(line: string, limit: number): string {
  const trimmed = isSeen(line) ? line.trim() : ''
  return trimmed.length <= limit ? trimmed : [...trimmed].slice(0, limit).join('').trimEnd()
}

/** Also removes invisible zero-width spaces, word joiners and soft hyphens; keeps joiners of emoji and scripts. */
function withoutControls(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\u00ad\u200b\u2060\ufeff]/gu, '')
    .replace(/\p{Surrogate}/gu, '')
}

/** The longest prefix that fits into `limitBytes` of UTF-8 without splitting a character. */
export function capBytes(text: string, limitBytes: number): string {
  // A UTF-16 unit takes at most three UTF-8 bytes.
  if (text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes))
  return text.slice(0, read)
}
