import { blockCount, featuresOf } from '../../src/requests/detection/features.ts'
import type { Example, Origin } from './corpora.ts'

/** The features of texts as rows of positions in the tables of the model. */
export interface Matrix {
  rows: readonly Uint32Array[]
  /** Of each row: where its blocks end, and the value of a feature of each block. */
  ends: Uint32Array
  values: Float32Array
}

/** Features are counted by so many bits of their hash, far more than the model has. */
const countedBits = 26
/** A feature is trained only when forums or chats of so many groups have it: names of products, and what occurs once, do not. */
const minGroups = 4

const countedIndex = (hash: number, block: number) => (hash ^ Math.imul(block + 1, 0x9e3779b1)) >>> (32 - countedBits)

const groupKey = ({ origin, group }: Example) => `${origin === 'chat' ? 'chat' : 'forum'} ${group}`
const ofManyProducts: ReadonlySet<Origin> = new Set(['chat', 'forum', 'selected', 'unlabelled'])

/** Issues and corrections are of a few products, whose names are no features. */
const isOfManyProducts = ({ origin }: Example) => ofManyProducts.has(origin)

/** Of every feature the number of groups of forums and chats with it, up to 255. */
function groupCounts(examples: readonly Example[]): Uint8Array {
  const byGroup = new Map<string, Example[]>()
  for (const example of examples) {
    if (!isOfManyProducts(example)) continue
    const key = groupKey(example)
    const texts = byGroup.get(key)
    if (texts) texts.push(example)
    else byGroup.set(key, [example])
  }
  const counts = new Uint8Array(2 ** countedBits)
  const lastGroup = new Uint16Array(2 ** countedBits)
  let groupNumber = 0
  for (const texts of byGroup.values()) {
    groupNumber += 1
    for (const { title, text } of texts) {
      const { hashes, ends } = featuresOf(title, text)
      for (let block = 0, index = 0; block < blockCount; block += 1) {
        for (; index < ends[block]!; index += 1) {
          const at = countedIndex(hashes[index]!, block)
          if (lastGroup[at] === groupNumber) continue
          lastGroup[at] = groupNumber
          if (counts[at]! < 255) counts[at]! += 1
        }
      }
    }
  }
  return counts
}

/** Rows for training: without the features that too few groups have. Their values count these features all the same, as in `detect`. */
export function matrixOf(examples: readonly Example[]): Matrix {
  const counts = groupCounts(examples)
  const ends = new Uint32Array(blockCount * examples.length)
  const values = new Float32Array(blockCount * examples.length)
  const rows = examples.map(({ title, text }, row) => {
    const found = featuresOf(title, text)
    const positions: number[] = []
    for (let block = 0, index = 0; block < blockCount; block += 1) {
      for (; index < found.ends[block]!; index += 1) {
        if (counts[countedIndex(found.hashes[index]!, block)]! >= minGroups) positions.push(found.positions[index]!)
      }
      ends[blockCount * row + block] = positions.length
      values[blockCount * row + block] = found.values[block]!
    }
    return Uint32Array.from(positions)
  })
  return { rows, ends, values }
}
