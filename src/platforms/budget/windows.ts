import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { maxPauseMs } from '../headers.ts'

/** At most `limit` requests in any `windowMs`. */
export interface RequestWindow {
  limit: number
  windowMs: number
}

export interface Room {
  remaining: number
  limit: number
  resetsAt: Date
}

/** Sliding windows for one host. Its answers make them stricter: they count other users of the address or key too. */
export interface RequestWindows {
  /** Counts one request. @returns null if it may be sent now, else when one may */
  take(now: Date): Date | null
  /** Applies the remaining requests the host states until `resetAt`; a reset in the past is ignored. */
  correct(limits: { remaining: number; resetAt: Date }, now: Date): void
  room(now: Date): Room
}

/** @throws RangeError without a window, or if a limit is not a positive whole number */
export function createWindows(limits: readonly RequestWindow[]): RequestWindows {
  if (limits.length === 0) throw new RangeError('a host needs a window')
  const windows = limits.map(slidingWindow)
  let host = { remaining: Number.POSITIVE_INFINITY, resetAtMs: 0 }

  return {
    take(now) {
      const nowMs = now.getTime()
      const freeAtMs = windows.map((window) => window.freeAtMs(nowMs))
      if (host.resetAtMs > nowMs + maxPauseMs + clockToleranceMs)
        host = { remaining: Number.POSITIVE_INFINITY, resetAtMs: 0 }
      if (host.remaining <= 0) freeAtMs.push(host.resetAtMs)
      const latestMs = Math.max(...freeAtMs)
      if (latestMs > nowMs) return new Date(latestMs)

      for (const window of windows) window.add(nowMs)
      if (nowMs < host.resetAtMs) host.remaining -= 1
      else host = { remaining: Number.POSITIVE_INFINITY, resetAtMs: 0 }
      return null
    },

    correct({ remaining, resetAt }, now) {
      const resetAtMs = resetAt.getTime()
      if (resetAtMs <= now.getTime()) return
      // Answers may be out of order: within a host's period, counts only fall.
      const isSamePeriod = resetAtMs === host.resetAtMs
      host = { remaining: isSamePeriod ? Math.min(host.remaining, remaining) : remaining, resetAtMs }
    },

    room(now) {
      const rooms = windows.map((window) => window.room(now.getTime()))
      const tightest = rooms.reduce((left, right) => (share(right) < share(left) ? right : left))
      if (now.getTime() >= host.resetAtMs || host.remaining >= tightest.remaining) return tightest
      return { remaining: Math.max(0, host.remaining), limit: tightest.limit, resetsAt: new Date(host.resetAtMs) }
    },
  }
}

/** Remaining share of a window, 0 to 1. */
const share = ({ remaining, limit }: Room) => remaining / limit

/** A ring of the last `limit` times: the next request may go once the oldest has left the window. */
function slidingWindow({ limit, windowMs }: RequestWindow) {
  if (!Number.isSafeInteger(limit) || limit < 1) throw new RangeError('a window needs a limit of 1 or more')
  const takenAtMs = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY)
  let oldest = 0
  let newestMs = Number.NEGATIVE_INFINITY
  /** Times in the future predate a clock change, so they count as now. */
  const countAheadAsNow = (nowMs: number) => {
    if (newestMs <= nowMs) return
    newestMs = nowMs
    for (const [index, takenMs] of takenAtMs.entries()) takenAtMs[index] = Math.min(takenMs, nowMs)
  }
  return {
    freeAtMs: (nowMs: number) => {
      countAheadAsNow(nowMs)
      return takenAtMs[oldest]! + windowMs
    },
    add(nowMs: number) {
      takenAtMs[oldest] = nowMs
      newestMs = nowMs
      oldest = (oldest + 1) % limit
    },
    room(nowMs: number): Room {
      countAheadAsNow(nowMs)
      const counted = takenAtMs.filter((takenMs) => takenMs + windowMs > nowMs)
      // All leave the window after the same time, so the first leaves first.
      const firstMs = counted.reduce((first, takenMs) => Math.min(first, takenMs), nowMs)
      const resetsAt = new Date(counted.length === 0 ? nowMs : firstMs + windowMs)
      return { remaining: limit - counted.length, limit, resetsAt }
    },
  }
}
