import { type BackgroundRun, createBackgroundRun } from '../runtime/background-run.ts'
import { type DueDependencies, runDueWatches } from './due.ts'

/** How late a run may begin, besides a busy service. */
const intervalMs = 10_000

/** Runs watches that are due, every few seconds until it is stopped. */
export const startWatches = (dependencies: DueDependencies): BackgroundRun =>
  createBackgroundRun({
    everyMs: intervalMs,
    step: async (signal) => {
      await runDueWatches(dependencies, signal)
      return false
    },
    onError: (error) => dependencies.log.error({ err: error }, 'watches that are due could not be read'),
  })
