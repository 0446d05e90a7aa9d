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
  /** The host demanded no requests before this; may be in the past. */
  cooldownUntil: Date | null
}

interface Cooldown {
  /** When it ends; null without one. */
  until(now: Date): Date | null
  /** Starts or extends a cooldown to this time; never shortens one. */
  extend(moment: Date): void
  state(now: Date): CooldownState
  restore(state: CooldownState): void
}

function createCooldown(): Cooldown {
  let cooldownUntil: Date | null = null
  /** A cooldown that ends later than any new one could was set before the clock went back. */
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

export interface BudgetLimits {
  /** The host's name for operators, unique within its platform. */
  name: string
  windows: readonly RequestWindow[]
  concurrency: number
  /** For a day or longer; its use survives a restart. */
  quota?: Pick<Quota, 'limit' | 'periodEnd'>
  /** Hidden in `wishwell admin platforms`: named by an account, or a second limit of a listed host. */
  isUnlisted?: boolean
  /** The platform can search without this host, so it does not decide readiness. */
  isOptional?: boolean
}

/** Opens a host's budget; called once per host. */
export type OpenBudget = (limits: BudgetLimits) => Budget

/** Host state that survives restarts. */
export interface HostMemory extends CooldownState, HealthState {}

export interface BudgetState extends HostMemory {
  name: string
  room: Room
}

/** What a process may send to one host: slots, windows, daily quota, cooldowns, and a pause while it fails. */
export interface Budget {
  readonly name: string
  readonly isOptional: boolean
  enter: EnterSlot
  /** Called once per call, before the first try. @throws PlannedWaitError while a failing host is paused */
  admit(now: Date): void
  /** @throws PlannedWaitError if it must wait, PlatformError `quota_exhausted` at the daily quota */
  take(now: Date): Promise<void>
  /** Applies the remaining requests the host states until `resetAt`; a reset in the past is ignored. */
  correct(limits: { remaining: number; resetAt: Date }, now: Date): void
  /** Applies the remaining quota the host states; if none, the next request waits until `resetsAt`. */
  correctQuota(left: { remaining: number; resetsAt: Date }, now: Date): Promise<void>
  /** Starts or extends a cooldown to this time; never shortens one. */
  pauseUntil(moment: Date): void
  /** The host answered in its own format, so it works, even if it refused. */
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

/** @throws RangeError if a limit is not a positive whole number */
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

/** Has no `retryAt`: ends the task instead of delaying it to the next day. */
export const quotaExhausted = (platform: PlatformName, resetsAt: Date) =>
  new PlatformError(
    'quota_exhausted',
    `The daily quota of ${platform} is used up. It is next queried at ${formatMoment(resetsAt)}.`,
  )
