import type { Clock } from '../../runtime/clock.ts'
import { type RateLimiter, verdict, windowMs } from './limiter.ts'

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

export interface SlidingLogOptions {
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
