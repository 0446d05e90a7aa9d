import type { Logger } from 'pino'
import type { Database, OpenDatabase } from '../database/open.ts'
import { type BackgroundRun, createBackgroundRun } from '../runtime/background-run.ts'
import type { Clock } from '../runtime/clock.ts'
import { passOverFailures } from '../runtime/maintenance.ts'
import { createGoalJudging } from './goal-judging.ts'
import { findDueWatches, hasWaitingRuns, makeReport } from './report.ts'
import type { NewsJudgingConfig } from './settings.ts'

export interface ReportingDependencies {
  database: Database
  listen: OpenDatabase['listen']
  clock: Clock
  log: Logger
  /** Null where nothing is compared with goals. */
  config: NewsJudgingConfig | null
  /** Whether it begins by itself; else only by `run`. */
  isAutomatic: boolean
}

/** The reports of one step. */
const maxReports = 20
/** What a page stored is placed in wishes in about that time. */
const settleMs = 2_000
/** How soon is looked again for a run whose requests are being placed. */
const waitMs = 5_000

/** The name is in the triggers that notify (`database/migrations/version-5/news.ts`). */
const channel = 'wishwell_ended_runs'

/**
 * Makes a report of each run of a watch that has ended, in the background: soon after it, and in every round of maintenance. What a stop
 * or a crash leaves is reported by another process or after the next start.
 */
export async function startReporting(dependencies: ReportingDependencies): Promise<BackgroundRun> {
  const { database, listen, clock, log, config, isAutomatic } = dependencies
  const judging = createGoalJudging({ database, clock, log, config })
  const reporting = createBackgroundRun({
    step: async (signal) => {
      const due = await findDueWatches(database, clock.now(), maxReports)
      const made = await passOverFailures(due, log, ({ id }) =>
        makeReport(database, { watchId: id, canJudge: judging.canJudge, now: clock.now() }),
      )
      if (signal.aborted) return false
      const isJudged = await judging.judgeNext(signal)
      const isMore = isJudged || (made > 0 && due.length === maxReports)
      if (!isMore && isAutomatic && (await hasWaitingRuns(database))) reporting.startSoon(waitMs)
      return isMore
    },
    onError: (error) => log.error({ err: error }, 'reporting news failed'),
  })
  const stopListening = isAutomatic ? await listen(channel, () => reporting.startSoon(settleMs)) : null
  // What another process left.
  if (isAutomatic) reporting.startSoon(0)
  return {
    ...reporting,
    stop: async () => {
      await Promise.all([reporting.stop(), stopListening?.()])
    },
  }
}
