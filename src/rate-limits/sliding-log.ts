import type { Clock } from '../runtime/clock.ts'
import { type RateLimiter, verdict, windowMs } from './limiter.ts'

/**
 * Milliseconds that never go back. Where the clock is set back, time stands still for that instant and then goes on:
 * nobody waits longer than the window, and nothing leaves the window early.
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
  /** The most keys that are remembered; of more, the one that was counted longest ago is forgotten. */
  maxKeys?: number
}

/** A limiter in memory: the moments of the calls of the last minute, for a process that counts alone. */
export function createSlidingLog({ clock, maxKeys = Number.POSITIVE_INFINITY }: SlidingLogOptions): RateLimiter & {
  /** How many keys are remembered now. */
  readonly size: number
} {
  const now = steadyTime(clock)
  /** Never an empty list, and ordered by the last hit: those to forget come first. */
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
