/** UTF-16 units read of a title; the rest costs nothing. */
const maxRawTitle = 400
const maxRawDescription = 6_000

/** UTF-16 units of a normalized text that give features. */
const maxTitle = 300
const maxWordText = 1_500
const maxCharacterText = 800

/** Ends a sentence or line. */
const boundary = 46 // .
const question = 63 // ?
const space = 32
const apostrophe = 39
const zero = 48

// Every pattern also ends at the end of the text, so an unclosed form cannot cause a second pass.
export const comment: RegExp = /<!--[\s\S]*?(?:-->|$)/g
const codeBlock =
  /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|\{(?:code|noformat)[^}\n]{0,80}\}[\s\S]*?(?:\{(?:code|noformat)\}|$)|<pre[\s\S]*?(?:<\/pre>|$)/gi
const inlineCode = /`[^`\n]{1,200}`/g
const address = /(?:https?|ftp):\/\/[^\s)\]>]+|\bwww\.[^\s)\]>]+/gi
const tag = /<\/?[a-z][^<>\n]{0,200}>/gi

const mayHaveCode = (text: string) =>
  (text.includes('`') && text.includes('```')) ||
  (text.includes('~') && text.includes('~~~')) ||
  (text.includes('{') && (text.includes('{code') || text.includes('{noformat'))) ||
  (text.includes('<') && text.includes('<pre'))

/** @param text in lower case. Searches for single characters first, far faster than words or regular expressions. */
function withoutCode(text: string): string {
  let rest = text
  if (rest.includes('<') && rest.includes('<!--')) rest = rest.replace(comment, ' ')
  if (mayHaveCode(rest)) rest = rest.replace(codeBlock, ' ')
  if (rest.includes('`')) rest = rest.replace(inlineCode, ' ')
  if (rest.includes('://') || rest.includes('www.')) rest = rest.replace(address, ' ')
  if (rest.includes('<')) rest = rest.replace(tag, ' ')
  return rest
}

/** Keeps letters, maps digits to 0, sentence ends to a boundary and everything else to a space. */
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
  // Surrogate halves (mostly emoji) and private-use characters.
  if (code >= 0xd800 && code <= 0xf8ff) return space
  return code
}

const isSeparator = (code: number) => code === space || code === boundary

/** Appends at most `max` codes of a text, collapsing runs of spaces, boundaries and digits. Returns the new length. */
function append(text: string, codes: Uint16Array, start: number, max: number): number {
  let length = start
  let previous = boundary
  const end = Math.min(codes.length, start + max)
  for (let index = 0; index < text.length && length < end; index += 1) {
    const code = codeOf(text.charCodeAt(index))
    if (code === previous && (code === space || code === zero)) continue
    if (isSeparator(code) && isSeparator(previous)) {
      // A boundary replaces the space before it and absorbs the space after it.
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

interface NormalText {
  /** Lower-case letters, apostrophes, 0 for any number, spaces, boundaries and question marks. */
  codes: Uint16Array
  titleLength: number
  length: number
}

const scratch = new Uint16Array(maxTitle + 1 + maxWordText)

/** Lowercases again, because a compatibility form may be upper case. */
const cleaned = (text: string) => withoutCode(text.toLowerCase()).normalize('NFKC').toLowerCase()

/** Normalizes (NFKC, lower case) without comments, code, addresses and tags. Valid until the next call. */
export function normalText(title: string, description: string): NormalText {
  const titleText = cleaned(title.slice(0, maxRawTitle))
  const text = cleaned(description.slice(0, maxRawDescription))
  const titleLength = append(titleText, scratch, 0, maxTitle)
  scratch[titleLength] = boundary
  const length = append(text, scratch, titleLength + 1, maxWordText)
  return { codes: scratch, titleLength, length }
}

/** Distinct hash seeds: the same letters in another role are another feature. */
const wordSeed = 0x811c9dc5 | 0
const titleSeed = 0x2f0b4a27 | 0
const pairSeed = 0x5bd1e995 | 0
const characterSeed = 0x1b873593 | 0
const prime = 0x01000193
/** The sentence start, as the first half of a pair of words. */
const sentenceStart = 0x7f4a7c15 | 0

/** In table order. `share`, a vector's length, keeps characters from drowning words (cross-validated). */
export const blocks = [
  { name: 'words', bits: 15, share: 0.6 },
  { name: 'titleWords', bits: 13, share: 0.6 },
  { name: 'characters', bits: 14, share: 0.5 },
] as const
export const blockCount = blocks.length

const offsets = blocks.map((_block, index) => blocks.slice(0, index).reduce((sum, { bits }) => sum + 2 ** bits, 0))
export const modelSize: number = blocks.reduce((sum, { bits }) => sum + 2 ** bits, 0)

/** Every character yields at most two words or pairs, or three sequences. */
const maxFeatures = 3 * (maxTitle + 1 + maxWordText)

/** A text as a sparse vector. Features of a block have equal values. */
export interface Features {
  /** Distinct positions in the model's tables, block after block. */
  positions: Uint32Array
  /** The full hash of each position's feature. */
  hashes: Uint32Array
  ends: Uint32Array
  /** The value of each block's features, which gives the block the length `share`. */
  values: Float64Array
}

/** MurmurHash3's finalizer: spreads a hash over all bits. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}

const pairOf = (first: number, second: number) => mixed(Math.imul(first ^ pairSeed, prime) ^ second)

const found = new Uint32Array(maxFeatures)

/** Hashes words and pairs of neighbors within a sentence, including (start, first word). Returns how many. */
function hashWords(codes: Uint16Array, end: number, seed: number): number {
  let count = 0
  let previous = sentenceStart
  let word = 0
  for (let index = 0; index <= end; index += 1) {
    const code = index < end ? codes[index]! : boundary
    if (code !== space && code !== boundary && code !== question) {
      word = Math.imul((word === 0 ? seed : word) ^ code, prime)
      continue
    }
    if (word !== 0) {
      found[count] = mixed(word)
      found[count + 1] = pairOf(previous, word)
      count += 2
      previous = word
      word = 0
    }
    if (code === question) {
      found[count] = mixed(seed ^ question)
      found[count + 1] = pairOf(previous, question)
      count += 2
    }
    if (code !== space) previous = sentenceStart
  }
  return count
}

/** Hashes runs of 3, 4 and 5 characters. Returns how many. */
function hashCharacters(codes: Uint16Array, end: number): number {
  let count = 0
  for (let index = 0; index + 3 <= end; index += 1) {
    const two = Math.imul(Math.imul(characterSeed ^ codes[index]!, prime) ^ codes[index + 1]!, prime)
    const three = Math.imul(two ^ codes[index + 2]!, prime)
    found[count++] = mixed(three)
    if (index + 3 === end) break
    const four = Math.imul(three ^ codes[index + 3]!, prime)
    found[count++] = mixed(four)
    if (index + 4 === end) continue
    found[count++] = mixed(Math.imul(four ^ codes[index + 4]!, prime))
  }
  return count
}

const features: Features = {
  positions: new Uint32Array(blockCount * maxFeatures),
  hashes: new Uint32Array(blockCount * maxFeatures),
  ends: new Uint32Array(blockCount),
  values: new Float64Array(blockCount),
}
/** The last text in which each position occurred: counts positions once per text without clearing the table. */
const seenIn = new Uint32Array(modelSize)
let textNumber = 0

function addBlock(block: number, start: number, count: number): number {
  const { bits, share } = blocks[block]!
  const offset = offsets[block]!
  const { positions, hashes, ends, values } = features
  let end = start
  for (let index = 0; index < count; index += 1) {
    const hash = found[index]!
    const position = offset + (hash >>> (32 - bits))
    if (seenIn[position] === textNumber) continue
    seenIn[position] = textNumber
    positions[end] = position
    hashes[end] = hash
    end += 1
  }
  ends[block] = end
  values[block] = share / Math.sqrt(Math.max(1, end - start))
  return end
}

/** Binary, normalized hashed features (hashing trick, Weinberger et al., 2009). Valid until the next call. */
export function featuresOf(title: string, description: string): Features {
  const { codes, titleLength, length } = normalText(title, description)
  textNumber += 1
  if (textNumber === 2 ** 32) {
    seenIn.fill(0)
    textNumber = 1
  }
  let end = addBlock(0, 0, hashWords(codes, length, wordSeed))
  end = addBlock(1, end, hashWords(codes, titleLength, titleSeed))
  addBlock(2, end, hashCharacters(codes, Math.min(length, titleLength + 1 + maxCharacterText)))
  return features
}
