import type { RequestLimits } from '../src/http/rate-limits/rate-limits.ts'

/** The limiter runs in every suite, but refuses nothing. */
export const unlimited: RequestLimits = {
  ofTier: () => 1_000_000,
  polls: 1_000_000,
  feedback: 1_000_000,
  page: 1_000_000,
  withoutKey: 1_000_000,
  files: 1_000_000,
}
