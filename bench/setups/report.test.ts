import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Setup, setups } from '../growth/estimate.ts'
import { type Inputs, readCell, wordsOf } from '../growth/figures.ts'
import { missedGoals, reportOf } from './report.ts'
import type { Results, SetupResult } from './results.ts'

const speed = { p50Ms: 12.3, p99Ms: 45, perSecond: 80 }
const measured = (setup: Setup, index: number): SetupResult => ({
  setup,
  searches: Object.values(wordsOf).map((query, words) => ({
    query,
    one: speed,
    eight: speed,
    processors: { service: 1, postgres: 10 * index + words, openSearch: setup === 'openSearch' ? 7 + words : null },
  })),
  overlap: null,
  build: setup === 'embedded' ? null : { seconds: 100, bytes: 200_000 * 1_234, cpuSeconds: 90 },
  visibility: [],
  quality: { cranfield: 0.4 },
})
const results: Results = {
  when: '2026-11-23',
  cores: 2,
  model: 'AMD EPYC',
  size: 200_000,
  loaded: { embedded: { seconds: 130, from: 0 }, postgres: { seconds: 120, from: 1_000 } },
  sizes: { embedded: 6e8, embeddedIndex: 2e8, postgres: 5e8, copies: 2.4e7 },
  setups: (Object.keys(setups) as Setup[]).map(measured),
  skipped: [],
}

describe('the tables of the setups', () => {
  const text = reportOf(results)
  const inputs: Inputs = JSON.parse(readFileSync(new URL('../growth/figures.json', import.meta.url), 'utf8'))

  it('have every cell from which the estimates of growth read a figure', () => {
    const cells = Object.entries(inputs.figures).flatMap(([name, { table }]) =>
      table?.section === 'setups' ? [[name, readCell(text, table)]] : [],
    )
    expect(Object.fromEntries(cells)).toEqual({
      weightsBytes: 1_234,
      copiesBytes: 120,
      localBytes: 1_234,
      openSearchBytes: 1_234,
      weightsBuild: 2_000,
      localBuild: 2_000,
      openSearchBuild: 2_000,
    })
  })

  it('have the CPU of searches of one, two and four words', () => {
    const readSearches = (engine: 'tsvector' | 'openSearch') => {
      const { table } = inputs.searches[engine]
      return Object.values(wordsOf).map((words) =>
        readCell(text, { heading: '200,000 documents', row: [table!.engine, words], column: table!.column }),
      )
    }
    expect([readSearches('tsvector'), readSearches('openSearch')]).toEqual([
      [20, 21, 22],
      [7, 8, 9],
    ])
  })

  it('are followed by what was skipped', () => {
    expect(reportOf({ ...results, skipped: ['Postgres with BM25: no extension'] })).toMatch(
      /\n- Skipped: Postgres with BM25: no extension\.$/,
    )
  })
})

describe('the goals', () => {
  const withLocal = (more: Partial<SetupResult>) =>
    missedGoals({
      ...results,
      setups: results.setups.map((one) => (one.setup === 'local' ? { ...one, ...more } : one)),
    })
  const visibility = { otherwiseStored: 0, rounds: 200, p50Ms: 10, maxMs: 1_999, byDatabase: 0 }

  it('are met by an equal ranking and by requests that are found within two seconds', () => {
    expect(withLocal({ quality: { cranfield: 0.391 }, visibility: [visibility] })).toEqual([])
  })

  it('are missed by another ranking, and by a request that is found later', () => {
    const missed = withLocal({
      quality: { cranfield: 0.38 },
      visibility: [visibility, { ...visibility, maxMs: 2_001 }],
    })
    expect(missed).toEqual([
      'Postgres with local indexes: nDCG@10 of cranfield is .380, embedded .400',
      'Postgres with local indexes: a stored request was found after 2001 ms',
    ])
  })
})
