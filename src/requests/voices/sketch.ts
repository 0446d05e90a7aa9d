import { normaliseText } from '../../runtime/text/normalise.ts'
import { readForm } from '../detection/form.ts'

// Texts are compared by bottom-k sketches of their shingles: A. Broder, "On the resemblance and containment of documents" (1997).

/** Words of a text that are compared: some platforms cut what is longer than 300 characters. */
const maxWords = 60
/** Words that follow one another are one shingle. */
const shingleWords = 3
/** The hashes of a sketch. */
const sketchSize = 20
/** A shorter text is anybody's: "Please add dark mode". */
const minWords = 9
/** UTF-16 units that are read for them. */
const maxRead = 4_000
const maxText = 1_200

/** Lines of a form that everybody who fills it in has: GitHub's own questions and placeholders, ticked boxes, names of fields. */
const ofForm =
  /^\W*(?:is your (?:feature|request|proposal|enhancement)\b|(?:please )?(?:describe|explain|provide)\b|a clear and concise|ex\b.{0,9}i'?m always|(?:additional|other) (?:context|information|notes)\W*$|add any other|i have (?:searched|read|checked|verified)|alternatives? (?:you|considered)|(?:proposed |suggested |possible )?(?:solution|motivation|problem|use ?case|summary|description)\W*$)/i
const box = /^\s*(?:[-*+]\s+)?\[\s?[x✓✔]?\s?\]/i
const heading = /^\s*(?:#{1,6}\s|\*\*[^*]+\*\*[:?.\s]*$|[^.!?]{0,60}:\s*$)/
/** "Cross-posted from …", "I also asked this on Reddit." */
const crossPost =
  /^.{0,40}\b(?:(?:cross|x)-?post(?:ed|ing)?|(?:also|originally|previously) (?:posted|asked|shared|published|filed|suggested)|(?:reposted|moved|transferred|copied) from)\b.{0,160}$/i
const quote = /^\s*>/
const address = /!?\[([^[\]]{0,200})\]\([^()\s]{1,500}\)|<?\b(?:https?:\/\/|www\.)[^\s<>)\]]+>?/gi
const markup = /<\/?[a-z][a-z0-9]{0,9}(?:\s[^<>]{0,300})?\/?>/gi

/** In lower case first: names in camel case stay whole, since a copy may have lost their case. */
const wordsOf = (text: string): string[] => {
  const words = normaliseText(text.slice(0, maxText).toLowerCase())
  return words === '' ? [] : words.split(' ').slice(0, maxWords)
}

/** What an author wrote: without addresses, markup, quotes of others, and what a form or the place adds. */
function authorsText(description: string): string {
  const lines = readForm(description.slice(0, maxRead)).text.replace(address, '$1').replace(markup, ' ').split('\n')
  return lines
    .filter((line) => ![heading, quote, crossPost, ofForm, box].some((pattern) => pattern.test(line)))
    .join('\n')
}

/** Mixes 32 bits so that each of them depends on all (MurmurHash3, Austin Appleby, public domain). */
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
 * What the text of a request is compared by: the smallest hashes of the runs of three words at its beginning, in ascending order, signed 32 bits
 * each; none of a text that is too short to be one author's. The title counts only where there is no other text.
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

/** Sketches of the same text share at least so many shingles: a phrase that many people use has fewer. */
export const leastShared = 6
/** And at least this part of those that they could share; of a short text more, since a phrase can be most of it. */
const [leastShare, leastShareOfShort] = [0.5, 0.76]

/**
 * Whether two sketches, which share `leastShared` shingles or more, are of nearly the same text, or one of them of a part of the other: by the containment that they estimate.
 * @param shared how many they share
 */
export function isSameText(a: readonly number[], b: readonly number[], shared: number): boolean {
  // What a text does not have is known only below the end of its sketch; one that is not full is the whole text.
  const endOf = (sketch: readonly number[]) => (sketch.length < sketchSize ? Infinity : sketch.at(-1)!)
  const end = Math.min(endOf(a), endOf(b))
  const least = Math.min(a.length, b.length) < sketchSize ? leastShareOfShort : leastShare
  const known = (sketch: readonly number[]) => sketch.filter((hash) => hash <= end).length
  return shared >= leastShared && shared >= least * Math.min(known(a), known(b))
}
