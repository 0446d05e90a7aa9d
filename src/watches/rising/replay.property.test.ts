import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { campaignSize } from '../../../test/campaign-size.ts'
import {
  createDraws,
  type Draws,
  days,
  type Replayed,
  rateRanges,
  replay,
  replayWishes,
  usualWorld,
} from './testing.ts'

// Holds (Watches, news and channels): in two replayed years, at most one false rise per watch and month; at least 80 % of threefold bursts by five authors are reported within seven days

// Takes seconds: a promise about months needs hundreds of replayed years.
const watches = campaignSize('REPLAYED_WATCHES', { quick: 8, nightly: 200 })

/** The false alarms a watch and month, at the upper end of their 95 % interval. */
function falseAlarms(replayed: readonly Replayed[]): number {
  const rates = replayed.map(({ falseAlarms: alarms, months }) => alarms / months)
  const mean = rates.reduce((a, b) => a + b, 0) / rates.length
  const variance = rates.reduce((sum, rate) => sum + (rate - mean) ** 2, 0) / (rates.length - 1)
  return mean + 1.96 * Math.sqrt(variance / rates.length)
}

/** The share of bursts that were found, by range of rates, and of bursts that strike each wish alike. */
function foundBursts(replayed: readonly Replayed[]) {
  const ranges = rateRanges
    .map((most, range) => {
      const sum = (of: 'wishes' | 'bursts' | 'found') =>
        replayed.reduce((all, { ranges: one }) => all + one[range]![of], 0)
      return { most, wishes: sum('wishes'), share: sum('found') / sum('bursts') }
    })
    .filter(({ share }) => !Number.isNaN(share))
  const wishes = ranges.reduce((all, range) => all + range.wishes, 0)
  return { ranges, ofWishes: ranges.reduce((all, { wishes: some, share }) => all + (some / wishes) * share, 0) }
}

/** The share of rises of the topic that were found; not a number where there are none. */
function foundPulses(replayed: readonly Replayed[]): number {
  const of = (which: 'all' | 'found') => replayed.reduce((sum, { pulses }) => sum + pulses[which], 0)
  return of('found') / of('all')
}

const report = (name: string, replayed: readonly Replayed[]) => {
  if (process.env.TEST_NIGHTLY === undefined) return
  const { ranges, ofWishes } = foundBursts(replayed)
  const shares = ranges.map(({ most, share }) => `up to ${most} a week ${share.toFixed(2)}`).join(', ')
  const found = `found ${ofWishes.toFixed(3)} (${shares}), of topics ${foundPulses(replayed).toFixed(2)}`
  console.log(`${name}: at most ${falseAlarms(replayed).toFixed(2)} false alarms; ${found}`)
}

describe('of two replayed years', () => {
  it.each([
    ['of 120 wishes, each day', {}],
    ['without bursts', { hasBursts: false }],
    ['of 20 wishes', { wishes: 20 }],
    ['each hour', { wishes: 40, runsPerDay: 24 }],
    ['each week', { runsPerDay: 1 / 7 }],
    ['in which releases triple all of it for a week', { pulse: 3 }],
    ['in which wishes grow up to four times a year', { growth: 4 }],
    ['whose rates vary three times as much as the model takes for sure', { spread: { week: 0.3, day: 0.5 } }],
  ])('%s, the alarms keep the promise', (name, world) => {
    const replayed = Array.from({ length: watches }, (_, seed) => replay(seed, { ...usualWorld, ...world }))
    report(name, replayed)
    expect(falseAlarms(replayed)).toBeLessThan(1)
    if ('hasBursts' in world) return
    if ('pulse' in world) {
      expect(foundPulses(replayed)).toBeGreaterThan(0.8)
    }
    const { ranges, ofWishes } = foundBursts(replayed)
    expect(ofWishes).toBeGreaterThan(0.8)
    // Wishes that one to eight people ask for each week are those whose bursts chance resembles most (README.md).
    const mean = ranges.reduce((sum, { share }) => sum + share, 0) / ranges.length
    expect(mean).toBeGreaterThan(0.5)
  })
})

const shared = process.env.WISHWELL_SHARED ?? resolve(import.meta.dirname, '../../../../shared')
const corpus = join(shared, 'corpora/titanium-issues.jsonl.gz')
if (!existsSync(corpus)) console.log(`skipped: no ${corpus} (set WISHWELL_SHARED to the folder that holds the corpora)`)
const dayMs = 86_400_000

interface Issue {
  type: string
  tags: string[]
  createdAt: string
}

function readIssues(): Issue[] {
  const lines = gunzipSync(readFileSync(corpus)).toString().trimEnd().split('\n')
  const issues = lines.map((line) => JSON.parse(line) as Issue)
  return issues.filter(({ type, tags }) => (type === 'Improvement' || type === 'New Feature') && tags.length > 0)
}

/** Two years of feature requests of a product, by tag, as wishes. Tags are shuffled among those of a quarter: none has bursts of its own. */
function realWishes(all: readonly Issue[], year: number, draws: Draws) {
  const issues = all
    .map(({ tags, createdAt }) => ({
      tag: tags[0]!,
      day: Math.floor((Date.parse(createdAt) - Date.UTC(year)) / dayMs),
    }))
    .filter(({ day }) => day >= 0 && day < days)
    .sort((a, b) => a.day - b.day)
  const shuffled = [...Map.groupBy(issues, ({ day }) => Math.floor(day / 91)).values()].flatMap((quarter) => {
    const tags = quarter.map(({ tag }) => ({ tag, at: draws.random() })).sort((a, b) => a.at - b.at)
    return quarter.map(({ day }, index) => ({ day, tag: tags[index]!.tag }))
  })
  return [...Map.groupBy(shuffled, ({ tag }) => tag).values()].map((ofTag) => {
    const counts = new Int32Array(days)
    for (const { day } of ofTag) counts[day]! += 1
    return { rate: (ofTag.length * 7) / days, growth: 1, counts }
  })
}

it.skipIf(!existsSync(corpus))(
  'real dates of two years of a product keep it, too (skipped without the corpora)',
  () => {
    const issues = readIssues()
    const replayed = [2012, 2014, 2016].flatMap((year) =>
      Array.from({ length: Math.max(3, watches / 10) }, (_, seed) => {
        const draws = createDraws(year + seed)
        return replayWishes(realWishes(issues, year, draws), draws, usualWorld, null)
      }),
    )
    report('real dates', replayed)
    expect(falseAlarms(replayed)).toBeLessThan(1)
    expect(foundBursts(replayed).ofWishes).toBeGreaterThan(0.8)
  },
)
