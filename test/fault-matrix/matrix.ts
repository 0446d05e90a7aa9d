import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { platformFacts } from '../../simulator/platform-facts-testing.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from '../../simulator/platforms/index.ts'
import type { LoggedRequest } from '../../simulator/server.ts'
import { verifyLedger } from '../../src/credits/verify.ts'
import { type Expectation, expectedOutcome } from './expectations.ts'
import { type JobReport, type Laboratory, type LaboratoryOptions, startLaboratory, topic } from './laboratory.ts'

/** When the fault of a platform begins in a job: at its first page, or after one page. */
export type Moment = 'at once' | 'on the way'

/** The fault of one platform in one job; null for none. */
export type Cell = { expectation: Expectation; moment: Moment; times: number } | null

export interface Matrix {
  readonly laboratory: Laboratory
  /** A job without any fault. */
  readonly whole: JobReport
  /**
   * Runs one job and checks the outcome of every platform, the charge and the duration.
   * @param cells assigned to the platforms in rotation; each round begins at the next one, so that every platform has had every
   * cell after as many rounds as there are cells.
   */
  runRound(cells: readonly Cell[], round: number): Promise<void>
  /**
   * Lets every platform succeed once, so that no host counts as one that keeps failing: the next job would pause it, and the
   * queue does not use the clock that a test puts forward.
   */
  heal(): Promise<void>
}

/** Each round rotates the faults. */
export const rounds: readonly number[] = [0, 1, 2]

/** Longer than any pause that a job leaves behind. */
const betweenJobsMs = 3 * 3_600_000

/** The outcomes of each fault on each platform, printed with TEST_SHOW_MATRIX=1. */
type OutcomeTable = Record<string, Partial<Record<SimulatedPlatformName, string>>>

/** Nothing may have leaked, been impolite or been charged wrongly. */
async function expectPoliteness(laboratory: Laboratory): Promise<void> {
  expect.soft(await verifyLedger(laboratory.service.database)).toEqual([])
  expect.soft(laboratory.simulator.breachLog).toEqual([])
  laboratory.simulator.breachLog.length = 0
  // A redirect to a private address is never followed.
  expect.soft(laboratory.simulator.requests.filter(({ path }) => path === '/private')).toEqual([])
  expectNoSecrets(laboratory, laboratory.logText())
}

async function runRound(laboratory: Laboratory, whole: JobReport, cellOf: CellOf, table: OutcomeTable) {
  for (const platform of simulatedPlatformNames) setFault(laboratory, platform, cellOf(platform))
  const report = await laboratory.runJob()
  for (const platform of simulatedPlatformNames) {
    const cell = cellOf(platform)
    expectTask({ laboratory, whole, report, platform, cell })
    if (!cell) continue
    const { code, state, pages } = report.tasks[platform]
    const row = rowName(cell)
    table[row] = { ...table[row], [platform]: `${code ?? state} ${pages}` }
  }
  expectJob(laboratory, report)
  return report
}

type CellOf = (platform: SimulatedPlatformName) => Cell

/**
 * The service in its laboratory for the tests of a file, with the checks that hold after every test.
 * @param jobMs the maximum duration of a job, on a slow machine too
 */
export function openMatrix(jobMs: number, options: LaboratoryOptions = {}): Matrix {
  let laboratory: Laboratory
  let whole: JobReport
  const table: OutcomeTable = {}

  beforeAll(async () => {
    laboratory = await startLaboratory(options)
    whole = await laboratory.runJob()
    await laboratory.reset()
  })
  afterEach(async () => {
    await expectPoliteness(laboratory)
    await laboratory.reset()
  })
  afterAll(async () => {
    if (process.env.TEST_SHOW_MATRIX === '1') console.table(table)
    await laboratory.stop()
  })

  return {
    get laboratory() {
      return laboratory
    },
    get whole() {
      return whole
    },
    heal: async () => {
      laboratory.simulator.clearFaults()
      laboratory.clock.jump(betweenJobsMs)
      await laboratory.runJob()
    },
    runRound: async (cells, round) => {
      const cellOf: CellOf = (platform) => cells[(simulatedPlatformNames.indexOf(platform) + round) % cells.length]!
      const report = await runRound(laboratory, whole, cellOf, table)
      expect.soft(report.durationMs).toBeLessThan(jobMs)
    },
  }
}

function setFault({ simulator }: Laboratory, platform: SimulatedPlatformName, cell: Cell): void {
  if (!cell) return
  const { fault, seconds } = cell.expectation
  const skip = cell.moment === 'on the way' ? requestsOfFirstPage(platform) : 0
  simulator.setFault(platform, fault, { times: cell.times, skip, ...(seconds === undefined ? {} : { seconds }) })
}

const requestsOfFirstPage = (platform: SimulatedPlatformName) => platformFacts[platform].pageRequests?.untilFirst ?? 1

function isPage({ platform, path, page }: LoggedRequest): boolean {
  const { pageRequests } = platformFacts[platform]
  return pageRequests ? path === pageRequests.path : page > 0
}

const rowName = ({ expectation: { fault, seconds }, moment, times }: NonNullable<Cell>) =>
  [times === 1 ? 'one' : 'lasting', fault, seconds === undefined ? '' : `(${seconds} s)`, moment].join(' ')

interface Observed {
  laboratory: Laboratory
  whole: JobReport
  report: JobReport
  platform: SimulatedPlatformName
  cell: Cell
}

function expectTask({ laboratory, whole, report, platform, cell }: Observed): void {
  const task = report.tasks[platform]
  const all = whole.tasks[platform]
  const isCutShort = cell?.moment === 'on the way' && cell.expectation.refusesSource?.includes(platform)
  const outcome = cell && !isCutShort ? expectedOutcome(cell.expectation, platform) : 'done'
  const [state, code] = outcome === 'done' ? ['done', null] : ['error', outcome]
  const about = `${platform}, ${cell ? rowName(cell) : 'without a fault'}`
  expect.soft({ state: task.state, code: task.code }, about).toEqual({ state, code })
  if (isCutShort) expect.soft(task.pages, `pages of ${about}`).toBe(1)
  else if (outcome === 'done') expect.soft(task, about).toMatchObject({ pages: all.pages, stored: all.stored })
  else {
    expect.soft(task.pages, `pages of ${about}`).toBe(cell?.moment === 'at once' ? 0 : 1)
    expect.soft(task.stored.length > 0, `stored of ${about}`).toBe(task.pages > 0)
    expect.soft(all.stored, about).toEqual(expect.arrayContaining(task.stored))
    // It says what is the matter, and then what to do.
    expect.soft(task.message, about).toMatch(/\. [A-Z].*\.$|next queried at|allows no more/)
  }
  expect.soft(task.pages, `pages of ${about}`).toBe(answeredPages(laboratory, platform, cell))
}

/**
 * The pages that were answered truly. Each counts once: on a busy machine an answer may arrive after the client's timeout, and the
 * client fetches the page again.
 */
function answeredPages({ simulator }: Laboratory, platform: SimulatedPlatformName, cell: Cell): number {
  const isTrue = (fault: string | null) => fault === null || (cell?.expectation.isHarmless ?? false)
  const answered = simulator.requests.filter(
    (request) => request.platform === platform && isPage(request) && request.status === 200 && isTrue(request.fault),
  )
  return new Set(answered.map(({ path, query }) => JSON.stringify([path, query]))).size
}

function expectJob(laboratory: Laboratory, report: JobReport): void {
  const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
  expect.soft(report.creditsUsed).toBe(pages)
  expectNoSecrets(laboratory, JSON.stringify(report.tasks))
}

function expectNoSecrets(laboratory: Laboratory, text: string): void {
  const leaked = [...laboratory.secrets(), ...topic.split(' ')].filter((secret) => text.includes(secret))
  expect.soft(leaked).toEqual([])
}
