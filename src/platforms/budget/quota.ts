import type { PlatformName } from '../../database/column-types.ts'

/** A number of requests for a long period, such as a day; its use survives a restart of the service. */
export interface Quota {
  platform: PlatformName
  /** Unique within the platform. */
  name: string
  limit: number
  /** When a period that begins now ends. */
  periodEnd: (now: Date) => Date
}

export interface QuotaState {
  used: number
  resetsAt: Date
}

/** Counts the use of quotas, for all processes that share the database. */
export interface QuotaStore {
  /** Counts one request atomically. @returns null when it may be sent, else when the next period begins. */
  take(quota: Quota, now: Date): Promise<Date | null>
  /** Applies what the platform says is left: its count includes other users of the same address or key. */
  correct(quota: Quota, remaining: number, resetsAt: Date, now: Date): Promise<void>
  /** null when nothing of the current period was used. */
  read(quota: Quota, now: Date): Promise<QuotaState | null>
}

/** For tests and tools that have no database. */
export function createMemoryQuotas(): QuotaStore {
  const states = new Map<string, QuotaState>()
  const keyOf = ({ platform, name }: Quota) => `${platform} ${name}`
  const current = (quota: Quota, now: Date): QuotaState => {
    const state = states.get(keyOf(quota))
    if (state && state.resetsAt > now) return state
    const fresh = { used: 0, resetsAt: quota.periodEnd(now) }
    states.set(keyOf(quota), fresh)
    return fresh
  }
  return {
    async take(quota, now) {
      const state = current(quota, now)
      if (state.used >= quota.limit) return state.resetsAt
      state.used += 1
      return null
    },
    async correct(quota, remaining, resetsAt, now) {
      const state = current(quota, now)
      state.used = Math.max(state.used, quota.limit - remaining)
      if (remaining <= 0 && resetsAt < state.resetsAt) state.resetsAt = resetsAt
    },
    async read(quota, now) {
      const state = states.get(keyOf(quota))
      return state && state.resetsAt > now ? { ...state } : null
    },
  }
}
