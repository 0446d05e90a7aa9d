import type { PlatformErrorCode } from '../../database/column-types.ts'
import type { PlatformError } from '../platform.ts'

/** Failures in a row, of all tasks together, after which the host counts as down: fewer may be the fault of one page. */
const failuresToPause = 5
const firstPauseMs = 60_000
const maxPauseMs = 30 * 60_000
/** How long the one request after a pause may take before another one is let through. */
const probeMs = 60_000

const failureCodes: ReadonlySet<PlatformErrorCode> = new Set(['unavailable', 'timeout', 'bad_response', 'blocked'])
/** A host that explains its refusal works. */
const healthyCodes: ReadonlySet<PlatformErrorCode> = new Set(['rate_limited', 'unauthorized'])

export interface CircuitState {
  failures: number
  pausedUntil: Date | null
}

/**
 * Pauses a host that keeps failing: after five failures in a row for a minute, then twice as long after each further failure,
 * half an hour at most. After a pause a single request is let through; the others wait for its result.
 */
export interface Circuit {
  /** When a request may be sent; null for now. After a pause, null is given once: to the request that probes the host. */
  admit(now: Date): Date | null
  /** The host has answered, so it works. */
  recordAnswer(): void
  recordFailure(error: PlatformError, now: Date): void
  state(): CircuitState
  restore(state: CircuitState): void
}

export function createCircuit(): Circuit {
  let failures = 0
  let pausedUntil: Date | null = null

  const close = () => {
    failures = 0
    pausedUntil = null
  }

  return {
    admit(now) {
      if (pausedUntil === null) return null
      if (pausedUntil > now) return pausedUntil
      pausedUntil = new Date(now.getTime() + probeMs)
      return null
    },
    recordAnswer: close,
    recordFailure(error, now) {
      if (healthyCodes.has(error.code)) close()
      if (!failureCodes.has(error.code)) return
      failures += 1
      if (failures < failuresToPause) return
      const pauseMs = Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - failuresToPause))
      pausedUntil = new Date(now.getTime() + pauseMs)
    },
    state: () => ({ failures, pausedUntil }),
    restore: (state) => {
      failures = state.failures
      pausedUntil = state.pausedUntil
    },
  }
}
