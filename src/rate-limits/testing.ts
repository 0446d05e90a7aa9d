import type { Clock } from '../runtime/clock.ts'
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

/** Random text and numbers of a test can be repeated with TEST_SEED. */
export const testSeed = Number(process.env.TEST_SEED ?? Math.trunc(Math.random() * 2 ** 31))

/** How many of `moments` are in the minute that ends with `nowMs`. */
export const inMinuteUntil = (moments: readonly number[], nowMs: number) =>
  moments.filter((moment) => moment > nowMs - 60_000 && moment <= nowMs).length

/** The most calls in any minute, counted by brute force: a fullest minute begins with a call. */
export const fullestMinute = (moments: readonly number[]): number =>
  Math.max(0, ...moments.map((start) => moments.filter((moment) => moment >= start && moment < start + 60_000).length))

/**
 * What the limiter should say, from nothing but the moments of the accepted calls: counted, not computed.
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
