import type { PlatformErrorCode, PlatformName } from '../../database/column-types.ts'
import { PlannedWaitError, PlatformError } from '../platform.ts'
import { type CircuitState, createCircuit } from './circuit.ts'
import type { Quota, QuotaState, QuotaStore } from './quota.ts'
import { createSlots, type EnterSlot } from './slots.ts'
import { createWindows, type RequestWindow, type Room } from './windows.ts'

/** What one host allows, known before the first call, from its documentation. */
export interface BudgetLimits {
  /** What operators know the host by; unique within its platform. */
  name: string
  windows: readonly RequestWindow[]
  /** Requests under way at the same time. */
  concurrency: number
  /** Of a day or longer; it survives a restart. */
  quota?: Pick<Quota, 'limit' | 'periodEnd'>
}

/** How an adapter gets the budget of a host: once, when it is made. */
export type OpenBudget = (limits: BudgetLimits) => Budget

/** What is remembered of a host across restarts. */
export interface HostMemory extends CircuitState {
  /** No request before this moment, because the host said so. */
  cooldownUntil: Date | null
  lastSuccessAt: Date | null
  lastError: { code: PlatformErrorCode; message: string; at: Date } | null
}

export interface BudgetState extends HostMemory {
  name: string
  room: Room
}

/**
 * What one process may send to one host, for all tasks together: places among the requests under way, sliding windows, a
 * daily quota, the rests that the host asks for, and a pause when it keeps failing.
 */
export interface Budget {
  readonly name: string
  enter: EnterSlot
  /** Once for a call, however many tries it has. @throws PlannedWaitError while the host is paused because it keeps failing. */
  admit(now: Date): void
  /**
   * Takes one request; it may be sent then.
   * @throws PlannedWaitError when it must wait, PlatformError `quota_exhausted` when the quota of a day is used up.
   */
  take(now: Date): Promise<void>
  /** What the host says is left until `resetAt`. A reset that is not in the future says nothing. */
  correct(limits: { remaining: number; resetAt: Date }, now: Date): void
  /** What the host says is left of its quota, and when to look again if that is nothing. */
  correctQuota(left: { remaining: number; resetsAt: Date }, now: Date): Promise<void>
  /** No request before this moment. An earlier rest that lasts longer stays. */
  pauseUntil(moment: Date): void
  /** The host has answered in its own form, be it to refuse: it works. */
  recordAnswer(): void
  recordSuccess(now: Date): void
  recordFailure(error: PlatformError, now: Date): void
  state(now: Date): BudgetState
  readQuota(now: Date): Promise<(QuotaState & { limit: number }) | null>
  restore(memory: HostMemory): void
}

export interface BudgetOptions extends BudgetLimits {
  platform: PlatformName
  quotas: QuotaStore
}

/** @throws RangeError when a limit is not a whole number above 0. */
export function createBudget(options: BudgetOptions): Budget {
  const { platform, name, quotas } = options
  const windows = createWindows(options.windows)
  const circuit = createCircuit()
  const quota: Quota | null = options.quota ? { platform, name, ...options.quota } : null
  let cooldownUntil: Date | null = null
  let lastSuccessAt: Date | null = null
  let lastError: HostMemory['lastError'] = null
  let isUnreachable = false

  const pauseMessage = (until: Date) => {
    const cause = lastError ? ` (last: ${lastError.code})` : ''
    return `${platform} (${name}) keeps failing${cause} and is paused until ${until.toISOString()}.`
  }

  return {
    name,
    enter: createSlots(options.concurrency),

    admit(now) {
      const pausedUntil = circuit.admit(now)
      if (pausedUntil) throw new PlannedWaitError('unavailable', pauseMessage(pausedUntil), pausedUntil, isUnreachable)
    },

    async take(now) {
      if (cooldownUntil && cooldownUntil > now) {
        throw new PlannedWaitError(
          'rate_limited',
          `${platform} is next asked at ${cooldownUntil.toISOString()}.`,
          cooldownUntil,
        )
      }
      const freeAt = windows.take(now)
      if (freeAt) {
        throw new PlannedWaitError('rate_limited', `${platform} is next asked at ${freeAt.toISOString()}.`, freeAt)
      }
      const resetsAt = quota && (await quotas.take(quota, now))
      if (!resetsAt) return
      // No retryAt: nobody waits for tomorrow, the task ends.
      const message = `The daily quota of ${platform} is used up. It is next asked at ${resetsAt.toISOString()}.`
      throw new PlatformError('quota_exhausted', message)
    },

    correct: windows.correct,
    async correctQuota({ remaining, resetsAt }, now) {
      if (quota) await quotas.correct(quota, remaining, resetsAt, now)
    },
    pauseUntil(moment) {
      if (!cooldownUntil || moment > cooldownUntil) cooldownUntil = moment
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
    state: (now) => ({ name, room: windows.room(now), cooldownUntil, lastSuccessAt, lastError, ...circuit.state() }),
    readQuota: async (now) => {
      if (!quota) return null
      const state = (await quotas.read(quota, now)) ?? { used: 0, resetsAt: quota.periodEnd(now) }
      return { ...state, limit: quota.limit }
    },
    restore(memory) {
      circuit.restore(memory)
      cooldownUntil = memory.cooldownUntil
      lastSuccessAt = memory.lastSuccessAt
      lastError = memory.lastError
    },
  }
}
