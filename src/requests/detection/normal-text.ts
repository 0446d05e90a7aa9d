/** What of a text is read at all, in UTF-16 units. Whatever lies behind it costs nothing. */
const maxRawTitle = 400
export const maxRawDescription = 6_000

/** How much of a normalised text gives features, in UTF-16 units. */
export const maxTitle = 300
export const maxWordText = 1_500
export const maxCharacterText = 800

/** Ends a sentence or a line: the word after it begins one. */
export const boundary = 46 // .
export const question = 63 // ?
export const space = 32
const apostrophe = 39
const zero = 48

// Every unclosed form ends at the end of the text, so that each pattern reads a text once.
const comment = /<!--[\s\S]*?(?:-->|$)/g
const codeBlock =
  /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|\{(?:code|noformat)[^}\n]{0,80}\}[\s\S]*?(?:\{(?:code|noformat)\}|$)|<pre[\s\S]*?(?:<\/pre>|$)/gi
const inlineCode = /`[^`\n]{1,200}`/g
const address = /(?:https?|ftp):\/\/[^\s)\]>]+|\bwww\.[^\s)\]>]+/gi
const tag = /<\/?[a-z][^<>\n]{0,200}>/gi

function withoutCode(text: string): string {
  let rest = text
  if (rest.includes('<!--')) rest = rest.replace(comment, ' ')
  if (/```|~~~|\{code|\{noformat|<pre/i.test(rest)) rest = rest.replace(codeBlock, ' ')
  if (rest.includes('`')) rest = rest.replace(inlineCode, ' ')
  if (/:\/\/|www\./i.test(rest)) rest = rest.replace(address, ' ')
  if (rest.includes('<')) rest = rest.replace(tag, ' ')
  return rest
}

/** A letter stays, a digit becomes 0, an end of a sentence a boundary, and anything else a space. */
function codeOf(code: number): number {
  if (code >= 97 && code <= 122) return code
  if (code < 128) {
    if (code === apostrophe || code === question) return code
    if (code >= 48 && code <= 57) return zero
    if (code === 10 || code === 33 || code === 46 || code === 58 || code === 59) return boundary
    return space
  }
  if (code === 0x2019 || code === 0x2018) return apostrophe
  if (code < 0xc0 || (code >= 0x2000 && code <= 0x2fff) || (code >= 0x3000 && code <= 0x303f)) return space
  // Halves of surrogate pairs, most of them emoji, and private characters.
  if (code >= 0xd800 && code <= 0xf8ff) return space
  return code
}

const isSeparator = (code: number) => code === space || code === boundary

/** Appends at most `max` codes of a text, with runs of spaces, of boundaries and of digits as one each. Returns the new length. */
function append(text: string, codes: Uint16Array, start: number, max: number): number {
  let length = start
  let previous = boundary
  const end = Math.min(codes.length, start + max)
  for (let index = 0; index < text.length && length < end; index += 1) {
    const code = codeOf(text.charCodeAt(index))
    if (code === previous && (code === space || code === zero)) continue
    if (isSeparator(code) && isSeparator(previous)) {
      // A boundary takes the position of the space before it, and a space after it adds nothing.
      if (code === boundary && length > start) codes[length - 1] = boundary
      if (code === boundary) previous = boundary
      continue
    }
    codes[length] = code
    length += 1
    previous = code
  }
  return length
}

export interface NormalText {
  /** Lower-case letters, apostrophes, 0 for any number, spaces, boundaries and question marks. */
  codes: Uint16Array
  titleLength: number
  length: number
}

const scratch = new Uint16Array(maxTitle + 1 + maxWordText)

/** NFKC, lower case, without comments, code, addresses and tags; headings stay. The codes are valid until the next call. */
export function normalText(title: string, description: string): NormalText {
  const titleText = withoutCode(title.slice(0, maxRawTitle)).normalize('NFKC').toLowerCase()
  const text = withoutCode(description.slice(0, maxRawDescription)).normalize('NFKC').toLowerCase()
  const titleLength = append(titleText, scratch, 0, maxTitle)
  scratch[titleLength] = boundary
  const length = append(text, scratch, titleLength + 1, maxWordText)
  return { codes: scratch, titleLength, length }
}
