import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, type PlatformError } from '../platform.ts'
import { type CircuitState, createCircuit } from './circuit.ts'

export interface HealthState extends CircuitState {
  lastSuccessAt: Date | null
  lastError: { code: PlatformErrorCode; message: string; at: Date } | null
}

/** How the calls to one host have ended, and the pause of a host that keeps failing. */
export interface Health {
  /** @throws PlannedWaitError while the host is paused. */
  admit(now: Date): void
  /** The host has answered in its own form: it works, even if it refused. */
  recordAnswer(): void
  recordSuccess(now: Date): void
  recordFailure(error: PlatformError, now: Date): void
  state(): HealthState
  restore(state: HealthState): void
}

/** @param name of the host. */
export function createHealth(platform: PlatformName, name: string): Health {
  const circuit = createCircuit()
  let lastSuccessAt: Date | null = null
  let lastError: HealthState['lastError'] = null
  let isUnreachable = false

  const pauseMessage = (until: Date) => {
    const cause = lastError ? ` (last: ${lastError.code})` : ''
    return `${platform} (${name}) keeps failing${cause} and is paused until ${until.toISOString()}.`
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
