import type { Clock } from '../../runtime/clock.ts'

export const windowMs = 60_000

export interface Verdict {
  accepted: boolean
  remaining: number
  /** Milliseconds (above 0) until `remaining` grows; after a refusal, until the next call is accepted. */
  msUntilMore: number
}

/** Counts calls in an exact sliding minute. */
export interface RateLimiter {
  /** Counts a call, or refuses it, uncounted, after `limit` (at least 1) in a minute. The latest limit applies. */
  take(key: string, limit: number): Promise<Verdict>
}

/** Verdict from the times of counted calls, oldest first, including this one if accepted. */
export function verdict(accepted: boolean, limit: number, hits: readonly number[], nowMs: number): Verdict {
  // After a change to a smaller plan, several calls must leave the window first.
  const leaves = hits[Math.max(0, hits.length - limit)] ?? nowMs
  return { accepted, remaining: Math.max(0, limit - hits.length), msUntilMore: leaves + windowMs - nowMs }
}

/** Milliseconds that never decrease: time pauses if the clock is set back, so no window grows or shrinks. */
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
  /** Maximum stored keys; beyond it, the least recently used is dropped. */
  maxKeys?: number
}

/** An in-memory limiter for one process, storing call times of the last minute. */
export function createSlidingLog({ clock, maxKeys = Number.POSITIVE_INFINITY }: SlidingLogOptions): RateLimiter & {
  readonly size: number
} {
  const now = steadyTime(clock)
  /** Never holds empty lists. Keys are in order of their last call: the first are dropped first. */
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
