import { boundary, maxCharacterText, maxTitle, maxWordText, normalText, question, space } from './normal-text.ts'

/** Distinct beginnings of the hashes, so that equal letters in another role are another feature. */
const wordSeed = 0x811c9dc5 | 0
const titleSeed = 0x2f0b4a27 | 0
const pairSeed = 0x5bd1e995 | 0
const characterSeed = 0x1b873593 | 0
const prime = 0x01000193
/** The hash of the start of a sentence, as the first half of a pair of words. */
const sentenceStart = 0x7f4a7c15 | 0

/**
 * The blocks of features, in the order of their tables: words of title and text, words of the title, characters. The features of a block share a
 * vector of the length `share`, so that the many character features do not drown the words. Shares were chosen by cross-validation.
 */
export const blocks = [
  { name: 'words', bits: 15, share: 0.6 },
  { name: 'titleWords', bits: 13, share: 0.6 },
  { name: 'characters', bits: 14, share: 0.5 },
] as const
export const blockCount = blocks.length

/** Where the table of each block begins, and the size of all. */
const offsets = blocks.map((_block, index) => blocks.slice(0, index).reduce((sum, { bits }) => sum + 2 ** bits, 0))
export const modelSize: number = blocks.reduce((sum, { bits }) => sum + 2 ** bits, 0)

/** Every character gives at most two words or pairs, or three sequences of characters. */
const maxFeatures = 3 * (maxTitle + 1 + maxWordText)

/** A text as a sparse vector: the features of a block have the same value. */
export interface Features {
  /** Positions in the tables of the model, each once, block after block. */
  positions: Uint32Array
  /** The whole hash of the feature at the same index of `positions`. */
  hashes: Uint32Array
  /** Where each block ends in `positions`. */
  ends: Uint32Array
  /** The value of the features of each block: together they have the length `share`. */
  values: Float64Array
}

/** The last step of MurmurHash3: spreads a hash over all bits. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) >>> 0
}

const pairOf = (first: number, second: number) => mixed(Math.imul(first ^ pairSeed, prime) ^ second)

const found = new Uint32Array(maxFeatures)

/** Words, and pairs of neighbours in a sentence; the first word of a sentence follows its start. Returns how many were found. */
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

/** 3, 4 and 5 characters in a row. Returns how many were found. */
function hashCharacters(codes: Uint16Array, end: number): number {
  let count = 0
  for (let index = 0; index + 3 <= end; index += 1) {
    let hash = Math.imul(characterSeed ^ codes[index]!, prime)
    hash = Math.imul(hash ^ codes[index + 1]!, prime)
    const last = Math.min(end, index + 5)
    for (let next = index + 2; next < last; next += 1) {
      hash = Math.imul(hash ^ codes[next]!, prime)
      found[count] = mixed(hash)
      count += 1
    }
  }
  return count
}

const features: Features = {
  positions: new Uint32Array(blockCount * maxFeatures),
  hashes: new Uint32Array(blockCount * maxFeatures),
  ends: new Uint32Array(blockCount),
  values: new Float64Array(blockCount),
}
/** The text in which a position occurred last, so that each position counts once without clearing a table for each text. */
const seenIn = new Uint32Array(modelSize)
let textNumber = 0

/** Adds the first `count` of `found` as a block. */
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

/** Hashed features (the hashing trick of Weinberger et al., 2009), binary and normalised. The result is valid until the next call. */
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
