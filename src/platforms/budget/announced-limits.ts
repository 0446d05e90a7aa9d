import { type AnswerHeaders, after, headerEpochSeconds, headerNumber, retryAfter } from '../headers.ts'
import type { Budget } from './budget.ts'

/** The cooldown after a refusal that names no time: GitHub's rule for secondary limits, used for all platforms. */
export const cooldownAfterRefusalMs = 60_000

/** The names of the headers that hold how many requests are left, and until when, in seconds since 1970. */
export interface LimitHeaders {
  remaining: string
  reset: string
}

/** Corrects a budget by the headers of an answer. One header without the other is ignored. */
export function correctByHeaders(budget: Budget, headers: AnswerHeaders, names: LimitHeaders, now: Date): void {
  const remaining = headerNumber(headers, names.remaining)
  const resetAt = headerEpochSeconds(headers, names.reset, now)
  if (remaining !== null && resetAt) budget.correct({ remaining, resetAt }, now)
}

/** The end of a window of which nothing is left; null when something is left or the answer does not say. */
export function spentUntil(headers: AnswerHeaders, names: LimitHeaders, now: Date): Date | null {
  return headerNumber(headers, names.remaining) === 0 ? headerEpochSeconds(headers, names.reset, now) : null
}

/**
 * When a host that refused may be queried again: the moment in `Retry-After`, else the platform's own, else after the cooldown.
 * @param announced the moment in the platform's own headers or body; null for none.
 */
export function cooldownAfterRefusal(
  headers: AnswerHeaders,
  now: Date,
  announced: Date | null = null,
  cooldownMs = cooldownAfterRefusalMs,
): Date {
  return retryAfter(headers, now) ?? announced ?? after(now, cooldownMs)
}
