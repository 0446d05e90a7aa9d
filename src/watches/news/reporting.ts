import type { Logger } from 'pino'
import type { Database, OpenDatabase } from '../../database/open.ts'
import type { Retention } from '../../requests/store/delete.ts'
import { type BackgroundRun, createBackgroundRun, wakeOn } from '../../runtime/background-run.ts'
import type { Clock } from '../../runtime/clock.ts'
import { passOverFailures } from '../../runtime/maintenance.ts'
import { createGoalJudging } from './goal-judging.ts'
import { findDueWatches, hasWaitingRuns, makeReport } from './report.ts'
import type { NewsJudgingConfig } from './settings.ts'

interface ReportingDependencies {
  database: Database
  listen: OpenDatabase['listen']
  clock: Clock
  log: Logger
  /** Null if nothing is compared with goals. */
  config: NewsJudgingConfig | null
  retention: Retention
  /** Whether it starts by itself; else only by `run`. */
  isAutomatic: boolean
  /** How long after a run's end its report starts: meanwhile its requests are placed in wishes. */
  settleMs?: number
  /** When to check again on a run whose requests are being placed. */
  waitMs?: number
}

const maxReports = 20
/** How long a watch with a failed report lets others go first. */
const standBackMs = 4 * 60_000

/** Also in the notifying triggers (`database/schema/scraping.sql`). */
const channel = 'wishwell_ended_runs'

/** Recent failures, which must not block what comes after them. */
function createFailures() {
  const until = new Map<string, number>()
  return {
    add: (id: string, now: Date) => until.set(id, now.getTime() + standBackMs),
    read(now: Date): string[] {
      for (const [id, end] of until) if (end <= now.getTime()) until.delete(id)
      return [...until.keys()]
    },
  }
}

/**
 * Reports ended runs of watches in the background, soon after their end and in every maintenance round. After a stop or
 * crash, another process or the next start continues. A model compares goals separately, delaying no other report.
 */
export async function startReporting(dependencies: ReportingDependencies): Promise<BackgroundRun> {
  const { database, listen, clock, log, retention, isAutomatic, settleMs = 2_000, waitMs = 5_000 } = dependencies
  const goalJudging = createGoalJudging(dependencies)
  const failures = createFailures()
  const judging = createBackgroundRun({
    step: goalJudging.judgeNext,
    onError: (error) => log.error({ err: error }, 'comparing news with goals failed'),
  })
  const report = async (watchId: string) => {
    try {
      await makeReport(database, { watchId, canJudge: goalJudging.canJudge, retention, now: clock.now() })
    } catch (error) {
      failures.add(watchId, clock.now())
      throw error
    }
  }
  const reporting = createBackgroundRun({
    step: async () => {
      const now = clock.now()
      const due = await findDueWatches(database, now, maxReports, failures.read(now))
      const made = await passOverFailures(due, log, ({ id }) => report(id))
      if (made > 0 && isAutomatic) judging.startSoon(0)
      const isMore = due.length === maxReports
      if (!isMore && isAutomatic && (await hasWaitingRuns(database, failures.read(clock.now())))) {
        reporting.startSoon(waitMs)
      }
      return isMore
    },
    onError: (error) => log.error({ err: error }, 'reporting news failed'),
  })
  const woken = isAutomatic ? await wakeOn(reporting, { listen, channel, delayMs: settleMs }) : reporting
  if (isAutomatic) judging.startSoon(0)
  const both = [woken, judging]
  return {
    job: async () => {
      for (const run of both) await run.job()
      return false
    },
    run: async () => {
      await reporting.run()
      await judging.run()
    },
    startSoon: (delayMs) => {
      for (const run of both) run.startSoon(delayMs)
    },
    stop: async () => {
      await Promise.all(both.map((run) => run.stop()))
    },
  }
}
