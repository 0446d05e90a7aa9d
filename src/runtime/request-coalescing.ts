/** Runs a read, or shares an equal one that has not started. */
export type CoalescedReads = <T>(key: string, read: () => Promise<T>) => Promise<T>

interface Reads {
  running: Promise<unknown>
  /** Shared by all later callers; starts when the running read ends. */
  next: Promise<unknown> | null
}

/**
 * Equal concurrent reads share one. Calls during a read share the next, so none gets a value older than itself, and
 * nothing is cached. Keys must include all that affects the result besides the database, e.g. the caller.
 */
export function createCoalescedReads(): CoalescedReads {
  const readsByKey = new Map<string, Reads>()

  const begin = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const reads: Reads = { running: read(), next: null }
    readsByKey.set(key, reads)
    const end = () => {
      if (reads.next === null) readsByKey.delete(key)
    }
    reads.running.then(end, end)
    return reads.running as Promise<T>
  }

  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const reads = readsByKey.get(key)
    if (reads === undefined) return begin(key, read)
    const next = () => begin(key, read)
    reads.next ??= reads.running.then(next, next)
    return reads.next as Promise<T>
  }
}
