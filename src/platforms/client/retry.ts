/** The ceiling before the first repetition. */
export const firstRetryMs = 500
const capMs = 8_000

/**
 * How long to wait before trying again: full jitter (a random part of a doubling ceiling), so that the tries of many
 * processes do not meet. Source: "Exponential Backoff And Jitter", AWS Architecture Blog.
 * @param attempt 0 before the first repetition.
 * @param random a number from 0 up to, not including, 1.
 * @returns milliseconds.
 */
export function retryDelay(attempt: number, random: () => number, firstMs = firstRetryMs): number {
  return random() * Math.min(capMs, firstMs * 2 ** attempt)
}
