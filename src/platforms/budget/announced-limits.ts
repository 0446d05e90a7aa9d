import { type AnswerHeaders, after, headerEpochSeconds, headerNumber, retryAfter } from '../headers.ts'
import type { Budget } from './budget.ts'

/** Cooldown after a refusal that names no time: GitHub's rule for secondary limits, used for all platforms. */
export const cooldownAfterRefusalMs = 60_000

/** Names of the headers for the remaining requests and for the reset, in seconds since 1970. */
export interface LimitHeaders {
  remaining: string
  reset: string
}

/** Corrects a budget by an answer's headers; a lone header is ignored. */
export function correctByHeaders(budget: Budget, headers: AnswerHeaders, names: LimitHeaders, now: Date): void {
  const remaining = headerNumber(headers, names.remaining)
  const resetAt = headerEpochSeconds(headers, names.reset, now)
  if (remaining !== null && resetAt) budget.correct({ remaining, resetAt }, now)
}

/** The end of a used-up window; null if requests remain or the answer does not say. */
export function spentUntil(headers: AnswerHeaders, names: LimitHeaders, now: Date): Date | null {
  return headerNumber(headers, names.remaining) === 0 ? headerEpochSeconds(headers, names.reset, now) : null
}

/** `Retry-After`, else `announced` (by the platform's own header or body), else after the cooldown. */
export function cooldownAfterRefusal(
  headers: AnswerHeaders,
  now: Date,
  announced: Date | null = null,
  cooldownMs = cooldownAfterRefusalMs,
): Date {
  return retryAfter(headers, now) ?? announced ?? after(now, cooldownMs)
}
