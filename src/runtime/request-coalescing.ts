/** Runs a read, or shares an equal one that has not begun yet. */
export type CoalescedReads = <T>(key: string, read: () => Promise<T>) => Promise<T>

interface Reads {
  running: Promise<unknown>
  /** The read that all later callers share; it begins when the running one has ended. */
  next: Promise<unknown> | null
}

/**
 * Lets equal concurrent reads share one. A call during a read shares the next one, which begins after it. So no caller gets a
 * value that was read before its call, nothing is cached, and one read of a key runs at a time.
 *
 * The key must contain everything that the result depends on besides the database, such as the caller.
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
