import type { Logger } from 'pino'
import { type BackgroundRun, createBackgroundRun } from './background-run.ts'

/** Deletes one batch of obsolete rows. @returns whether more may remain */
export type MaintenanceJob = () => Promise<boolean>

const intervalMs = 5 * 60_000
/** Maximum batches per job and round: backlogs take several rounds, so others need not wait long. */
const maxSlices = 100

/** Processes rows one by one; failed rows are logged and retried next round. @returns how many succeeded */
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

/** Runs the jobs every few minutes in turn. Failed jobs are logged and retried next round. */
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
