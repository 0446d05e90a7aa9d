import { describe, expect, it } from 'vitest'
import type { PlatformErrorCode } from '../../database/column-types.ts'
import { formatMoment } from '../../runtime/dates.ts'
import { openTestBudget, platformError } from '../adapters/testing.ts'
import { PlannedWaitError, PlatformError } from '../platform.ts'
import { cooldownAfterRefusal, correctByHeaders, spentUntil } from './announced-limits.ts'

const at = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms)
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const windows = [{ limit: 100, windowMs: 1_000 }]
const open = () => openTestBudget({ name: 'api.example', windows, concurrency: 1 })
const failure = (code: PlatformErrorCode) => new PlatformError(code, `a ${code}`)
const waitsUntil = (promise: Promise<unknown>) =>
  platformError(promise, 'rate_limited').then((error) => error.retryAt?.getTime())

describe('a budget', () => {
  it('sends nothing until the end of the longest cooldown that the host demanded', async () => {
    const budget = open()
    budget.pauseUntil(at(9_000))
    budget.pauseUntil(at(3_000))
    expect(await waitsUntil(budget.take(at(8_999)))).toBe(at(9_000).getTime())
    await budget.take(at(9_000))
  })

  it('a used-up daily quota ends the task, a rate limit delays it', async () => {
    const budget = openTestBudget({
      name: 'api.example',
      windows: [{ limit: 1, windowMs: 1_000 }],
      concurrency: 1,
      quota: { limit: 2, periodEnd: () => at(dayMs) },
    })
    await budget.take(at(0))
    expect(await waitsUntil(budget.take(at(1)))).toBe(at(1_000).getTime())
    await budget.take(at(1_000))
    expect(await budget.readQuota(at(1_500))).toEqual({ used: 2, limit: 2, resetsAt: at(dayMs) })
    const spent = await platformError(budget.take(at(2_000)), 'quota_exhausted')
    expect(spent.retryAt).toBeNull()
    expect(spent.message).toContain(formatMoment(at(dayMs)))
    await budget.correctQuota({ remaining: 0, resetsAt: at(minuteMs) }, at(2_100))
    await budget.take(at(minuteMs))
  })
})

describe('a host that keeps failing', () => {
  const fail = (times: number, code: PlatformErrorCode = 'unavailable') => {
    const budget = open()
    for (let time = 0; time < times; time++) budget.recordFailure(failure(code), at(0))
    return budget
  }

  it('is paused after five failures in a row, with a message', () => {
    fail(4).admit(at(1))
    const budget = fail(5, 'timeout')
    expect(() => budget.admit(at(1))).toThrow(PlannedWaitError)
    expect(() => budget.admit(at(1))).toThrow(
      /keeps failing \(last: timeout\) and is paused until 1 Jan 2026, 00:01 UTC\./,
    )
    expect(budget.state(at(1))).toMatchObject({ failures: 5, pausedUntil: at(minuteMs) })
  })

  it('is tried by one request after the pause, and is paused for longer if that fails too', () => {
    const budget = fail(5)
    budget.admit(at(minuteMs))
    expect(() => budget.admit(at(minuteMs + 1))).toThrow(PlannedWaitError)
    budget.recordFailure(failure('unavailable'), at(minuteMs + 500))
    expect(budget.state(at(0)).pausedUntil).toEqual(at(3 * minuteMs + 500))
    for (let time = 0; time < 20; time++) budget.recordFailure(failure('blocked'), at(0))
    expect(budget.state(at(0)).pausedUntil).toEqual(at(30 * minuteMs))
  })

  it('is open to all again after one success', () => {
    const budget = fail(9)
    budget.recordSuccess(at(2))
    budget.admit(at(3))
    expect(budget.state(at(3))).toMatchObject({ failures: 0, pausedUntil: null, lastSuccessAt: at(2) })
  })

  it('has not failed when it explains a refusal', () => {
    const budget = fail(4)
    budget.recordFailure(failure('rate_limited'), at(0))
    budget.recordFailure(failure('bad_response'), at(0))
    for (let time = 0; time < 9; time++) budget.recordFailure(failure('quota_exhausted'), at(0))
    budget.admit(at(1))
    expect(budget.state(at(1))).toMatchObject({ failures: 1, lastError: { code: 'quota_exhausted' } })
  })

  it('is not left alone for longer than its rules say after the clock was set back', async () => {
    const ahead = 30 * 24 * 60 * minuteMs
    const budget = open()
    for (let time = 0; time < 5; time++) budget.recordFailure(failure('unavailable'), at(ahead))
    await budget.take(at(ahead))
    budget.pauseUntil(at(ahead + minuteMs))
    budget.correct({ remaining: 0, resetAt: at(ahead + minuteMs) }, at(ahead))
    budget.admit(at(0))
    await budget.take(at(minuteMs))
    expect(budget.state(at(minuteMs)).cooldownUntil).toBeNull()
  })

  it('stays paused after a restart', () => {
    const budget = open()
    budget.restore(fail(5).state(at(0)))
    expect(() => budget.admit(at(1))).toThrow(PlannedWaitError)
  })
})

const now = new Date('2026-05-05T12:00:00Z')
const names = { remaining: 'left', reset: 'until' }
const soon = new Date(now.getTime() + 30_000)
const until = String(soon.getTime() / 1000)
const minuteLater = new Date(now.getTime() + 60_000)

describe('the limits that an answer announces', () => {
  const roomAfter = (headers: Record<string, string>) => {
    const budget = openTestBudget({ name: 'host', windows: [{ limit: 10, windowMs: 60_000 }], concurrency: 1 })
    correctByHeaders(budget, headers, names, now)
    return budget.state(now).room
  }

  it('corrects the budget', () => {
    expect(roomAfter({ left: '3', until })).toEqual({ remaining: 3, limit: 10, resetsAt: soon })
  })

  it('changes nothing when only one of the two headers is there', () => {
    const untouched = roomAfter({})
    expect(untouched.remaining).toBe(10)
    expect(roomAfter({ until })).toEqual(untouched)
    expect(roomAfter({ left: '0' })).toEqual(untouched)
  })
})

describe('the cooldown after a refusal', () => {
  it('is that of Retry-After, before any other header', () => {
    const headers = { 'retry-after': '5', left: '0', until }
    expect(cooldownAfterRefusal(headers, now, spentUntil(headers, names, now))).toEqual(new Date(now.getTime() + 5_000))
  })

  it('lasts until the window ends of which nothing is left', () => {
    const headers = { left: '0', until }
    expect(cooldownAfterRefusal(headers, now, spentUntil(headers, names, now))).toEqual(soon)
  })

  it.each([
    ['without a word of what is left', { until }],
    ['with something left', { left: '3', until }],
    ['without an end of the window', { left: '0' }],
  ])('is a minute %s', (_case, headers) => {
    expect(cooldownAfterRefusal(headers, now, spentUntil(headers, names, now))).toEqual(minuteLater)
  })
})
