import { createSharedReads, type SharedReads } from './shared-reads.ts'

/**
 * How often what is read has changed so far. The number is higher as soon as anybody can know of a change: a reader who begins
 * after that must not be given what was read before. Null where nobody can say so in time.
 */
export type Version = () => number | null

export interface KeptReadsOptions {
  version: Version
  /** Characters of all that is kept, as JSON. */
  mostCharacters: number
}

interface Kept {
  value: unknown
  characters: number
}

/** A larger answer is not worth the place of all the others. */
const largestShare = 1 / 8

/**
 * Reads that are kept for as long as nothing has changed: however often the same is asked for, it is read once, and nobody is
 * ever given anything that is older than their question. What is asked for at the same moment is shared, as `createSharedReads` does.
 * What was used longest ago makes room. Nobody may change what they are given.
 */
export function createKeptReads({ version, mostCharacters }: KeptReadsOptions): SharedReads {
  const share = createSharedReads()
  /** In the order of their last use, all as of one version. */
  const kept = new Map<string, Kept>()
  let characters = 0
  let asOf = version()

  const forget = (key: string) => {
    characters -= kept.get(key)?.characters ?? 0
    kept.delete(key)
  }
  /** Nothing of what was, say of what is purged now, stays in memory. */
  const forgetOutdated = () => {
    if (asOf === version()) return
    asOf = version()
    kept.clear()
    characters = 0
  }
  const find = (key: string): Kept | null => {
    forgetOutdated()
    const found = kept.get(key)
    if (found === undefined) return null
    kept.delete(key)
    kept.set(key, found)
    return found
  }
  const keep = (key: string, value: unknown) => {
    const size = key.length + JSON.stringify(value).length
    if (size > mostCharacters * largestShare) return
    forget(key)
    kept.set(key, { value, characters: size })
    characters += size
    for (const oldest of kept.keys()) {
      if (characters <= mostCharacters) break
      forget(oldest)
    }
  }
  return async <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const found = find(key)
    if (found !== null) return found.value as T
    return share(key, async () => {
      // Whoever asked while another read it finds it here, if nothing changed since they asked.
      const meanwhile = find(key)
      if (meanwhile !== null) return meanwhile.value as T
      const before = version()
      const value = await read()
      forgetOutdated()
      // What changed meanwhile may be in it or not.
      if (mostCharacters > 0 && before !== null && before === version()) keep(key, value)
      return value
    })
  }
}
