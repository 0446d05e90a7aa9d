import type { PlatformName } from '../../database/column-types.ts'
import { formatMoment } from '../../runtime/dates.ts'
import { clockToleranceMs } from '../../runtime/stored-instants.ts'
import { maxPauseMs } from '../headers.ts'
import { PlannedWaitError, PlatformError } from '../platform.ts'
import { createHealth, type HealthState } from './health.ts'
import type { Quota, QuotaState, QuotaStore } from './quota.ts'
import { createSlots, type EnterSlot } from './slots.ts'
import { createWindows, type RequestWindow, type Room } from './windows.ts'

interface CooldownState {
  /** No request before this moment, because the host demanded it; may be in the past. */
  cooldownUntil: Date | null
}

/** The time that a host demands without requests. */
interface Cooldown {
  /** When it ends; null when there is none. */
  until(now: Date): Date | null
  /** Begins a cooldown until this moment; a longer one that is under way stays. */
  extend(moment: Date): void
  state(now: Date): CooldownState
  restore(state: CooldownState): void
}

function createCooldown(): Cooldown {
  let cooldownUntil: Date | null = null
  /** One that ends later than any that begins now was demanded before the clock was set back. */
  const state = (now: Date): CooldownState => {
    if (cooldownUntil && cooldownUntil.getTime() - now.getTime() > maxPauseMs + clockToleranceMs) cooldownUntil = null
    return { cooldownUntil }
  }
  return {
    until: (now) => {
      const { cooldownUntil: end } = state(now)
      return end && end > now ? end : null
    },
    extend(moment) {
      if (!cooldownUntil || moment > cooldownUntil) cooldownUntil = moment
    },
    state,
    restore(state) {
      cooldownUntil = state.cooldownUntil
    },
  }
}

/** The limits of one host, as its documentation states them. */
export interface BudgetLimits {
  /** The name of the host for operators; unique within its platform. */
  name: string
  windows: readonly RequestWindow[]
  /** The maximum number of requests under way at the same time. */
  concurrency: number
  /** For a day or longer; its use survives a restart. */
  quota?: Pick<Quota, 'limit' | 'periodEnd'>
  /** Left out of the hosts that `wishwell admin platforms` shows: an account named it, or it is a second limit of a host that is shown. */
  isUnlisted?: boolean
  /** The platform can search without it: it does not decide whether the platform is ready. */
  isOptional?: boolean
}

/** Gives an adapter the budget of a host; called once for each host. */
export type OpenBudget = (limits: BudgetLimits) => Budget

/** The state of a host that survives restarts. */
export interface HostMemory extends CooldownState, HealthState {}

export interface BudgetState extends HostMemory {
  name: string
  room: Room
}

/**
 * What one process may send to one host, for all tasks together: slots for the requests under way, sliding windows, a
 * daily quota, the cooldowns that the host demands, and a pause while it keeps failing.
 */
export interface Budget {
  readonly name: string
  readonly isOptional: boolean
  enter: EnterSlot
  /** Called once for a call, before its first try. @throws PlannedWaitError while the host is paused because it keeps failing. */
  admit(now: Date): void
  /**
   * Counts one request, which may be sent now.
   * @throws PlannedWaitError when it must wait, PlatformError `quota_exhausted` when the daily quota is used up.
   */
  take(now: Date): Promise<void>
  /** Applies what the host says is left until `resetAt`. A reset that is not in the future is ignored. */
  correct(limits: { remaining: number; resetAt: Date }, now: Date): void
  /** Applies what the host says is left of its quota; if that is nothing, the next request is sent at `resetsAt`. */
  correctQuota(left: { remaining: number; resetsAt: Date }, now: Date): Promise<void>
  /** Begins a cooldown until this moment; a longer one that is under way stays. */
  pauseUntil(moment: Date): void
  /** The host has answered in its own form: it works, even if it refused. */
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
  const quota: Quota | null = options.quota ? { platform, name, ...options.quota } : null
  const health = createHealth(platform, name)
  const cooldown = createCooldown()

  return {
    name,
    isOptional: options.isOptional ?? false,
    enter: createSlots(options.concurrency),
    admit: health.admit,
    async take(now) {
      const waitUntil = cooldown.until(now) ?? windows.take(now)
      if (waitUntil) {
        throw new PlannedWaitError('rate_limited', nextQueryMessage(platform, waitUntil), waitUntil)
      }
      const resetsAt = quota && (await quotas.take(quota, now))
      if (resetsAt) throw quotaExhausted(platform, resetsAt)
    },
    correct: windows.correct,
    async correctQuota({ remaining, resetsAt }, now) {
      if (quota) await quotas.correct(quota, remaining, resetsAt, now)
    },
    pauseUntil: cooldown.extend,
    recordAnswer: health.recordAnswer,
    recordSuccess: health.recordSuccess,
    recordFailure: health.recordFailure,
    state: (now) => ({ name, room: windows.room(now), ...cooldown.state(now), ...health.state() }),
    async readQuota(now) {
      if (!quota) return null
      const state = (await quotas.read(quota, now)) ?? { used: 0, resetsAt: quota.periodEnd(now) }
      return { ...state, limit: quota.limit }
    },
    restore(memory) {
      health.restore(memory)
      cooldown.restore(memory)
    },
  }
}

const nextQueryMessage = (platform: PlatformName, at: Date) => `${platform} is next queried at ${formatMoment(at)}.`

/** Without `retryAt`: it ends the task instead of delaying it to the next day. */
export const quotaExhausted = (platform: PlatformName, resetsAt: Date) =>
  new PlatformError(
    'quota_exhausted',
    `The daily quota of ${platform} is used up. It is next queried at ${formatMoment(resetsAt)}.`,
  )
