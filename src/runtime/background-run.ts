import { pauseUnlessAborted } from './abort.ts'

export interface BackgroundRunOptions {
  /**
   * One slice of the work. After a stop its signal is aborted: what waits for long should end then, without an error.
   * @returns whether there may be more.
   */
  step: (signal: AbortSignal) => Promise<boolean>
  /** How often a run begins by itself; without it only when it is asked for. */
  everyMs?: number
  /** After a step that has more, other work has the database to itself for so many times as long as the step took. */
  pauseFactor?: number
  /** Gets what a step threw in a run that `job` or `startSoon` began or joined. */
  onError: (error: unknown) => void
}

/** Work that goes on in the background, step by step, until there is none. There is one run at a time. */
export interface BackgroundRun {
  /** Begins a run, or wakes the one under way. Other maintenance jobs do not wait for it: it returns false at once. */
  job(): Promise<false>
  /** Begins a run, or joins the one under way, which takes one more step. @throws what a step threw. */
  run(): Promise<void>
  /** Does what `job` does, after a delay in milliseconds; of several calls the earliest counts. */
  startSoon(delayMs: number): void
  /** Ends the run after the step under way, and its pause at once. Nothing begins afterwards. */
  stop(): Promise<void>
}

/**
 * Does work in the background whenever it is woken. A wake-up is never lost: what may have come after the step under way began is found by
 * one more step, in a further run when that step fails.
 */
export function createBackgroundRun({ step, everyMs, pauseFactor = 0, onError }: BackgroundRunOptions): BackgroundRun {
  const stopping = new AbortController()
  const { signal } = stopping
  let underWay: Promise<void> | null = null
  /** Whether something woke the run since its last step began. */
  let isWoken = false
  /** Whether the run has no caller, or others beside its callers. */
  let isReported = false
  let timer: NodeJS.Timeout | undefined
  let startsAt = Number.POSITIVE_INFINITY

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
  const interval = everyMs === undefined ? undefined : setInterval(start, everyMs).unref()
  return {
    run,
    job: async () => {
      start()
      return false
    },
    startSoon: (delayMs) => {
      const at = performance.now() + delayMs
      if (signal.aborted || at >= startsAt) return
      clearTimeout(timer)
      startsAt = at
      timer = setTimeout(() => {
        startsAt = Number.POSITIVE_INFINITY
        start()
      }, delayMs).unref()
    },
    stop: async () => {
      stopping.abort()
      clearInterval(interval)
      clearTimeout(timer)
      await underWay?.catch(() => {})
    },
  }
}

/** How long after a wake-up a run looks once more for what was committed after it. */
const recheckMs = 3_000

export interface WakeOptions {
  /** Calls back for each notification of a channel. @returns the function that ends it. */
  listen: (channel: string, wake: () => void) => Promise<() => Promise<void>>
  channel: string
  delayMs: number
}

/**
 * Begins a run for what another process left, and wakes it after each notification of a channel: after a delay, and once more some seconds later. Of
 * transactions that end at the same time only one notifies, and another may end after the run that it woke (`database/schema/request-copies.sql`).
 * @returns the run, whose end ends the listening, too.
 */
export async function wakeOn(run: BackgroundRun, { listen, channel, delayMs }: WakeOptions): Promise<BackgroundRun> {
  let recheck: NodeJS.Timeout | undefined
  const stopListening = await listen(channel, () => {
    run.startSoon(delayMs)
    recheck ??= setTimeout(() => {
      recheck = undefined
      run.startSoon(0)
    }, recheckMs).unref()
  })
  run.startSoon(0)
  return {
    ...run,
    stop: async () => {
      clearTimeout(recheck)
      await Promise.all([run.stop(), stopListening()])
    },
  }
}
