import { describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import { type DrawnLabel, estimateAccuracy, shownClasses } from './estimate.ts'
import { shareOf } from './interval.ts'
import { type Population, shareSeats, weekOf } from './seats.ts'
import { simulateAccount } from './testing.ts'

// Holds (Search, lists and export): in simulations, 95 % intervals hold the true shares of shown and hidden texts for at least 93 % of accounts, also after threshold changes

const labels = (requests: number, others: number, weight = 1) => [
  ...Array.from({ length: requests }, () => ({ isRequest: true, weight })),
  ...Array.from({ length: others }, () => ({ isRequest: false, weight })),
]
const rounded = (numbers: object | null) =>
  numbers && Object.values(numbers).map((value: number) => Math.round(value * 10_000) / 10_000)

describe('the interval of a share', () => {
  it.each([
    [8, 2, [0.8, 0.4439, 0.9748]],
    [63, 37, [0.63, 0.5276, 0.7244]],
    [0, 10, [0, 0, 0.3085]],
    [10, 0, [1, 0.6915, 1]],
    [1, 999, [0.001, 0, 0.0056]],
  ])('is the one of Clopper and Pearson for %i requests and %i others', (requests, others, numbers) => {
    expect(rounded(shareOf(labels(requests, others)))).toEqual(numbers)
    expect(rounded(shareOf(labels(requests, others, 750)))).toEqual(numbers)
  })

  it('is wider where few labels stand for most texts', () => {
    const equal = shareOf(labels(20, 20))!
    const uneven = shareOf([...labels(18, 18), ...labels(2, 2, 50)])!
    expect(uneven.share).toBe(0.5)
    expect(uneven.high - uneven.low).toBeGreaterThan(2 * (equal.high - equal.low))
  })

  it('is none without labels', () => {
    expect(shareOf([])).toBeNull()
  })
})

const drawn = (count: number, label: Partial<DrawnLabel> = {}): DrawnLabel[] =>
  Array.from({ length: count }, (_, index) => ({
    platform: 'reddit',
    standing: 2,
    confidence: 0.99,
    population: 1_000,
    thresholds: 'now',
    isRequest: index % 2 === 0,
    ...label,
  }))

describe('the estimates of an account', () => {
  it('are from its own labels once these are enough, by class and by platform', () => {
    const { shown, hidden, platforms } = estimateAccuracy(
      [...drawn(12), ...drawn(4, { platform: 'github' })],
      [...drawn(20, { isRequest: true }), ...drawn(30, { standing: 0, confidence: 0.001, isRequest: false })],
    )
    expect(shown).toMatchObject({ labels: 16, from: 'account', share: 0.5 })
    expect(hidden).toMatchObject({ labels: 30, from: 'operator', share: 0, low: 0 })
    expect(platforms.map(({ platform, shown: { labels: used, from } }) => [platform, used, from])).toEqual([
      ['github', 4, null],
      ['reddit', 12, 'account'],
    ])
  })

  it('are null with fewer than ten labels of anyone', () => {
    expect(estimateAccuracy(drawn(9), drawn(9)).shown).toEqual({
      ...{ labels: 9, from: null, share: null, low: null, high: null },
    })
  })

  it('count a text in the class that it has by the present thresholds, with the weight of the class it was drawn from', () => {
    const before = { thresholds: 'before', population: 4_000, standing: 1 as const, isRequest: false }
    const { shown, maybe } = estimateAccuracy(
      [...drawn(10, { isRequest: true, thresholds: 'before' }), ...drawn(10, before)],
      null,
    )
    expect(maybe.labels).toBe(0)
    expect(shown).toMatchObject({ labels: 20, share: expect.closeTo(0.2, 10) })
  })
})

it('a week has twenty texts, of other classes where one has too few', () => {
  const seats = (population: Population, taken = { 0: 0, 1: 0, 2: 0 }) => shareSeats(population, taken)
  expect(seats({ 0: 900, 1: 50, 2: 100 })).toEqual({ 0: 6, 1: 6, 2: 8 })
  expect(seats({ 0: 900, 1: 2, 2: 0 })).toEqual({ 0: 18, 1: 2, 2: 0 })
  expect(seats({ 0: 1, 1: 0, 2: 3 })).toEqual({ 0: 1, 1: 0, 2: 3 })
  expect(seats({ 0: 900, 1: 50, 2: 100 }, { 0: 6, 1: 6, 2: 8 })).toEqual({ 0: 0, 1: 0, 2: 0 })
  expect(weekOf(new Date('2026-11-29T23:59:59Z'))).toBe('2026-11-23')
  expect(weekOf(new Date('2026-11-30T00:00:00Z'))).toBe('2026-11-30')
})

it('95 % intervals hold the true share', () => {
  const accounts = campaignSize('ACCURACY_ACCOUNTS', { quick: 100, nightly: 1_000 })
  const held = new Map<string, { intervals: number; misses: number }>()
  for (let seed = 1; seed <= accounts; seed += 1) {
    const { truth, estimates } = simulateAccount(seed)
    for (const shown of shownClasses.filter((name) => name !== 'maybe')) {
      for (const moved of ['all', seed % 2 === 0 ? 'moved' : 'still']) {
        const count = held.get(`${shown} ${moved}`) ?? { intervals: 0, misses: 0 }
        const { low, high, from } = estimates[shown]
        if (from === null) continue
        count.intervals += 1
        if (truth[shown] < low! || truth[shown] > high!) count.misses += 1
        held.set(`${shown} ${moved}`, count)
      }
    }
  }
  for (const [name, { intervals, misses }] of held) {
    const covered = 1 - misses / intervals
    console.log(
      `${name}: ${intervals} intervals hold the true share in ${(covered * 100).toFixed(1)} % (seeds 1 to ${accounts})`,
    )
    expect(intervals).toBeGreaterThan(accounts / 3)
    expect(covered, name).toBeGreaterThanOrEqual(0.93)
  }
})
