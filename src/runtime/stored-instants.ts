import type { Logger } from 'pino'
import { type BackgroundRun, createBackgroundRun } from './background-run.ts'
import type { Clock } from './clock.ts'

/** Pulls in times stored by a clock that was ahead; nothing would happen until then. @returns how many */
export type InstantCorrection = (now: Date) => Promise<number>

/** Tolerance for such times: processes' clocks differ, and fresh times must not look wrong to another process. */
export const clockToleranceMs = 3600_000

const lookEveryMs = 10_000
/** How often to correct without a change of this clock: another process's may have changed. */
const correctEveryMs = 3600_000

/** Corrects at startup, after a clock change, and hourly. Failures are logged and stop no other correction. */
export function startCorrecting(
  corrections: Readonly<Record<string, InstantCorrection>>,
  { clock, log }: { clock: Clock; log: Pick<Logger, 'warn' | 'error'> },
): BackgroundRun {
  let lookedAt = Number.POSITIVE_INFINITY
  let correctedAt = Number.NEGATIVE_INFINITY
  const correct = async (now: Date) => {
    let hasFailed = false
    for (const [name, correction] of Object.entries(corrections)) {
      try {
        const corrected = await correction(now)
        if (corrected > 0) log.warn({ of: name, corrected }, 'instants lay too far ahead: was the clock set back?')
      } catch (error) {
        hasFailed = true
        log.error({ err: error, of: name }, 'stored instants were not corrected')
      }
    }
    return hasFailed
  }
  const run = createBackgroundRun({
    everyMs: lookEveryMs,
    step: async () => {
      const now = clock.now()
      const wasSetBack = now.getTime() < lookedAt
      lookedAt = now.getTime()
      if (!wasSetBack && performance.now() - correctedAt < correctEveryMs) return false
      const hasFailed = await correct(now)
      correctedAt = hasFailed ? Number.NEGATIVE_INFINITY : performance.now()
      return false
    },
    onError: (error) => log.error({ err: error }, 'stored instants were not corrected'),
  })
  run.startSoon(0)
  return run
}
