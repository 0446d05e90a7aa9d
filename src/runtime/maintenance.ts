import type { Logger } from 'pino'

/** Deletes one slice of what is no longer needed. @returns whether there may be more. */
export type MaintenanceJob = () => Promise<boolean>

const intervalMs = 5 * 60_000
/** The most slices of a job in one round: a backlog is worked off over several rounds, and nobody waits long for it. */
const maxSlices = 100

export interface Maintenance {
  /** Does every job now. */
  run(): Promise<void>
  /** Ends the rounds, and waits for a slice that is under way. */
  stop(): Promise<void>
}

/**
 * Does the work for one row after the other. A row that fails is logged and left for the next round: it must not keep the others from
 * their turn. @returns for how many it was done.
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
      log.error({ err: error, id: row.id }, 'a row was passed over in maintenance')
    }
  }
  return done
}

/** Does the jobs every few minutes, one slice after the other. What fails is logged and tried again in the next round. */
export function startMaintenance(jobs: Record<string, MaintenanceJob>, log: Logger): Maintenance {
  let stopped = false
  const run = async () => {
    for (const [name, job] of Object.entries(jobs)) {
      try {
        let more = true
        for (let slice = 0; more && slice < maxSlices && !stopped; slice++) more = await job()
      } catch (error) {
        log.error({ err: error, job: name }, 'maintenance failed')
      }
    }
  }
  let round = Promise.resolve()
  const timer = setInterval(() => {
    round = round.then(run)
  }, intervalMs).unref()
  return {
    run: () => {
      round = round.then(run)
      return round
    },
    stop: async () => {
      stopped = true
      clearInterval(timer)
      await round
    },
  }
}
