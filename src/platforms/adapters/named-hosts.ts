import type { Clock } from '../../runtime/clock.ts'
import type { Budget } from '../budget/budget.ts'
import { after } from '../headers.ts'
import { PlannedWaitError } from '../platform.ts'

/** Longer than any window of a host with a per-minute limit. */
const idleMs = 60_000
const crowdedRetryMs = 5_000

export interface NamedHostsOptions<Host> {
  clock: Clock
  listed: readonly string[]
  /** Opens a host's budgets. @param isForeign whether only accounts name it */
  open(name: string, isForeign: boolean): Host
  budgetsOf(host: Host): readonly Budget[]
  /** What the hosts are, in the plural, for messages. */
  what: string
  /** Maximum other hosts to remember. */
  maxForeign?: number
}

/**
 * Budgets of each host, shared by the process. Account-named hosts are opened on first use and evicted, least recently
 * used first, only a minute after their last request and after any cooldown.
 * @returns the budgets of a host; throws a PlannedWaitError if too many account-named hosts are in use
 */
export function createNamedHosts<Host>(options: NamedHostsOptions<Host>): (name: string) => Host {
  const { clock, listed, open, budgetsOf, what, maxForeign = 200 } = options
  const own = new Map([...new Set(listed)].map((name) => [name, open(name, false)]))
  const foreign = new Map<string, { host: Host; lastUsedAt: Date }>()

  const isIdle = ({ host, lastUsedAt }: { host: Host; lastUsedAt: Date }, now: Date) =>
    now.getTime() - lastUsedAt.getTime() > idleMs &&
    budgetsOf(host).every((budget) => (budget.state(now).cooldownUntil ?? now) <= now)

  function makeRoom(now: Date): void {
    if (foreign.size < maxForeign) return
    const idle = [...foreign].find(([, used]) => isIdle(used, now))
    if (!idle) throw new PlannedWaitError('rate_limited', `Too many ${what} are in use.`, after(now, crowdedRetryMs))
    foreign.delete(idle[0])
  }

  return (name) => {
    const mine = own.get(name)
    if (mine !== undefined) return mine
    const now = clock.now()
    const known = foreign.get(name)
    if (!known) makeRoom(now)
    const used = { host: known?.host ?? open(name, true), lastUsedAt: now }
    foreign.delete(name)
    foreign.set(name, used)
    return used.host
  }
}
