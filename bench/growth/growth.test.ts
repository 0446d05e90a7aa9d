import { describe, expect, it } from 'vitest'
import { readSection } from '../report.ts'
import { curveOf, msAt } from './curve.ts'
import { estimate, type Setup, setups } from './estimate.ts'
import { type Engine, type Inputs, type Point, readCell, readInputs, type Words, wordsOf } from './figures.ts'
import { breaksOf, exceededBy } from './limits.ts'
import { about, count, sectionsOf } from './tables.ts'

const inputs = readInputs()
const setupNames = Object.keys(setups) as Setup[]
const engines = Object.keys(inputs.searches) as Engine[]
const wordNames = Object.keys(wordsOf) as Words[]
const sizes = [1e4, 1e5, 1e6, 1e7, 1e8, 1e9]
const searchOf = (points: readonly Point[]) => ({
  ...inputs.searches.embedded,
  points: { one: points, two: points, four: points },
})

/** The inputs that the formulas of the review of scale were made from. */
const ofReview: Inputs = {
  ...inputs,
  searches: {
    ...inputs.searches,
    bm25: { ...searchOf([[1e6, 13.1]]), constantMs: 1.6, exponent: 0.65 },
    openSearch: { ...searchOf([[1e6, 18]]), constantMs: 0, exponent: 0.65 },
  },
}

describe('the curve of searches', () => {
  it('goes through the measured points', () => {
    for (const engine of engines) {
      for (const words of wordNames) {
        const curve = curveOf(inputs.searches[engine], words)
        for (const [requests, ms] of inputs.searches[engine].points[words])
          expect(msAt(curve, requests)).toBeCloseTo(ms)
      }
    }
  })

  it('finds the constant, the factor and the exponent that three points have', () => {
    const known = { constantMs: 2, factorMs: 10, exponent: 0.7 }
    const points = [2e4, 3e5, 5e6].map((size): Point => [size, msAt(known, size)])
    const found = curveOf(searchOf(points), 'four')
    expect(found.constantMs).toBeCloseTo(2)
    expect(found.factorMs).toBeCloseTo(10)
    expect(found.exponent).toBeCloseTo(0.7)
  })

  it('grows with the number of requests, also from points that do not', () => {
    const noisy = searchOf([
      [1e4, 3],
      [1e5, 2],
      [1e6, 4],
    ])
    for (const curve of [curveOf(noisy, 'one'), ...engines.map((engine) => curveOf(inputs.searches[engine], 'four'))]) {
      const times = sizes.map((size) => msAt(curve, size))
      expect(times).toEqual([...times].sort((one, other) => one - other))
      expect(times[0]).toBeGreaterThan(0)
    }
  })

  it('is never negative where the points are below the usual constant', () => {
    expect(msAt(curveOf(searchOf([[1e6, 0.3]]), 'one'), 1e3)).toBeCloseTo(0.3)
  })
})

describe('the estimates', () => {
  it('have the numbers of the review of scale', () => {
    const bm25 = sizes.slice(2).map((size) => estimate(ofReview, 'bm25', size))
    expect(bm25.map(({ searchMs }) => about(searchMs))).toEqual(['13', '53', '230', '1,000'])
    expect(bm25.slice(0, 3).map(({ searchesPerSecond }) => about(searchesPerSecond))).toEqual(['1,200', '300', '69'])
    expect(bm25.slice(0, 3).map(({ diskGB }) => about(diskGB))).toEqual(['3.1', '31', '310'])
    // 10 shards in parallel, and reading the records.
    expect(estimate(ofReview, 'openSearch', 1e8).searchMs).toBeCloseTo(80.4 + 1, 0)
  })

  it('of the embedded service are its measurements', () => {
    const { searchMs, searchesPerSecond } = estimate(inputs, 'embedded', 1e6)
    const cell = (column: string) =>
      readCell(readSection('speed'), {
        heading: '1,000,000 documents',
        row: ['Wishwell', 'four common words'],
        column,
      })
    expect(searchMs).toBeCloseTo(cell('p50 ms')!)
    expect(Math.abs(searchesPerSecond / cell('a second, 16 clients')! - 1)).toBeLessThan(0.2)
  })

  it('of more requests never need less, and never do more', () => {
    for (const setup of setupNames) {
      const all = sizes.map((size) => estimate(inputs, setup, size))
      for (const [index, of] of all.slice(1).entries()) {
        const fewer = all[index]!
        for (const name of ['diskGB', 'machineGB', 'processGB', 'memoryGB', 'searchMs', 'costUsd', 'nodes'] as const) {
          expect(of[name], `${setup} ${name}`).toBeGreaterThanOrEqual(fewer[name])
        }
        if (setup !== 'openSearch') expect(of.searchesPerSecond).toBeLessThanOrEqual(fewer.searchesPerSecond)
      }
    }
  })

  it('add searches with processes only where each has an index', () => {
    const rates = (setup: Setup) => [1, 2].map((processes) => estimate(inputs, setup, 1e6, processes).searchesPerSecond)
    const [one = 0, two = 0] = rates('local')
    expect(two).toBeCloseTo(2 * one)
    const [alone, both] = rates('bm25')
    expect(both).toBe(alone)
  })
})

describe('what breaks first', () => {
  it('is the limit that is exceeded with the fewest requests', () => {
    for (const setup of setupNames) {
      const breaks = breaksOf(inputs, setup)
      for (const { limit, requests } of breaks) {
        expect(exceededBy(inputs, estimate(inputs, setup, requests * 1.01))).toContain(limit)
        if (requests > 1e3) expect(exceededBy(inputs, estimate(inputs, setup, requests / 1.01))).not.toContain(limit)
      }
      expect(exceededBy(inputs, estimate(inputs, setup, breaks[0]!.requests / 1.01))).toEqual([])
    }
  })

  it('is memory where less memory is the limit', () => {
    const small = { ...inputs, limits: { machineGB: { ...inputs.limits.machineGB!, max: 8 } } }
    const [first, ...others] = breaksOf(small, 'bm25')
    expect(first?.limit).toBe('machineGB')
    expect(others).toEqual([])
    expect(estimate(small, 'bm25', first!.requests).machineGB).toBeCloseTo(8, 1)
  })
})

describe('the figures', () => {
  it('each say where they come from', () => {
    for (const { value, by, kind, machine } of Object.values(inputs.figures)) {
      expect(by).not.toBe('')
      if (kind !== 'not measured') expect([value, machine]).not.toContain(null)
    }
  })

  it('are read from the tables that other benches wrote', () => {
    const section =
      '### 1,000 documents\n\n| engine | query | p50 ms |\n| --- | --- | --- |\n| Wishwell | one | 1,234.5 |\n\n| engine | index |\n| --- | --- |\n| Wishwell | 7 MB |\n'
    const cell = (row: string[], column: string, heading: string | null = '1,000 documents') =>
      readCell(section, { heading, row, column })
    expect(cell(['Wishwell', 'one'], 'p50 ms')).toBe(1234.5)
    expect(cell(['Wishwell'], 'index', null)).toBe(7)
    expect([cell(['Wishwell', 'two'], 'p50 ms'), cell(['Wishwell', 'one'], 'p50 ms', '2 documents')]).toEqual([
      null,
      null,
    ])
  })

  it('are those of docs/scaling.md (node bench/growth.ts --write)', () => {
    for (const [name, text] of Object.entries(sectionsOf(inputs))) expect(readSection(name, 'scaling.md')).toBe(text)
  })

  it('are shown with as many digits as are known', () => {
    expect([0, 0.0312, 1.04, 17, 1234, 987_654].map(about)).toEqual(['0', '0.03', '1', '17', '1,200', '990,000'])
    expect([50_000, 7_300_000, 1e9].map(count)).toEqual(['50k', '7.3M', '1B'])
  })
})
