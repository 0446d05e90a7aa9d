import { hash } from 'node:crypto'
import type { PlatformName } from '../../database/column-types.ts'
import { type IdentifiedRequest, identitiesOf } from '../identity.ts'
import { isSameText, leastShared, type SketchedText, sketchOf } from './sketch.ts'

/** Who asks for a wish. */
export interface Voices {
  /** How many people asked in words of their own: requests of one author are one, and so are those with nearly the same text. */
  voices: number
  /** How many authors there are; each request without one counts as another. */
  authors: number
  /** How many requests repeat the text of another one. */
  crossPosts: number
}

/** Bytes before the sketch: its length, and the author. */
const [lengthBytes, authorBytes, hashBytes] = [1, 6, 4]

/**
 * An author, as the store compares identities. The address of the profile comes first, since one handle may be of two people on two forums or
 * sites of a platform. Null where the platform names none.
 */
function authorOf(platform: PlatformName, request: IdentifiedRequest): string | null {
  const identities = identitiesOf(request)
  const [author] = ['profile', 'handle', 'name'].flatMap((kind) => identities.filter((one) => one.kind === kind))
  return author === undefined ? null : `${platform} ${author.kind} ${author.value}`
}

/**
 * What a request is told from other voices by: the length of its sketch in a byte, a hash of its author in six (0 where it has none), and the
 * sketch, each hash in four, little-endian. Such values may follow one another.
 */
export function voiceOf(platform: PlatformName, request: IdentifiedRequest & SketchedText): Buffer {
  const sketch = sketchOf(request)
  const author = authorOf(platform, request)
  const voice = Buffer.alloc(lengthBytes + authorBytes + hashBytes * sketch.length)
  voice.writeUInt8(sketch.length)
  if (author !== null) hash('sha256', author, 'buffer').copy(voice, lengthBytes, 0, authorBytes)
  for (const [index, value] of sketch.entries())
    voice.writeInt32LE(value, lengthBytes + authorBytes + hashBytes * index)
  return voice
}

interface Voice {
  /** 0 for none. */
  author: number
  sketch: number[]
  /** The bytes of the sketch, a character each. */
  text: string
}

function readVoices(bytes: Buffer): Voice[] {
  const voices: Voice[] = []
  for (let at = 0; at < bytes.length; ) {
    const author = bytes.readUIntLE(at + lengthBytes, authorBytes)
    const start = at + lengthBytes + authorBytes
    const end = start + hashBytes * bytes.readUInt8(at)
    const sketch: number[] = []
    for (at = start; at < end; at += hashBytes) sketch.push(bytes.readInt32LE(at))
    voices.push({ author, sketch, text: bytes.toString('latin1', start, end) })
  }
  return voices
}

/** Sets of positions, which are joined (union-find with halving; R. Tarjan and J. van Leeuwen, 1984). */
function createSets(size: number) {
  const parents = Array.from({ length: size }, (_, position) => position)
  const rootOf = (position: number): number => {
    let root = position
    while (parents[root] !== root) {
      parents[root] = parents[parents[root]!]!
      root = parents[root]!
    }
    return root
  }
  return {
    join: (a: number, b: number) => {
      parents[rootOf(a)] = rootOf(b)
    },
    count: () => parents.filter((parent, position) => parent === position).length,
  }
}

/** Of the texts that have one hash the first ones are compared with all others: the work is linear in the number of requests. */
const maxCompared = 16
/** More than a wish has members. */
const maxPositions = 2 ** 20

/** The pairs of positions that share hashes, as one number each, with how many they share. */
function countShared(voices: readonly Voice[], positions: readonly number[]): Map<number, number> {
  // The hashes in order, each with its position: a typed array of numbers is sorted much faster than objects.
  const hashes = new Float64Array(positions.reduce((sum, position) => sum + voices[position]!.sketch.length, 0))
  let filled = 0
  for (const position of positions)
    for (const value of voices[position]!.sketch) hashes[filled++] = (value >>> 0) * maxPositions + position
  hashes.sort()
  const shared = new Map<number, number>()
  for (let index = 1, first = 0; index < hashes.length; index++) {
    if (Math.floor(hashes[index]! / maxPositions) !== Math.floor(hashes[first]! / maxPositions)) first = index
    for (let other = first; other < Math.min(index, first + maxCompared); other++) {
      const pair = (hashes[index]! % maxPositions) * maxPositions + (hashes[other]! % maxPositions)
      shared.set(pair, (shared.get(pair) ?? 0) + 1)
    }
  }
  return shared
}

/** Calls `join` for requests whose texts are nearly the same. */
function joinTexts(voices: readonly Voice[], join: (a: number, b: number) => void): void {
  const different = new Map<string, number>()
  for (const [position, { text }] of voices.entries()) {
    if (text === '') continue
    const same = different.get(text)
    if (same === undefined) different.set(text, position)
    else join(position, same)
  }
  for (const [pair, shared] of countShared(voices, [...different.values()])) {
    if (shared < leastShared) continue
    const [a, b] = [Math.floor(pair / maxPositions), pair % maxPositions]
    if (isSameText(voices[a]!.sketch, voices[b]!.sketch, shared)) join(a, b)
  }
}

/**
 * Counts the voices of a wish: the sets of requests that their authors and nearly the same texts connect. Takes time linear in their number but for a sort.
 * @param bytes what `voiceOf` gives for each request, one after the other
 */
export function countVoices(bytes: Buffer): Voices {
  const voices = readVoices(bytes)
  const texts = createSets(voices.length)
  const people = createSets(voices.length)
  joinTexts(voices, (a, b) => {
    texts.join(a, b)
    people.join(a, b)
  })
  const firstOf = new Map<number, number>()
  for (const [position, { author }] of voices.entries()) {
    const first = firstOf.get(author)
    if (author === 0) continue
    if (first === undefined) firstOf.set(author, position)
    else people.join(position, first)
  }
  return {
    voices: people.count(),
    authors: firstOf.size + voices.filter(({ author }) => author === 0).length,
    crossPosts: voices.length - texts.count(),
  }
}
