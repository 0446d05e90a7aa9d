import { describe, expect, it } from 'vitest'
import type { Sample } from './sampling.ts'
import { judge } from './verdicts.ts'

interface Figures {
  residentMb: number
  files: number
  outboxSeconds: number | null
  unplaced: number
  deadRows: number
  requests: number
}

/** A sample every 5 s for 20 minutes. @param figures at a share of the time, from 0 to 1 */
function samplesOf(figures: (share: number) => Partial<Figures>): Sample[] {
  return Array.from({ length: 240 }, (_, index) => {
    const usual = { residentMb: 500, files: 40, outboxSeconds: 1, unplaced: 10, deadRows: 1_000, requests: 20_000 }
    const { residentMb, files, outboxSeconds, unplaced, deadRows, requests } = { ...usual, ...figures(index / 239) }
    return {
      seconds: index * 5,
      processes: [{ name: 'service', residentMb, files, sockets: 0 }],
      database: {
        outboxSeconds,
        unplaced,
        uncounted: 0,
        deltas: 0,
        openTasks: 0,
        requests,
        tables: { a: { deadRows } },
      },
    } as unknown as Sample
  })
}

const unsteady = (figures: (share: number) => Partial<Figures>) =>
  judge(samplesOf(figures)).flatMap(({ measure, isSteady }) => (isSteady ? [] : [measure]))

describe('the verdicts of a mixed load', () => {
  it('a run in which nothing grows is steady', () => {
    expect(unsteady(() => ({}))).toEqual([])
    expect(unsteady(() => ({ outboxSeconds: null }))).toEqual([])
  })

  it.each([
    ['memory of service', (share: number) => ({ residentMb: 500 + 100 * share })],
    ['handles of service', (share: number) => ({ files: 40 + Math.round(60 * share) })],
    ['age of the outbox', (share: number) => ({ outboxSeconds: share > 0.5 && share < 0.52 ? 6 : 1 })],
    ['requests to place in wishes', (share: number) => ({ unplaced: Math.round(8_000 * share) })],
    ['dead rows', (share: number) => ({ deadRows: 1_000 + 4_000 * share })],
  ])('%s', (measure, figures) => {
    expect(unsteady(figures)).toEqual([measure])
  })

  it('memory that grew in the first half alone, and dead rows that grow as the tables do, are steady', () => {
    expect(unsteady((share) => ({ residentMb: 400 + 200 * Math.min(share, 0.5) }))).toEqual([])
    expect(unsteady((share) => ({ deadRows: 1_000 + 4_000 * share, requests: 20_000 + 80_000 * share }))).toEqual([])
  })
})
