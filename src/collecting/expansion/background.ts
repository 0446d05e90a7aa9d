import { createPauses } from '../../runtime/event-loop.ts'
import { clausesOf, phrasesOf } from './clauses.ts'

export interface SampledText {
  id: string
  title: string
  description: string
}

/** Word and phrase frequencies in a sample of all requests. */
export interface Background {
  size: number
  has(id: string): boolean
  /** Texts of the sample with a word or phrase; rarely too many, because some phrases share a counter. */
  count(key: string): number
}

/** 4 MB, with room for a sample's 300,000 distinct phrases. */
const counters = 2 ** 21

/** 32-bit FNV-1a. */
function counterOf(key: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < key.length; index++) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193)
  return (hash >>> 0) % counters
}

/** Counts the words and phrases of a sample. Keeps only counters and ids in memory, no words. */
export async function countBackground(sample: readonly SampledText[]): Promise<Background> {
  const counts = new Uint16Array(counters)
  const pause = createPauses()
  for (const { title, description } of sample) {
    const clauses = clausesOf(`${title}\n${description}`)
    const found = new Set<number>()
    for (const { key } of clauses.flat()) found.add(counterOf(key))
    for (const { key } of phrasesOf(clauses)) found.add(counterOf(key))
    for (const counter of found) counts[counter]! += 1
    await pause()
  }
  const ids = new Set(sample.map(({ id }) => id))
  return { size: sample.length, has: (id) => ids.has(id), count: (key) => counts[counterOf(key)]! }
}
