import { pauseUnlessAborted } from './abort.ts'
import type { MaintenanceJob } from './maintenance.ts'

export interface BackgroundRunOptions {
  /**
   * One slice of the work. After a stop its signal is aborted: what waits for long should end then, without an error.
   * @returns whether there may be more.
   */
  step: (signal: AbortSignal) => Promise<boolean>
  /** After a step that has more, other work has the database to itself for so many times as long as the step took. */
  pauseFactor?: number
  /** Gets what a step threw in a run that `job` or `startSoon` began or joined. */
  onError: (error: unknown) => void
}

/** Work that goes on in the background, step by step, until there is none. There is one run at a time. */
export interface BackgroundRun {
  /** Begins a run, or wakes the one under way. Other maintenance jobs do not wait for it: it returns false at once. */
  job: MaintenanceJob
  /** Begins a run, or joins the one under way, which takes one more step. @throws what a step threw. */
  run(): Promise<void>
  /** Does what `job` does, after a delay in milliseconds. Calls before its end change nothing. */
  startSoon(delayMs: number): void
  /** Ends the run after the step under way, and its pause at once. Nothing begins afterwards. */
  stop(): Promise<void>
}

/**
 * Does work in the background whenever it is woken. A wake-up is never lost: what may have come after the step under way began is found by
 * one more step, in a further run when that step fails.
 */
export function createBackgroundRun({ step, pauseFactor = 0, onError }: BackgroundRunOptions): BackgroundRun {
  const stopping = new AbortController()
  const { signal } = stopping
  let underWay: Promise<void> | null = null
  /** Whether something woke the run since its last step began. */
  let isWoken = false
  /** Whether the run has no caller, or others beside its callers. */
  let isReported = false
  let timer: NodeJS.Timeout | undefined

  const takeSteps = async () => {
    try {
      for (let more = true; (more || isWoken) && !signal.aborted; ) {
        isWoken = false
        const startedAt = performance.now()
        more = await step(signal)
        if (more && pauseFactor > 0) await pauseUnlessAborted((performance.now() - startedAt) * pauseFactor, signal)
      }
    } catch (error) {
      if (isReported) onError(error)
      throw error
    } finally {
      // In the turn in which the loop ended, not in a promise that follows: what wakes it in between would be lost.
      const startsAgain = isWoken && isReported && !signal.aborted
      underWay = null
      isWoken = false
      isReported = false
      if (startsAgain) start()
    }
  }
  const run = (): Promise<void> => {
    if (underWay !== null) isWoken = true
    underWay ??= Promise.resolve().then(takeSteps)
    return underWay
  }
  const start = () => {
    isReported = true
    run().catch(() => {})
  }
  return {
    run,
    job: async () => {
      start()
      return false
    },
    startSoon: (delayMs) => {
      if (signal.aborted) return
      timer ??= setTimeout(() => {
        timer = undefined
        start()
      }, delayMs).unref()
    },
    stop: async () => {
      stopping.abort()
      clearTimeout(timer)
      await underWay?.catch(() => {})
    },
  }
}

/** How long after a wake-up a run looks once more for what was committed after it. */
const recheckMs = 3_000

export interface Waking {
  wake(): void
  stop(): void
}

/**
 * Wakes a run after a delay, and once more some seconds later: of transactions that end at the same time only one notifies, and another may end
 * after the run that it woke (`database/schema/request-copies.sql`).
 */
export function wakeTwice(run: Pick<BackgroundRun, 'startSoon'>, delayMs: number): Waking {
  let recheck: NodeJS.Timeout | undefined
  return {
    wake: () => {
      run.startSoon(delayMs)
      recheck ??= setTimeout(() => {
        recheck = undefined
        run.startSoon(0)
      }, recheckMs).unref()
    },
    stop: () => clearTimeout(recheck),
  }
}
