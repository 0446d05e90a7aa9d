import { isSeen } from '../../runtime/text/unseen.ts'

/**
 * A text without the marks around its spoilers and folded parts, whose content stays: `[spoiler]…[/spoiler]` and
 * `[details="Title"]…[/details]` of Discourse, `>!…!<` of Reddit.
 */
export function withoutSpoilerMarks(text: string): string {
  return withoutRedditMarks(
    text.replace(/\[(\/?)(?:spoiler|details)(?:=("[^"\n\]]{0,200}"|[^\]\n"]{0,200}))?\]/gi, (_, closing, title = '') =>
      closing === '/' ? '' : title.replaceAll('"', ''),
    ),
  )
}

/** Only marks that are a pair: `a >! b` is code. */
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

/** Texts of platforms are parsed and stored up to this size, in UTF-8 bytes (the storage rule of the whole service). */
export const textLimitBytes = 64 * 1024
/** Titles are single lines of at most this many characters. */
export const titleLimit = 500
const nameLimit = 200
const tagLimit = 100
const tagCountLimit = 50

/**
 * Plain text that is safe to store: no NUL or other control characters, no lone surrogates (each of them
 * fails a whole batch in Postgres), nothing invisible, no white space at the ends of lines, at most two empty lines in a row, at
 * most 64 KiB. Empty where nothing of it is seen.
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

/** A title of plain text: one line of at most 500 characters, white space as a page shows it: single spaces. */
export function plainTitle(source: string): string {
  return cut(withoutControls(source.slice(0, 16 * titleLimit)).replace(/\s+/g, ' '), titleLimit)
}

/** A name as it is written, in one line of at most 200 characters. */
export const plainName = (source: string): string => singleLine(source, nameLimit)

/** Tags that can be stored: strings only, trimmed, each once, at most 50 of at most 100 characters. */
export function cleanTags(values: Iterable<unknown>): string[] {
  const tags = new Set<string>()
  for (const value of values) {
    const tag = typeof value === 'string' ? singleLine(value, tagLimit) : ''
    if (tag !== '') tags.add(tag)
    if (tags.size === tagCountLimit) break
  }
  return [...tags]
}

/** Line breaks become spaces; other white space stays. */
function singleLine(source: string, limit: number): string {
  return cut(withoutControls(source.slice(0, 16 * limit)).replace(/[\n\t\u2028\u2029]+/g, ' '), limit)
}

/** Empty where nothing of it is seen. */
function cut(line: string, limit: number): string {
  const trimmed = isSeen(line) ? line.trim() : ''
  return trimmed.length <= limit ? trimmed : [...trimmed].slice(0, limit).join('').trimEnd()
}

/** Also without zero-width spaces, word joiners and soft hyphens, which no reader sees; joiners of emoji and scripts stay. */
function withoutControls(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]|[\u00ad\u200b\u2060\ufeff]/gu, '')
    .replace(/\p{Surrogate}/gu, '')
}

/** The longest start of a text that fits into `limitBytes` of UTF-8, never half a character. */
export function capBytes(text: string, limitBytes: number): string {
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= limitBytes || Buffer.byteLength(text) <= limitBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes))
  return text.slice(0, read)
}
