import { describe, expect, it } from 'vitest'
import { openTestBudget } from '../adapters/testing.ts'
import { cooldownAfterRefusal, correctByHeaders, spentUntil } from './announced-limits.ts'

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
