import type { Fault, FaultName, FaultOptions } from './faults.ts'

export interface FaultQueue {
  set(name: FaultName, options?: FaultOptions): void
  clear(): void
  /** The fault for this request, if any: the oldest one that concerns the page, one use of which is then gone. */
  take(page: number): Fault | null
}

/** Faults of one platform, consumed in the order in which they were set. */
export function createFaultQueue(): FaultQueue {
  let waiting: { fault: Fault; timesLeft: number; skipsLeft: number; fromPage: number }[] = []
  return {
    set: (name, { times = 1, skip = 0, fromPage = 1, seconds } = {}) => {
      waiting.push({ fault: { name, seconds: seconds ?? null }, timesLeft: times, skipsLeft: skip, fromPage })
    },
    clear: () => {
      waiting = []
    },
    take: (page) => {
      const next = waiting.find((entry) => page >= entry.fromPage && entry.timesLeft > 0)
      if (!next) return null
      if (next.skipsLeft > 0) {
        next.skipsLeft -= 1
        return null
      }
      next.timesLeft -= 1
      if (next.timesLeft <= 0) waiting = waiting.filter((entry) => entry !== next)
      return next.fault
    },
  }
}
