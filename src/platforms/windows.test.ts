import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBudget } from './budget.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
const never = new AbortController().signal
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

describe('a budget', () => {
  const limit = fc.record({ limit: fc.integer({ min: 1, max: 8 }), windowMs: fc.integer({ min: 1, max: 2_000 }) })
  const pauses = fc.array(fc.integer({ min: 0, max: 700 }), { maxLength: 120 })

  it('never lets more than the limit through in any sliding window', () => {
    fc.assert(
      fc.property(fc.array(limit, { minLength: 1, maxLength: 3 }), pauses, (windows, pauseList) => {
        const budget = createBudget({ windows, concurrency: 1 })
        const taken: number[] = []
        let nowMs = 0
        for (const pauseMs of pauseList) {
          nowMs += pauseMs
          if (budget.take(at(nowMs)) === null) taken.push(nowMs)
        }
        for (const { limit, windowMs } of windows) {
          for (const end of taken) {
            expect(taken.filter((ms) => ms > end - windowMs && ms <= end).length).toBeLessThanOrEqual(limit)
          }
        }
      }),
    )
  })

  it('names the first moment at which it has room again', () => {
    fc.assert(
      fc.property(fc.array(limit, { minLength: 1, maxLength: 3 }), pauses, (windows, pauseList) => {
        const budget = createBudget({ windows, concurrency: 1 })
        let nowMs = 0
        for (const pauseMs of pauseList) {
          nowMs += pauseMs
          const refusal = budget.take(at(nowMs))
          if (!refusal) continue
          const freeMs = refusal.retryAt.getTime() - at(0).getTime()
          expect(freeMs).toBeGreaterThan(nowMs)
          expect(budget.take(at(freeMs - 1))).not.toBeNull()
          expect(budget.take(at(freeMs))).toBeNull()
          nowMs = freeMs
        }
      }),
    )
  })

  it('sends no more than the host says is left until its reset', () => {
    const budget = createBudget({ windows: [{ limit: 30, windowMs: minuteMs }], concurrency: 1 })
    expect(budget.take(at(0))).toBeNull()
    budget.correct({ remaining: 2, resetAt: at(40_000) }, at(10))
    expect(budget.take(at(20))).toBeNull()
    expect(budget.take(at(30))).toBeNull()
    expect(budget.take(at(40))).toEqual({ retryAt: at(40_000), quotaSpent: false })
    expect(budget.take(at(40_000))).toBeNull()
  })

  it('is not loosened by an older answer that arrives later, but by a new period', () => {
    const budget = createBudget({ windows: [{ limit: 30, windowMs: minuteMs }], concurrency: 2 })
    budget.correct({ remaining: 0, resetAt: at(5_000) }, at(0))
    budget.correct({ remaining: 9, resetAt: at(5_000) }, at(1))
    expect(budget.take(at(2))).not.toBeNull()
    budget.correct({ remaining: 9, resetAt: at(6_000) }, at(3))
    expect(budget.take(at(4))).toBeNull()
  })

  it('keeps its own limit when the host claims to allow more', () => {
    const budget = createBudget({ windows: [{ limit: 1, windowMs: minuteMs }], concurrency: 1 })
    budget.correct({ remaining: 5_000, resetAt: at(minuteMs) }, at(0))
    expect(budget.take(at(1))).toBeNull()
    expect(budget.take(at(2))).not.toBeNull()
  })

  it('ignores a reset that has passed', () => {
    const budget = createBudget({ windows: [{ limit: 5, windowMs: minuteMs }], concurrency: 1 })
    budget.correct({ remaining: 0, resetAt: at(-1) }, at(0))
    expect(budget.take(at(0))).toBeNull()
    budget.correct({ remaining: 0, resetAt: at(5_000) }, at(1))
    budget.correct({ remaining: 9, resetAt: at(0) }, at(2))
    expect(budget.take(at(3))).not.toBeNull()
  })

  it('rests until the end of the longest pause', () => {
    const budget = createBudget({ windows: [{ limit: 5, windowMs: minuteMs }], concurrency: 1 })
    budget.pauseUntil(at(9_000))
    budget.pauseUntil(at(3_000))
    expect(budget.take(at(8_999))).toEqual({ retryAt: at(9_000), quotaSpent: false })
    expect(budget.take(at(9_000))).toBeNull()
  })

  it('tells a spent daily quota from a rate limit', () => {
    const windows = [
      { limit: 2, windowMs: dayMs },
      { limit: 1, windowMs: 1_000 },
    ]
    const budget = createBudget({ windows, concurrency: 1 })
    expect(budget.take(at(0))).toBeNull()
    expect(budget.take(at(1))).toEqual({ retryAt: at(1_000), quotaSpent: false })
    expect(budget.take(at(1_000))).toBeNull()
    expect(budget.take(at(2_000))).toEqual({ retryAt: at(dayMs), quotaSpent: true })

    const corrected = createBudget({ windows, concurrency: 1 })
    corrected.correct({ remaining: 0, resetAt: at(minuteMs) }, at(0))
    expect(corrected.take(at(1))).toEqual({ retryAt: at(minuteMs), quotaSpent: true })
  })

  it('refuses a limit that would let nothing or anything through', () => {
    for (const limit of [0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => createBudget({ windows: [{ limit, windowMs: 1 }], concurrency: 1 })).toThrow(RangeError)
    }
  })
})

describe('the places of a budget', () => {
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  it('are never more than its concurrency, first come, first served', async () => {
    const budget = createBudget({ windows: [], concurrency: 2 })
    const order: number[] = []
    const leave: Array<() => void> = []
    for (const visitor of [1, 2, 3, 4]) {
      void budget.enter(never).then((leaveIt) => {
        order.push(visitor)
        leave.push(leaveIt)
      })
    }
    await settled()
    expect(order).toEqual([1, 2])
    leave[0]!()
    leave[0]!() // Leaving twice gives up one place only.
    await settled()
    expect(order).toEqual([1, 2, 3])
    leave[1]!()
    await settled()
    expect(order).toEqual([1, 2, 3, 4])
  })

  it('are not lost on those who gave up waiting', async () => {
    const budget = createBudget({ windows: [], concurrency: 1 })
    const leave = await budget.enter(never)
    const impatient = new AbortController()
    const waiting = budget.enter(impatient.signal)
    impatient.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await expect(budget.enter(impatient.signal)).rejects.toThrow('enough')
    leave()
    await expect(budget.enter(never)).resolves.toBeTypeOf('function')
  })
})
