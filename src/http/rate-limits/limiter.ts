import type { Clock } from '../../runtime/clock.ts'

/** The length of every window. */
export const windowMs = 60_000

export interface Verdict {
  accepted: boolean
  /** The number of calls that would be accepted now. */
  remaining: number
  /** How long until `remaining` grows, in milliseconds, more than 0; after a refusal, until the next call is accepted. */
  msUntilMore: number
}

/** Counts calls in an exact sliding window of a minute. */
export interface RateLimiter {
  /**
   * Counts one call of `key`, unless `limit` (1 or more) of them were counted in the last minute; then it is refused, and
   * a refused call changes nothing. The limit may differ from call to call: the latest one counts.
   */
  take(key: string, limit: number): Promise<Verdict>
}

/** The verdict from the moments of the counted calls, oldest first, this call included if it was accepted. */
export function verdict(accepted: boolean, limit: number, hits: readonly number[], nowMs: number): Verdict {
  // With more calls than the limit (after a change to a smaller plan) several must leave the window first.
  const leaves = hits[Math.max(0, hits.length - limit)] ?? nowMs
  return { accepted, remaining: Math.max(0, limit - hits.length), msUntilMore: leaves + windowMs - nowMs }
}

/**
 * Milliseconds that never decrease. When the clock is set back, time stops for that instant and then goes on: no caller waits
 * longer than the window, and no call leaves the window early.
 */
function steadyTime(clock: Clock): () => number {
  let last = Number.NEGATIVE_INFINITY
  let offset = 0
  return () => {
    const now = clock.now().getTime()
    if (now + offset < last) offset = last - now
    last = now + offset
    return last
  }
}

interface SlidingLogOptions {
  clock: Clock
  /** The maximum number of stored keys; above it, the key with the oldest last call is removed. */
  maxKeys?: number
}

/** A limiter in memory, for one process: it stores the moments of the calls of the last minute. */
export function createSlidingLog({ clock, maxKeys = Number.POSITIVE_INFINITY }: SlidingLogOptions): RateLimiter & {
  /** The number of stored keys. */
  readonly size: number
} {
  const now = steadyTime(clock)
  /** Lists are never empty, and keys are ordered by their last call: the first ones are removed first. */
  const logs = new Map<string, number[]>()

  const forget = (nowMs: number) => {
    for (const [key, hits] of logs) {
      const idle = (hits.at(-1) ?? 0) <= nowMs - windowMs
      if (!idle && logs.size <= maxKeys) return
      logs.delete(key)
    }
  }
  return {
    get size() {
      return logs.size
    },
    take: async (key, limit) => {
      const nowMs = now()
      forget(nowMs)
      const hits = logs.get(key) ?? []
      const firstInside = hits.findIndex((hit) => hit > nowMs - windowMs)
      if (firstInside > 0) hits.splice(0, firstInside)
      const accepted = hits.length < limit
      if (accepted) {
        hits.push(nowMs)
        logs.delete(key)
        logs.set(key, hits)
        forget(nowMs)
      }
      return verdict(accepted, limit, hits, nowMs)
    },
  }
}
