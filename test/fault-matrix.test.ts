import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { verifyLedger } from '../src/credits/verify.ts'
import { type Expectation, expectedOutcome, lastingFaults, passingFaults } from './fault-matrix/expectations.ts'
import { type JobReport, type Laboratory, startLaboratory, timeBudgetMs, topic } from './fault-matrix/laboratory.ts'
import { type SimulatedPlatformName, simulatedPlatformNames } from './platform-simulator/platforms/index.ts'

/** Since when a platform is at fault in a job: from the first page, after a page, or not at all. */
const roles = ['at once', 'on the way', 'well'] as const
type Role = (typeof roles)[number]

const roleOf = (platform: SimulatedPlatformName, round: number): Role =>
  roles[(simulatedPlatformNames.indexOf(platform) + round) % roles.length]!
const rounds = roles.map((_, round) => round)

let laboratory: Laboratory
/** A job without any fault. */
let whole: JobReport
const matrix: Record<string, Partial<Record<SimulatedPlatformName, string>>> = {}

beforeAll(async () => {
  laboratory = await startLaboratory()
  whole = await laboratory.runJob()
})
afterEach(async () => {
  expect.soft(await verifyLedger(laboratory.service.database)).toEqual([])
  expect.soft(laboratory.simulator.breachLog).toEqual([])
  laboratory.simulator.breachLog.length = 0
  expectNoSecrets(laboratory.logText())
  await laboratory.reset()
})
afterAll(async () => {
  if (process.env.TEST_SHOW_MATRIX === '1') console.table(matrix)
  await laboratory.stop()
})

function expectNoSecrets(text: string): void {
  const leaked = [...laboratory.secrets(), ...topic.split(' ')].filter((secret) => text.includes(secret))
  expect.soft(leaked).toEqual([])
}

function setFaults({ fault, seconds }: Expectation, round: number, times: number): void {
  for (const platform of simulatedPlatformNames) {
    const role = roleOf(platform, round)
    if (role === 'well') continue
    const skip = role === 'on the way' ? 1 : 0
    laboratory.simulator.setFault(platform, fault, { times, skip, ...(seconds === undefined ? {} : { seconds }) })
  }
}

/** What was answered truly was delivered, and nothing else. */
function answeredPages(platform: SimulatedPlatformName, isHarmless = false): number {
  const isTrue = (fault: string | null) => fault === null || isHarmless
  return laboratory.simulator.requests.filter(
    (request) => request.platform === platform && request.status === 200 && isTrue(request.fault),
  ).length
}

function expectTask(report: JobReport, platform: SimulatedPlatformName, expectation: Expectation, role: Role): void {
  const task = report.tasks[platform]
  const outcome = role === 'well' ? 'done' : expectedOutcome(expectation, platform)
  const expected = whole.tasks[platform]
  const [state, code] = outcome === 'done' ? ['done', null] : ['error', outcome]
  expect.soft({ platform, role, state: task.state, code: task.code }).toEqual({ platform, role, state, code })
  if (outcome === 'done') expect.soft(task).toMatchObject({ pages: expected.pages, stored: expected.stored })
  else {
    expect.soft(task.pages, `pages of ${platform}`).toBe(role === 'at once' ? 0 : 1)
    expect.soft(expected.stored).toEqual(expect.arrayContaining(task.stored))
  }
  expect.soft(task.pages, `pages of ${platform}`).toBe(answeredPages(platform, expectation.isHarmless))
  if (role !== 'well') note(expectation, platform, role, `${outcome} ${task.pages}`)
}

function note({ fault, seconds }: Expectation, platform: SimulatedPlatformName, role: Role, text: string): void {
  const row = `${fault}${seconds === undefined ? '' : ` ${seconds} s`}, ${role}`
  matrix[row] = { ...matrix[row], [platform]: text }
}

async function runRound(expectation: Expectation, round: number, times: number): Promise<void> {
  setFaults(expectation, round, times)
  const report = await laboratory.runJob()
  const pages = Object.values(report.tasks).reduce((sum, task) => sum + task.pages, 0)
  expect.soft(report.creditsUsed).toBe(pages)
  for (const platform of simulatedPlatformNames) expectTask(report, platform, expectation, roleOf(platform, round))
  expectNoSecrets(JSON.stringify(report.tasks))
  expect.soft(report.durationMs).toBeLessThan(timeBudgetMs + (expectation.outcome === 'done' ? 1_000 : 0) * 4)
}

it('all platforms deliver several pages when nothing is at fault', () => {
  for (const platform of simulatedPlatformNames) {
    const { state, pages, stored } = whole.tasks[platform]
    expect({ platform, state }).toEqual({ platform, state: 'done' })
    expect(pages).toBeGreaterThan(1)
    expect(stored.length).toBeGreaterThan(pages)
  }
})

// Before the clock is put forward: the queue of the tasks that wait goes by the real one.
describe.each(passingFaults)('after one $fault ($seconds s)', (expectation) => {
  it.each(rounds)('everything is collected all the same, round %i', async (round) => {
    await runRound(expectation, round, 1)
  })
})

describe.each(lastingFaults)('with $fault for ever ($seconds s)', (expectation) => {
  it.each(rounds)('a platform ends as it should, and no other is touched, round %i', async (round) => {
    await runRound(expectation, round, Number.POSITIVE_INFINITY)
    laboratory.clock.jump(3 * 3_600_000)
  })
})
