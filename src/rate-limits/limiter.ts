/** Every limit here is so many calls in any window of this length. */
export const windowMs = 60_000

export interface Verdict {
  accepted: boolean
  /** How many calls would be accepted now. */
  remaining: number
  /** How long until `remaining` grows, in milliseconds, more than 0; after a refusal, until the next call is accepted. */
  msUntilMore: number
}

/** Counts calls in an exact sliding window of a minute. */
export interface RateLimiter {
  /**
   * Counts one call of `key`, unless `limit` (1 or more) of them were counted in the last minute; then it is refused, and
   * a refused call changes nothing. The limit may differ from call to call: the newest one decides.
   */
  take(key: string, limit: number): Promise<Verdict>
}

/** The verdict from the moments of the counted calls, oldest first, this call included if it was accepted. */
export function verdict(accepted: boolean, limit: number, hits: readonly number[], nowMs: number): Verdict {
  // With more hits than the limit (a smaller plan since then) several must leave the window before there is room.
  const leaves = hits[Math.max(0, hits.length - limit)] ?? nowMs
  return { accepted, remaining: Math.max(0, limit - hits.length), msUntilMore: leaves + windowMs - nowMs }
}
