import type { Logger } from 'pino'
import { type BackgroundRun, createBackgroundRun } from './background-run.ts'
import type { Clock } from './clock.ts'

/**
 * Corrects what one room stored for later: an instant that lies further ahead than the one that its rule gives from now. Only a clock that was
 * ahead, and was set back, leaves such instants; without a correction nothing would happen until they come.
 * @returns how many were corrected.
 */
export type InstantCorrection = (now: Date) => Promise<number>

/**
 * By so much an instant may lie beyond what its rule gives from now and is left alone: the clocks of two processes differ, and what one of them has
 * just stored must not look wrong to the other.
 */
export const clockToleranceMs = 3600_000

/** How often the clock is looked at. */
const lookEveryMs = 10_000
/** How often all is corrected while the clock of this process goes forward: the clock of another process may have been set back. */
const correctEveryMs = 3600_000

/** Runs the corrections at the start, when the clock was set back, and every hour. One that fails is logged and keeps no other from running. */
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
