import { normaliseText } from '../../runtime/text/normalise.ts'
import { readForm } from '../detection/form.ts'

// Bottom-k sketches of shingles: A. Broder, "On the resemblance and containment of documents" (1997).

/** Words compared of a text: some platforms cut texts after 300 characters. */
const maxWords = 60
const shingleWords = 3
const sketchSize = 20
/** Shorter texts could be anyone's: "Please add dark mode". */
const minWords = 9
const maxRead = 4_000
const maxText = 1_200

/** Form lines that everyone has: GitHub's questions and placeholders, ticked boxes, field names. */
const ofForm =
  /^\W*(?:is your (?:feature|request|proposal|enhancement)\b|(?:please )?(?:describe|explain|provide)\b|a clear and concise|ex\b.{0,9}i'?m always|(?:additional|other) (?:context|information|notes)\W*$|add any other|i have (?:searched|read|checked|verified)|alternatives? (?:you|considered)|(?:proposed |suggested |possible )?(?:solution|motivation|problem|use ?case|summary|description)\W*$)/i
const box = /^\s*(?:[-*+]\s+)?\[\s?[x✓✔]?\s?\]/i
const heading = /^\s*(?:#{1,6}\s|\*\*[^*]+\*\*[:?.\s]*$|[^.!?]{0,60}:\s*$)/
const crossPost =
  /^.{0,40}\b(?:(?:cross|x)-?post(?:ed|ing)?|(?:also|originally|previously) (?:posted|asked|shared|published|filed|suggested)|(?:reposted|moved|transferred|copied) from)\b.{0,160}$/i
const quote = /^\s*>/
const address = /!?\[([^[\]]{0,200})\]\([^()\s]{1,500}\)|<?\b(?:https?:\/\/|www\.)[^\s<>)\]]+>?/gi
const markup = /<\/?[a-z][a-z0-9]{0,9}(?:\s[^<>]{0,300})?\/?>/gi

/** Lowercases before normalizing, so that camelCase names stay whole: a copy may have lost their case. */
const wordsOf = (text: string): string[] => {
  const words = normaliseText(text.slice(0, maxText).toLowerCase())
  return words === '' ? [] : words.split(' ').slice(0, maxWords)
}

/** The author's own words: without URLs, markup, quotes, form lines and cross-post notes. */
function authorsText(description: string): string {
  const lines = readForm(description.slice(0, maxRead)).text.replace(address, '$1').replace(markup, ' ').split('\n')
  return lines
    .filter((line) => ![heading, quote, crossPost, ofForm, box].some((pattern) => pattern.test(line)))
    .join('\n')
}

/** A 32-bit finalizer: every output bit depends on all input bits (MurmurHash3, Austin Appleby, public domain). */
function mix(bits: number): number {
  let hash = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return hash ^ (hash >>> 16)
}

function hashOf(word: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < word.length; index++) hash = Math.imul(hash ^ word.charCodeAt(index), 0x01000193)
  return hash
}

export interface SketchedText {
  title: string
  description: string
}

/**
 * The smallest shingle hashes of a text, ascending, as signed 32-bit integers; empty if the text is too short to be one
 * author's. The title counts only if the description is too short.
 */
export function sketchOf({ title, description }: SketchedText): number[] {
  const own = wordsOf(authorsText(description))
  const words = own.length < minWords ? wordsOf(`${title}\n${authorsText(description)}`) : own
  if (words.length < minWords) return []
  const hashes = words.map(hashOf)
  const shingles = new Set<number>()
  for (let end = shingleWords; end <= hashes.length; end++) {
    let hash = 0
    for (const word of hashes.slice(end - shingleWords, end)) hash = mix(hash ^ word)
    shingles.add(hash)
  }
  return [...shingles].sort((a, b) => a - b).slice(0, sketchSize)
}

/** The fewest shingles that sketches of the same text share; common phrases share fewer. */
export const leastShared = 6
/** The smallest shared part of the comparable shingles; higher for short texts, which may be mostly a phrase. */
const [leastShare, leastShareOfShort] = [0.5, 0.76]

/** Whether one text nearly contains the other, by estimated containment. @param shared at least `leastShared` */
export function isSameText(a: readonly number[], b: readonly number[], shared: number): boolean {
  // Absence is only known below a sketch's largest hash; a sketch that is not full covers the whole text.
  const endOf = (sketch: readonly number[]) => (sketch.length < sketchSize ? Infinity : sketch.at(-1)!)
  const end = Math.min(endOf(a), endOf(b))
  const least = Math.min(a.length, b.length) < sketchSize ? leastShareOfShort : leastShare
  const known = (sketch: readonly number[]) => sketch.filter((hash) => hash <= end).length
  return shared >= leastShared && shared >= least * Math.min(known(a), known(b))
}
