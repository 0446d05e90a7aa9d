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
