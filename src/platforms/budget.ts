/** At most `limit` requests in any span of `windowMs`. */
export interface RequestWindow {
  limit: number
  windowMs: number
}

/** What one host allows, known before the first call, from its documentation. */
export interface BudgetLimits {
  windows: readonly RequestWindow[]
  /** Requests under way at the same time. */
  concurrency: number
}

/** Why no request may be sent now. */
export interface Refusal {
  retryAt: Date
  /** True when the quota of a day is used up: nobody should wait for it. */
  quotaSpent: boolean
}

/**
 * The requests that one process may send to one host. Kept from the first call on, in sliding windows, and made stricter
 * by what the host answers; the host's own count also covers other processes behind the same address or key.
 */
export interface Budget {
  /** Waits for one of the `concurrency` places; call the result to leave it. Rejects with the reason of the signal. */
  enter(signal: AbortSignal): Promise<() => void>
  /** Takes one request; null when it may be sent. */
  take(now: Date): Refusal | null
  /** What the host says is left until `resetAt`. A reset that is not in the future says nothing. */
  correct(limits: { remaining: number; resetAt: Date }, now: Date): void
  /** No request before this moment. An earlier pause that lasts longer stays. */
  pauseUntil(moment: Date): void
}

const dayMs = 24 * 60 * 60 * 1000

/** @throws RangeError when a limit is not a whole number above 0. */
export function createBudget(limits: BudgetLimits): Budget {
  const windows = limits.windows.map(slidingWindow)
  const hasDailyQuota = limits.windows.some((window) => window.windowMs >= dayMs)
  let pausedUntilMs = 0
  let host = { remaining: Number.POSITIVE_INFINITY, resetAtMs: 0 }

  return {
    enter: createPlaces(limits.concurrency),

    take(now) {
      const nowMs = now.getTime()
      const holds = windows.map((window) => ({ freeAtMs: window.freeAtMs(), quotaSpent: window.isDaily }))
      holds.push({ freeAtMs: pausedUntilMs, quotaSpent: false })
      if (host.remaining <= 0) holds.push({ freeAtMs: host.resetAtMs, quotaSpent: hasDailyQuota })
      const longest = holds.reduce((left, right) => (right.freeAtMs > left.freeAtMs ? right : left))
      if (longest.freeAtMs > nowMs) return { retryAt: new Date(longest.freeAtMs), quotaSpent: longest.quotaSpent }

      for (const window of windows) window.add(nowMs)
      if (nowMs < host.resetAtMs) host.remaining -= 1
      else host = { remaining: Number.POSITIVE_INFINITY, resetAtMs: 0 }
      return null
    },

    correct({ remaining, resetAt }, now) {
      const resetAtMs = resetAt.getTime()
      if (resetAtMs <= now.getTime()) return
      // Answers overtake each other: within one period of the host, the count only falls.
      const isSamePeriod = resetAtMs === host.resetAtMs
      host = { remaining: isSamePeriod ? Math.min(host.remaining, remaining) : remaining, resetAtMs }
    },

    pauseUntil(moment) {
      pausedUntilMs = Math.max(pausedUntilMs, moment.getTime())
    },
  }
}

/** A ring of the last `limit` moments: the next request may go when the oldest of them has left the window. */
function slidingWindow({ limit, windowMs }: RequestWindow) {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError('a budget needs a limit of 1 or more')
  const takenAtMs = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY)
  let oldest = 0
  return {
    isDaily: windowMs >= dayMs,
    freeAtMs: () => takenAtMs[oldest]! + windowMs,
    add(nowMs: number) {
      takenAtMs[oldest] = nowMs
      oldest = (oldest + 1) % limit
    },
  }
}

/** A first come, first served queue for `count` places. */
function createPlaces(count: number): Budget['enter'] {
  const waiting: Array<() => void> = []
  let taken = 0

  function leaveOnce(): () => void {
    let left = false
    return () => {
      if (left) return
      left = true
      const next = waiting.shift()
      if (next) next()
      else taken -= 1
    }
  }

  return async (signal) => {
    signal.throwIfAborted()
    if (taken < count) {
      taken += 1
      return leaveOnce()
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        waiting.splice(waiting.indexOf(admit), 1)
        reject(signal.reason)
      }
      const admit = () => {
        signal.removeEventListener('abort', giveUp)
        resolve(leaveOnce())
      }
      waiting.push(admit)
      signal.addEventListener('abort', giveUp, { once: true })
    })
  }
}
