import { LRUCache } from 'lru-cache'
import { type CoalescedReads, createCoalescedReads } from './request-coalescing.ts'

/**
 * How often what is read has changed so far. The number is higher as soon as anybody can know of a change: a reader who begins
 * after that must not be given what was read before. Null where nobody can say so in time.
 */
export type Version = () => number | null

export interface ResponseCacheOptions {
  version: Version
  /** Of all that is kept, keys included. */
  maxSize: number
  /** What a value counts; by default about its characters as JSON. */
  sizeOf?: (value: unknown) => number
}

/** A larger answer is not worth the place of all the others. */
const largestShare = 1 / 8

/** About as many characters as a value has as JSON, without writing it: that of a large answer would hold the event loop. */
function roughSize(root: unknown): number {
  const open = [root]
  let size = 0
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') size += value.length + 2
    else if (typeof value !== 'object' || value === null || value instanceof Date) size += 8
    else {
      for (const key in value) {
        size += key.length + 4
        open.push(value[key as keyof typeof value])
      }
    }
  }
  return size
}

/**
 * Reads that are kept for as long as nothing has changed: however often the same is asked for, it is read once, and nobody is
 * ever given anything that is older than their question. What is asked for at the same moment is shared, as `createCoalescedReads` does.
 * What was used longest ago makes room. Nobody may change what they are given.
 */
export function createResponseCache({ version, maxSize, sizeOf = roughSize }: ResponseCacheOptions): CoalescedReads {
  const share = createCoalescedReads()
  /** All as of one version. */
  const kept = new LRUCache<string, { value: unknown }>({
    maxSize: maxSize,
    maxEntrySize: maxSize * largestShare,
    sizeCalculation: ({ value }, key) => key.length + sizeOf(value),
  })
  let asOf = version()

  /** Nothing of what was, say of what is purged now, stays in memory. */
  const forgetOutdated = () => {
    if (asOf === version()) return
    asOf = version()
    kept.clear()
  }
  const find = (key: string) => {
    forgetOutdated()
    return kept.get(key)
  }
  return async <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const found = find(key)
    if (found) return found.value as T
    return share(key, async () => {
      // Whoever asked while another read it finds it here, if nothing changed since they asked.
      const meanwhile = find(key)
      if (meanwhile) return meanwhile.value as T
      const before = version()
      const value = await read()
      forgetOutdated()
      // What changed meanwhile may be in it or not.
      if (before !== null && before === version()) kept.set(key, { value })
      return value
    })
  }
}
