import type { Logger } from 'pino'
import { type BackgroundRun, createBackgroundRun } from './background-run.ts'

/** Deletes one slice of the rows that are no longer needed. @returns whether there may be more. */
export type MaintenanceJob = () => Promise<boolean>

const intervalMs = 5 * 60_000
/** The maximum of slices of a job in one round: a backlog takes several rounds, so that other jobs do not wait long. */
const maxSlices = 100

/**
 * Does the work for one row after the other. A row that fails is logged and left for the next round, so that it does not block
 * the others.
 * @returns the number of rows that succeeded.
 */
export async function passOverFailures<Row extends { id: string }>(
  rows: readonly Row[],
  log: Logger,
  work: (row: Row) => Promise<unknown>,
): Promise<number> {
  let done = 0
  for (const row of rows) {
    try {
      await work(row)
      done += 1
    } catch (error) {
      log.error({ err: error, id: row.id }, 'a row was skipped in maintenance')
    }
  }
  return done
}

/** Runs the jobs every few minutes, one slice after the other. A failed job is logged and tried again in the next round. */
export const startMaintenance = (jobs: Record<string, MaintenanceJob>, log: Logger): BackgroundRun =>
  createBackgroundRun({
    everyMs: intervalMs,
    step: async (signal) => {
      for (const [name, job] of Object.entries(jobs)) {
        try {
          let more = true
          for (let slice = 0; more && slice < maxSlices && !signal.aborted; slice++) more = await job()
        } catch (error) {
          log.error({ err: error, job: name }, 'maintenance failed')
        }
      }
      return false
    },
    onError: (error) => log.error({ err: error }, 'maintenance failed'),
  })
