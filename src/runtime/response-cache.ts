import { LRUCache } from 'lru-cache'
import { type CoalescedReads, createCoalescedReads } from './request-coalescing.ts'

/**
 * The version of the data, another one after every change, before whoever made the change goes on. Null where it is not known: then nothing
 * is cached.
 */
export type Version = () => number | null

export interface ResponseCacheOptions {
  version: Version
  /** Of all cached values and their keys. */
  maxSize: number
  /** The size of a value; by default about its characters as JSON. */
  sizeOf?: (value: unknown) => number
}

/** A value above this share of the cache is not cached: it would displace too many others. */
const maxShare = 1 / 8

/** About the number of characters of a value as JSON. Not measured by serializing, which blocks the event loop for a large value. */
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
 * Caches reads while nothing changes. A caller never gets a value older than its call. Concurrent calls share one read, as in
 * `createCoalescedReads`. The least recently used value is evicted first. Callers must not change a value.
 */
export function createResponseCache({ version, maxSize, sizeOf = roughSize }: ResponseCacheOptions): CoalescedReads {
  const share = createCoalescedReads()
  /** All of one version. */
  const cached = new LRUCache<string, { value: unknown }>({
    maxSize: maxSize,
    maxEntrySize: maxSize * maxShare,
    sizeCalculation: ({ value }, key) => key.length + sizeOf(value),
  })
  let asOf = version()

  /** Outdated values, for example of purged requests, do not stay in memory. */
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
      // Another caller may have read it meanwhile, and nothing has changed since.
      const meanwhile = find(key)
      if (meanwhile) return meanwhile.value as T
      const before = version()
      const value = await read()
      evictOutdated()
      // After a change during the read the value may be old or new.
      if (before !== null && before === version()) cached.set(key, { value })
      return value
    })
  }
}
