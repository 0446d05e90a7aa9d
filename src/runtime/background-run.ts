import { pauseUnlessAborted } from './abort.ts'

export interface BackgroundRunOptions {
  /** Does one slice. Long waits should end, without error, once the signal aborts. @returns whether more may remain */
  step: (signal: AbortSignal) => Promise<boolean>
  /** Interval of automatic runs; without it, runs only on demand. */
  everyMs?: number
  /** After an incomplete step, pauses for this multiple of its duration. */
  pauseFactor?: number
  /** Gets step errors of runs started or joined by `job` or `startSoon`. */
  onError: (error: unknown) => void
}

/** Background work in steps until none is left, one run at a time. */
export interface BackgroundRun {
  /** Starts or wakes a run; returns false at once, so that other maintenance jobs need not wait. */
  job(): Promise<false>
  /** Starts a run, or joins the current one for one more step. @throws a step's error */
  run(): Promise<void>
  /** Like `job`, after a delay in milliseconds; the earliest of several calls counts. */
  startSoon(delayMs: number): void
  /** Ends the run after the current step, and pauses at once. Nothing starts afterwards. */
  stop(): Promise<void>
}

/** Runs when woken. No wake-up is lost: one during a step causes another, if need be in a new run. */
export function createBackgroundRun({ step, everyMs, pauseFactor = 0, onError }: BackgroundRunOptions): BackgroundRun {
  const stopping = new AbortController()
  const { signal } = stopping
  let underWay: Promise<void> | null = null
  /** Whether the run was woken since its last step started. */
  let isWoken = false
  /** Whether errors are reported: the run has no caller, or not only callers. */
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
      // In the turn in which the loop ended: a later promise could lose a wake-up in between.
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

/** Delay of a second run, for what was committed after the first. */
const recheckMs = 3_000

export interface WakeOptions {
  /** Calls back for each notification. @returns a function to stop */
  listen: (channel: string, wake: () => void) => Promise<() => Promise<void>>
  channel: string
  delayMs: number
}

/**
 * Starts a run for other processes' leftovers, and wakes it after each notification, then again some seconds later: of
 * transactions ending together only one notifies (`database/schema/request-copies.sql`).
 * @returns the run; stopping it stops listening
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
