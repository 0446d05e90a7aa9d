/** What can go wrong on demand; the README says what each one does to an answer. */
export const faultNames = [
  'rate_limit',
  'secondary_rate_limit',
  'silent_rate_limit',
  'dated_rate_limit',
  'html_rate_limit',
  'backoff',
  'unauthorized',
  'server_error',
  'bad_gateway',
  'slow_headers',
  'stalled_body',
  'reset',
  'truncated_gzip',
  'truncated_json',
  'empty_body',
  'html_page',
  'wrong_content_type',
  'wrong_shape',
  'huge_body',
  'gzip_bomb',
  'redirect_loop',
  'redirect_private',
  'duplicate_page',
  'endless_cursor',
] as const

export type FaultName = (typeof faultNames)[number]

export interface FaultOptions {
  /** How many requests it spoils before it is used up; 1 unless given, Infinity for as long as it is set. */
  times?: number
  /** How many requests that it concerns it lets pass before the first that it spoils; none unless given. */
  skip?: number
  /** Spoils only this page and later ones, counted from 1 on every platform. */
  fromPage?: number
  /** The wait that is announced, or for `slow_headers` the delay after which the true answer comes. */
  seconds?: number
}

export interface Fault {
  name: FaultName
  seconds: number | null
}

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
