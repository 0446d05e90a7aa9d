import type { Clock } from '../src/runtime/clock.ts'

/** The requests that a platform allows. */
export interface LimitRule {
  /** The clients that share the count: one bucket for each credential, and one for anonymous clients. */
  bucket: string
  limit: number
  windowMs: number
  /** For windows that end at a time of the day: the end of one that begins now, in epoch milliseconds. The time scale does not shorten it. */
  windowEnd?: (now: number) => number
  /** A second, short limit whose breach locks the client out. */
  burst?: { limit: number; windowMs: number; penaltyMs: number }
}

/** The window as the platform announces it; `resetAt` is in epoch milliseconds, on a whole second. */
export interface LimitState {
  limit: number
  remaining: number
  used: number
  resetAt: number
}

/** What answers announce of a limit: the end of the window, the remaining calls, only the wait once they refuse, or nothing at all. */
export type Announcement = 'reset' | 'remaining' | 'refusal' | 'nothing'

/** Whether true answers announce when a limit is reached. */
export const tellsOfLimit = (announces: Announcement): boolean => announces === 'reset' || announces === 'remaining'

/** `primary` and `secondary` (an abuse limit) name the end of the wait, `silent` names none. */
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
  /** After an announced wait: requests before its end are refused, and each is a breach. */
  hold(bucket: string, wait: Wait): void
  /** Ends every wait; the counts stay. */
  release(): void
}

export interface LimiterOptions {
  clock: Clock
  /** Windows are this many times shorter than in reality. */
  timeScale: number
  /** Without it everything is admitted, except during a wait that a fault announced. */
  enforced: boolean
  /** A window that is announced ends at a whole second; where nothing is, refusals are silent, too. */
  announces: Announcement
}

/** Announced where no limit is enforced: a careful client must not wait. */
const roomyLimit = 1_000_000

/** The end of a wait as the platforms announce it, in whole seconds. */
export const wholeSecond = (epochMs: number): number => Math.ceil(epochMs / 1_000) * 1_000

interface Window {
  used: number
  endsAt: number
}

/** Fixed windows that begin with their first request, as those of the platforms do. */
function createWindows(timeScale: number) {
  const windows = new Map<string, Window>()
  /** The present window of a key. @param endOf the end of a new one, from the end that its length gives */
  return (key: string, lengthMs: number, now: number, endOf: (end: number) => number): Window => {
    const current = windows.get(key)
    if (current && now < current.endsAt) return current
    const fresh = { used: 0, endsAt: endOf(now + lengthMs / timeScale) }
    windows.set(key, fresh)
    return fresh
  }
}

/**
 * Counts the requests of clients. A window ends exactly at the second that is announced for it, so a client that trusts the
 * announcement is never refused.
 */
export function createLimiter(options: LimiterOptions): Limiter {
  const { clock, timeScale, enforced, announces } = options
  const windowOf = createWindows(timeScale)
  const holds = new Map<string, Wait>()

  const stateOf = (rule: LimitRule, window: Window): LimitState => {
    const limit = enforced ? rule.limit : Math.max(rule.limit, roomyLimit)
    const used = enforced ? Math.min(window.used, rule.limit) : 1
    return { limit, remaining: limit - used, used, resetAt: window.endsAt }
  }
  // An announced window ends at the announced second; any other has its documented length.
  const endOf = tellsOfLimit(announces) ? wholeSecond : (end: number) => end

  const isBurst = (rule: LimitRule, now: number): boolean => {
    if (!rule.burst) return false
    const window = windowOf(`${rule.bucket} burst`, rule.burst.windowMs, now, (end) => end)
    window.used += 1
    return window.used > rule.burst.limit
  }

  const refusalOf = (rule: LimitRule, window: Window, now: number): Omit<Admission, 'state'> | null => {
    const held = holds.get(rule.bucket)
    const isSpent = enforced && window.used >= rule.limit
    if (held && now < held.until) {
      const until = isSpent ? Math.max(held.until, window.endsAt) : held.until
      return { refusal: { form: held.form, until }, breach: 'wait_not_kept' }
    }
    holds.delete(rule.bucket)
    if (enforced && isBurst(rule, now)) {
      const until = wholeSecond(now + rule.burst!.penaltyMs / timeScale)
      return { refusal: { form: 'primary', until }, breach: 'burst' }
    }
    const form = announces === 'nothing' ? 'silent' : 'primary'
    return isSpent ? { refusal: { form, until: window.endsAt }, breach: null } : null
  }

  return {
    admit: (rule) => {
      const now = clock.now().getTime()
      const window = windowOf(rule.bucket, rule.windowMs, now, (end) => rule.windowEnd?.(now) ?? endOf(end))
      const refused = refusalOf(rule, window, now)
      if (refused === null) window.used += 1
      return { state: stateOf(rule, window), ...(refused ?? { refusal: null, breach: null }) }
    },
    hold: (bucket, wait) => holds.set(bucket, wait),
    release: () => holds.clear(),
  }
}
