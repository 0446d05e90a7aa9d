import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createWindows } from './windows.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
const minuteMs = 60_000

describe('sliding windows', () => {
  const limit = fc.record({ limit: fc.integer({ min: 1, max: 8 }), windowMs: fc.integer({ min: 1, max: 2_000 }) })
  const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 120 })

  it('never allow more than the limit in any sliding window', () => {
    fc.assert(
      fc.property(fc.array(limit, { minLength: 1, maxLength: 3 }), pauses, (windows, pauseList) => {
        const sliding = createWindows(windows)
        const taken: number[] = []
        let nowMs = 0
        for (const pauseMs of pauseList) {
          nowMs += pauseMs
          if (sliding.take(at(nowMs)) === null) taken.push(nowMs)
        }
        for (const { limit, windowMs } of windows) {
          for (const end of taken) {
            expect(taken.filter((ms) => ms > end - windowMs && ms <= end).length).toBeLessThanOrEqual(limit)
          }
        }
      }),
    )
  })

  it('name the first moment at which a request may be sent', () => {
    fc.assert(
      fc.property(fc.array(limit, { minLength: 1, maxLength: 3 }), pauses, (windows, pauseList) => {
        const sliding = createWindows(windows)
        let nowMs = 0
        for (const pauseMs of pauseList) {
          nowMs += pauseMs
          const freeAt = sliding.take(at(nowMs))
          if (!freeAt) continue
          const freeMs = freeAt.getTime() - at(0).getTime()
          expect(freeMs).toBeGreaterThan(nowMs)
          expect(sliding.take(at(freeMs - 1))).not.toBeNull()
          expect(sliding.take(at(freeMs))).toBeNull()
          nowMs = freeMs
        }
      }),
    )
  })

  it('send no more than the host says is left until its reset', () => {
    const sliding = createWindows([{ limit: 30, windowMs: minuteMs }])
    expect(sliding.take(at(0))).toBeNull()
    sliding.correct({ remaining: 2, resetAt: at(40_000) }, at(10))
    expect(sliding.take(at(20))).toBeNull()
    expect(sliding.take(at(30))).toBeNull()
    expect(sliding.take(at(40))).toEqual(at(40_000))
    expect(sliding.take(at(40_000))).toBeNull()
  })

  it('are not loosened by an older answer that arrives later, but by a new period', () => {
    const sliding = createWindows([{ limit: 30, windowMs: minuteMs }])
    sliding.correct({ remaining: 0, resetAt: at(5_000) }, at(0))
    sliding.correct({ remaining: 9, resetAt: at(5_000) }, at(1))
    expect(sliding.take(at(2))).not.toBeNull()
    sliding.correct({ remaining: 9, resetAt: at(6_000) }, at(3))
    expect(sliding.take(at(4))).toBeNull()
  })

  it('hold their own limit when the host claims to allow more', () => {
    const sliding = createWindows([{ limit: 1, windowMs: minuteMs }])
    sliding.correct({ remaining: 5_000, resetAt: at(minuteMs) }, at(0))
    expect(sliding.take(at(1))).toBeNull()
    expect(sliding.take(at(2))).not.toBeNull()
  })

  it('ignore a reset that has passed', () => {
    const sliding = createWindows([{ limit: 5, windowMs: minuteMs }])
    sliding.correct({ remaining: 0, resetAt: at(-1) }, at(0))
    expect(sliding.take(at(0))).toBeNull()
    sliding.correct({ remaining: 0, resetAt: at(5_000) }, at(1))
    sliding.correct({ remaining: 9, resetAt: at(0) }, at(2))
    expect(sliding.take(at(3))).not.toBeNull()
  })

  it('report what is left and when there is more', () => {
    const sliding = createWindows([
      { limit: 3, windowMs: minuteMs },
      { limit: 2, windowMs: 1_000 },
    ])
    expect(sliding.room(at(0))).toEqual({ remaining: 3, limit: 3, resetsAt: at(0) })
    sliding.take(at(0))
    sliding.take(at(10))
    expect(sliding.room(at(20))).toEqual({ remaining: 0, limit: 2, resetsAt: at(1_000) })
    expect(sliding.room(at(1_500))).toEqual({ remaining: 1, limit: 3, resetsAt: at(minuteMs) })
    sliding.correct({ remaining: 0, resetAt: at(9_000) }, at(1_500))
    expect(sliding.room(at(1_500))).toEqual({ remaining: 0, limit: 3, resetsAt: at(9_000) })
    expect(sliding.room(at(9_000))).toEqual({ remaining: 1, limit: 3, resetsAt: at(minuteMs) })
  })

  it('are over after their length when the clock was set back', () => {
    const sliding = createWindows([{ limit: 2, windowMs: minuteMs }])
    const ahead = 30 * 24 * 60 * minuteMs
    expect([sliding.take(at(ahead)), sliding.take(at(ahead + 1))]).toEqual([null, null])
    expect(sliding.take(at(0))).toEqual(at(minuteMs))
    expect(sliding.take(at(minuteMs - 1))).toEqual(at(minuteMs))
    expect([sliding.take(at(minuteMs)), sliding.take(at(minuteMs))]).toEqual([null, null])
    expect(sliding.take(at(minuteMs + 1))).toEqual(at(2 * minuteMs))
  })

  it('refuse a limit that would allow nothing or anything', () => {
    for (const limit of [0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => createWindows([{ limit, windowMs: 1 }])).toThrow(RangeError)
    }
    expect(() => createWindows([])).toThrow(RangeError)
  })
})
