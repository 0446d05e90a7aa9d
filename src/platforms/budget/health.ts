import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import { formatMoment } from '../../runtime/dates.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { PlannedWaitError, type PlatformError } from '../platform.ts'

/** Consecutive failures, across tasks, before a host counts as down: fewer may be the fault of one page. */
const failuresToPause = 5
const firstPauseMs = 60_000
const maxPauseMs = 30 * 60_000
/** How long a probe may take before another request is let through. */
const probeMs = 60_000

const failureCodes: ReadonlySet<PlatformErrorCode> = new Set(['unavailable', 'timeout', 'bad_response', 'blocked'])
/** A host that explains its refusal works. */
const healthyCodes: ReadonlySet<PlatformErrorCode> = new Set(['rate_limited', 'unauthorized'])

interface CircuitState {
  failures: number
  pausedUntil: Date | null
}

/** Pauses a host for a minute after five failures in a row, doubling up to half an hour; then one request probes it. */
interface Circuit {
  /** When a request may be sent; null for now. After a pause, null goes to a single probing request. */
  admit(now: Date): Date | null
  /** The host answered, so it works. */
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
      // Longer than any new pause: the clock was set back.
      if (pausedUntil.getTime() - now.getTime() > maxPauseMs + clockToleranceMs) pausedUntil = now
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

export interface HealthState extends CircuitState {
  lastSuccessAt: Date | null
  lastError: { code: PlatformErrorCode; message: string; at: Date } | null
}

/** Call results of one host, and its pause after repeated failures. */
export interface Health {
  /** @throws PlannedWaitError while the host is paused */
  admit(now: Date): void
  /** The host answered in its own format, so it works, even if it refused. */
  recordAnswer(): void
  recordSuccess(now: Date): void
  recordFailure(error: PlatformError, now: Date): void
  state(): HealthState
  restore(state: HealthState): void
}

/** @param name of the host */
export function createHealth(platform: PlatformName, name: string): Health {
  const circuit = createCircuit()
  let lastSuccessAt: Date | null = null
  let lastError: HealthState['lastError'] = null
  let isUnreachable = false

  const pauseMessage = (until: Date) => {
    const cause = lastError ? ` (last: ${lastError.code})` : ''
    return `${platform} (${name}) keeps failing${cause} and is paused until ${formatMoment(until)}.`
  }

  return {
    admit(now) {
      const pausedUntil = circuit.admit(now)
      if (pausedUntil) throw new PlannedWaitError('unavailable', pauseMessage(pausedUntil), pausedUntil, isUnreachable)
    },
    recordAnswer: circuit.recordAnswer,
    recordSuccess(now) {
      circuit.recordAnswer()
      lastSuccessAt = now
    },
    recordFailure(error, now) {
      circuit.recordFailure(error, now)
      isUnreachable = error.isUnreachable
      lastError = { code: error.code, message: error.message, at: now }
    },
    state: () => ({ ...circuit.state(), lastSuccessAt, lastError }),
    restore(state) {
      circuit.restore(state)
      lastSuccessAt = state.lastSuccessAt
      lastError = state.lastError
    },
  }
}
