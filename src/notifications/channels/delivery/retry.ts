/** The waits after each failed attempt (Standard Webhooks, "Retry schedule"): so there are eight attempts at most. */
const waitsMs = [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000]

export const maxAttempts = waitsMs.length + 1

/** What a receiver may ask for with `Retry-After`. */
const maxRetryAfterMs = 24 * 3_600_000

/** The longest time that a channel rests after a failure, while other deliveries wait on it. */
const maxRestMs = 3_600_000
const firstRestMs = 5_000

/** A wait of up to 10 % more, so that what failed together is not tried again together. */
const jittered = (ms: number, random: () => number) => Math.round(ms * (1 + random() / 10))

const asked = (retryAfterMs: number | undefined) => Math.min(retryAfterMs ?? 0, maxRetryAfterMs)

/** How long a delivery waits after its failed attempt of a number, from 1; null when that was the last. */
export function retryDelay(attempts: number, retryAfterMs: number | undefined, random: () => number): number | null {
  const wait = waitsMs[attempts - 1]
  return wait === undefined ? null : Math.max(jittered(wait, random), asked(retryAfterMs))
}

/** How long a channel rests after failures without a success in between. */
export const restAfter = (failures: number, retryAfterMs: number | undefined, random: () => number): number =>
  Math.max(jittered(Math.min(firstRestMs * 2 ** Math.min(failures - 1, 20), maxRestMs), random), asked(retryAfterMs))

/** A channel on which nothing succeeded for so long, and after so many attempts, is disabled. */
export const failingLimit = { ms: 5 * 24 * 3_600_000, attempts: maxAttempts } as const
