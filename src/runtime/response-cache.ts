import { LRUCache } from 'lru-cache'
import { type CoalescedReads, createCoalescedReads } from './request-coalescing.ts'

/** Changes with the data, before the changing call continues. Null if unknown: nothing is cached then. */
export type Version = () => number | null

export interface ResponseCacheOptions {
  version: Version
  /** For all cached values and keys. */
  maxSize: number
  /** Size of a value; by default roughly its JSON characters. */
  sizeOf?: (value: unknown) => number
}

/** Maximum share of the cache for one value: larger ones would displace too many others. */
const maxShare = 1 / 8

/** Approximate size of a value as JSON, without serializing, which blocks the event loop. */
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

/** Caches reads at one version, least recently used out first. Never older than the call; never modify values. */
export function createResponseCache({ version, maxSize, sizeOf = roughSize }: ResponseCacheOptions): CoalescedReads {
  const share = createCoalescedReads()
  /** All of one version. */
  const cached = new LRUCache<string, { value: unknown }>({
    maxSize: maxSize,
    maxEntrySize: maxSize * maxShare,
    sizeCalculation: ({ value }, key) => key.length + sizeOf(value),
  })
  let asOf = version()

  /** Drops outdated values, e.g. purged requests, from memory. */
  const evictOutdated = () => {
    if (asOf === version()) return
    asOf = version()
    cached.clear()
  }
  const find = (key: string) => {
    evictOutdated()
    return cached.get(key)
  }
  return async <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const found = find(key)
    if (found) return found.value as T
    return share(key, async () => {
      // Another caller may have read it since, at the same version.
      const meanwhile = find(key)
      if (meanwhile) return meanwhile.value as T
      const before = version()
      const value = await read()
      evictOutdated()
      // After a change during the read, the value may be old or new.
      if (before !== null && before === version()) cached.set(key, { value })
      return value
    })
  }
}
