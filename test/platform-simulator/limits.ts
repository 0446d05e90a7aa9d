import type { Clock } from '../../src/runtime/clock.ts'

/** How often a platform may be asked. */
export interface LimitRule {
  /** Who shares the count: one for each credential, and one for the anonymous. */
  bucket: string
  limit: number
  windowMs: number
  /** Where windows end at a time of the day: when one that begins now does, in epoch milliseconds. No scale shortens it. */
  windowEnd?: (now: number) => number
  /** A second, short limit whose breach locks the client out. */
  burst?: { limit: number; windowMs: number; penaltyMs: number }
}

/** What the platform tells about its window; `resetAt` is in epoch milliseconds, on a whole second. */
export interface LimitState {
  limit: number
  remaining: number
  used: number
  resetAt: number
}

/** `primary` names when the wait ends, `secondary` is an abuse limit that does, `silent` names nothing. */
export type RefusalForm = 'primary' | 'secondary' | 'silent'

export interface Wait {
  form: RefusalForm
  /** Epoch milliseconds. */
  until: number
}

export type BreachRule = 'wait_not_kept' | 'burst' | 'no_user_agent'

export interface Admission {
  state: LimitState
  refusal: Wait | null
  breach: BreachRule | null
}

export interface Limiter {
  /** Counts a request, or refuses it. */
  admit(rule: LimitRule): Admission
  /** The client was told to wait: what comes before the end of the wait is refused and is a breach. */
  hold(bucket: string, wait: Wait): void
  /** Forgets every wait, but not what was counted. */
  release(): void
}

export interface LimiterOptions {
  clock: Clock
  /** Windows are this many times shorter than in reality. */
  timeScale: number
  /** Without it everything is admitted, except during a wait that a fault announced. */
  enforced: boolean
  /** What a platform says when its window is used up. */
  exhaustedForm: RefusalForm
  /** Whether true answers tell of the window: then it ends at a whole second. */
  isAnnounced: boolean
}

/** What is announced where nothing is enforced: a careful client must not wait. */
const roomyLimit = 1_000_000

/** The end of a wait as the platforms announce it, in whole seconds. */
export function wholeSecond(epochMs: number): number {
  return Math.ceil(epochMs / 1_000) * 1_000
}

/**
 * Counts in fixed windows that begin with their first request, as the platforms do. A window ends exactly at the second
 * that is announced for it, so a client that trusts the announcement is never refused.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, timeScale, enforced } = options
  const windows = new Map<string, { used: number; endsAt: number }>()
  const holds = new Map<string, Wait>()

  const windowOf = (key: string, lengthMs: number, now: number, round: (end: number) => number) => {
    const current = windows.get(key)
    if (current && now < current.endsAt) return current
    const fresh = { used: 0, endsAt: round(now + lengthMs / timeScale) }
    windows.set(key, fresh)
    return fresh
  }

  // A window that is announced ends at the second that is announced; another one is as long as it is documented.
  const endOf = options.isAnnounced ? wholeSecond : (end: number) => end

  const isBurst = (rule: LimitRule, now: number): boolean => {
    if (!rule.burst) return false
    const window = windowOf(`${rule.bucket} burst`, rule.burst.windowMs, now, (end) => end)
    window.used += 1
    return window.used > rule.burst.limit
  }

  const admit = (rule: LimitRule): Admission => {
    const now = clock.now().getTime()
    const window = windowOf(rule.bucket, rule.windowMs, now, (end) => rule.windowEnd?.(now) ?? endOf(end))
    const state = (): LimitState => {
      const limit = enforced ? rule.limit : Math.max(rule.limit, roomyLimit)
      const used = enforced ? Math.min(window.used, rule.limit) : 1
      return { limit, remaining: limit - used, used, resetAt: window.endsAt }
    }
    const held = holds.get(rule.bucket)
    const isSpent = enforced && window.used >= rule.limit
    if (held && now < held.until) {
      const until = isSpent ? Math.max(held.until, window.endsAt) : held.until
      return { state: state(), refusal: { form: held.form, until }, breach: 'wait_not_kept' }
    }
    holds.delete(rule.bucket)
    if (enforced && isBurst(rule, now)) {
      const until = wholeSecond(now + rule.burst!.penaltyMs / timeScale)
      return { state: state(), refusal: { form: 'primary', until }, breach: 'burst' }
    }
    if (isSpent) {
      return { state: state(), refusal: { form: options.exhaustedForm, until: window.endsAt }, breach: null }
    }
    window.used += 1
    return { state: state(), refusal: null, breach: null }
  }

  return {
    admit,
    hold: (bucket, wait) => holds.set(bucket, wait),
    release: () => holds.clear(),
  }
}
