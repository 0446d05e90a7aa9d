import type { Clock } from '../../runtime/clock.ts'
import type { Verdict } from './limiter.ts'

/** A clock that stands still until a test moves it. */
export interface TestClock extends Clock {
  ms: number
}

export const testClock = (start = '2026-11-21T12:00:00.000Z'): TestClock => ({
  ms: Date.parse(start),
  now() {
    return new Date(this.ms)
  },
})

/** TEST_SEED repeats the random texts and numbers of a test. */
export const testSeed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** How many of `moments` are in the minute that ends with `nowMs`. */
export const inMinuteUntil = (moments: readonly number[], nowMs: number) =>
  moments.filter((moment) => moment > nowMs - 60_000 && moment <= nowMs).length

/** The maximum number of calls in any minute, by brute force: a minute with the maximum begins with a call. */
export const fullestMinute = (moments: readonly number[]): number =>
  Math.max(0, ...moments.map((start) => moments.filter((moment) => moment >= start && moment < start + 60_000).length))

/**
 * The expected verdict, counted from the moments of the accepted calls.
 * An accepted call is added to `moments`.
 */
export function expectedVerdict(moments: number[], limit: number, nowMs: number): Verdict {
  const accepted = inMinuteUntil(moments, nowMs) < limit
  if (accepted) moments.push(nowMs)
  const roomAt = (atMs: number) => Math.max(0, limit - inMinuteUntil(moments, atMs))
  const changes = moments.map((moment) => moment + 60_000).filter((atMs) => atMs > nowMs)
  const more = changes.find((atMs) => roomAt(atMs) > roomAt(nowMs)) ?? Number.NaN
  return { accepted, remaining: roomAt(nowMs), msUntilMore: more - nowMs }
}
