import { type AnswerHeaders, after, headerEpochSeconds, headerNumber, retryAfter } from '../client/headers.ts'
import type { Budget } from './budget.ts'

/** How long a refusal that names no time silences its host; GitHub's rule for secondary limits, sensible elsewhere. */
export const cooldownAfterRefusalMs = 60_000

/** The headers in which a platform tells how many requests are left, and until when, in seconds since 1970. */
export interface LimitHeaders {
  remaining: string
  reset: string
}

/** Corrects a budget by what an answer tells of it. One without the other says nothing: half a limit is no limit. */
export function correctByHeaders(budget: Budget, headers: AnswerHeaders, names: LimitHeaders, now: Date): void {
  const remaining = headerNumber(headers, names.remaining)
  const resetAt = headerEpochSeconds(headers, names.reset, now)
  if (remaining !== null && resetAt) budget.correct({ remaining, resetAt }, now)
}

/** Until when a window lasts of which nothing is left; null where something is, or where the answer does not tell. */
export function spentUntil(headers: AnswerHeaders, names: LimitHeaders, now: Date): Date | null {
  return headerNumber(headers, names.remaining) === 0 ? headerEpochSeconds(headers, names.reset, now) : null
}

/**
 * When a host that refused may be asked again: as `Retry-After` says, else as it says in its own way, else after a while.
 * @param told what the platform's own headers or body say; null where they say nothing.
 */
export function cooldownAfterRefusal(
  headers: AnswerHeaders,
  now: Date,
  told: Date | null = null,
  cooldownMs = cooldownAfterRefusalMs,
): Date {
  return retryAfter(headers, now) ?? told ?? after(now, cooldownMs)
}
