import { expect, it } from 'vitest'
import type { Data } from './api-types.ts'
import { formatUsage } from './usage.ts'

const usage: Data<'readUsage'> = {
  tier: 'max',
  credits: { used: 588, limit: 15_000, remaining: 14_412, held: 0, resetsAt: '2026-12-01T00:00:00.000Z' },
  paygBalance: 1_300,
  paygMonthlyCap: null,
  rateLimit: { requestsPerMinute: 240 },
  scope: 'manage',
}

it('the usage shows the plan with its rate limit, and the used and held credits', () => {
  expect(formatUsage(usage)).toEqual([
    'Plan:          max, 240 requests a minute',
    'Credits:       588 of 15,000 used, 14,412 remaining, renewed on 1 Dec 2026',
    'Pay as you go: 1,300 credits, no cap',
  ])
  const held = formatUsage({ ...usage, credits: { ...usage.credits, held: 480 } })
  expect(held[1]).toBe(
    'Credits:       588 of 15,000 used, 480 of them held by running jobs, 14,412 remaining, renewed on 1 Dec 2026',
  )
})

it('the usage of a month or a week names what keys and watches used', () => {
  const spenders = {
    month: '2026-11',
    from: '2026-11-01T00:00:00.000Z',
    until: '2026-12-01T00:00:00.000Z',
    total: { held: 2, settled: 17 },
    withoutKey: { held: 0, settled: 5 },
    keys: [{ keyId: '11111111-1111-4111-8111-111111111111', name: 'laptop', held: 0, settled: 12 }],
    persons: [{ personName: 'Ada', keyId: null, held: 0, settled: 5 }],
    watches: [{ watchId: '22222222-2222-4222-8222-222222222222', name: null, held: 2, settled: 1 }],
  }
  expect(formatUsage({ ...usage, spenders }).slice(3)).toEqual([
    'In 2026-11: 17 credits and 2 held',
    '  laptop  key · 12 credits  11111111-1111-4111-8111-111111111111',
    '  The page  signed in by a link · 5 credits',
    '  (deleted)  watch · 1 credit and 2 held  22222222-2222-4222-8222-222222222222',
    '  Ada  person · 5 credits',
  ])
  const { month, ...others } = spenders
  const week = { ...others, week: '2026-W47', from: '2026-11-16T00:00:00.000Z', until: '2026-11-23T00:00:00.000Z' }
  expect(formatUsage({ ...usage, spenders: week })[3]).toBe(
    'In 2026-W47, 16 Nov 2026 to 22 Nov 2026: 17 credits and 2 held',
  )
})
