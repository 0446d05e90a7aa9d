import { hash } from 'node:crypto'
import type { PlatformName } from '../../database/column-types.ts'
import { type IdentifiedRequest, identitiesOf } from '../identity.ts'
import { isSameText, leastShared, type SketchedText, sketchOf } from './sketch.ts'

export interface Voices {
  /** How many people asked independently: requests with the same author or nearly the same text count once. */
  voices: number
  /** Distinct authors; each request without one counts as another. */
  authors: number
  /** Requests that repeat another's text. */
  crossPosts: number
}

/** Bytes before the sketch (its length, the author), and per hash. */
const [lengthBytes, authorBytes, hashBytes] = [1, 6, 4]

/** The author's identity, preferably the profile URL: handles are not unique across sites. Null if unnamed. */
function authorOf(platform: PlatformName, request: IdentifiedRequest): string | null {
  const identities = identitiesOf(request)
  const [author] = ['profile', 'handle', 'name'].flatMap((kind) => identities.filter((one) => one.kind === kind))
  return author === undefined ? null : `${platform} ${author.kind} ${author.value}`
}

/** Encodes a voice: sketch length (1 byte), author hash (6, 0 if none), 4 bytes per sketch hash, little-endian. */
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
  /** The sketch's bytes, one character each. */
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

/** Disjoint sets of positions (union-find with path halving; R. Tarjan and J. van Leeuwen, 1984). */
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

/** Of the texts that share a hash, only the first are compared with all others: keeps the work linear. */
const maxCompared = 16
/** More than any wish has members. */
const maxPositions = 2 ** 20

/** How many hashes each pair of positions shares; a pair is encoded as one number. */
function countShared(voices: readonly Voice[], positions: readonly number[]): Map<number, number> {
  // Packs hash and position into one number: typed arrays sort much faster than objects.
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

/** Counts groups of requests joined by author or nearly equal text. @param bytes concatenated `voiceOf`s */
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
