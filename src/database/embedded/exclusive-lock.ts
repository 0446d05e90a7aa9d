import { currentOrder, currentOwner, service, unknownCaller } from '../../runtime/work-owner.ts'

/**
 * Orders operations on the embedded database's one connection. A shared operation holds the lock only while it is sent,
 * so the next need not wait for the answer; a holder blocks all others. An owner's earliest call goes first, with all
 * its operations, which would else wait for everything asked meanwhile. Among owners the one with the least recent use
 * goes first: slow searches of one account delay others by a single statement.
 */
export interface ExclusiveLock {
  /** @param send sends one statement immediately */
  share<T>(send: () => Promise<T>): Promise<T>
  /** @returns an idempotent function that releases the lock */
  hold(): Promise<() => void>
}

/** How long an account counts as active, and half-life of its use: delays nobody by more than some seconds. */
const recentMs = 1_000

interface Owner {
  name: string
  /** In call order. */
  waiting: { order: number; grant: () => void }[]
  /** Milliseconds of use until `usedAt`; older use counts less. */
  usedMs: number
  usedAt: number
}

/** Statements a lone account may have sent and unanswered, so that the thread never idles. */
const sentAhead = 2

function createQueue(now: () => number) {
  const owners = new Map<string, Owner>()
  const usedBy = ({ usedMs, usedAt }: Owner, at: number) => usedMs * 0.5 ** ((at - usedAt) / recentMs)
  const forgetIdle = (at: number) => {
    for (const { name, waiting, usedAt } of owners.values()) {
      if (waiting.length === 0 && at - usedAt > recentMs) owners.delete(name)
    }
  }
  return {
    add: (grant: (owner: Owner) => void): void => {
      const [name, at] = [currentOwner(), now()]
      const owner = owners.get(name) ?? { name, waiting: [], usedMs: 0, usedAt: at }
      const order = currentOrder()
      const after = owner.waiting.findLastIndex((other) => other.order <= order)
      owner.waiting.splice(after + 1, 0, { order, grant: () => grant(owner) })
      owners.set(name, owner)
    },
    take: (): (() => void) | undefined => {
      const at = now()
      let next: Owner | null = null
      for (const owner of owners.values()) {
        if (owner.waiting.length > 0 && (next === null || usedBy(owner, at) < usedBy(next, at))) next = owner
      }
      return next?.waiting.shift()?.grant
    },
    use: (owner: Owner, ms: number): void => {
      const at = now()
      owner.usedMs = usedBy(owner, at) + ms
      owner.usedAt = at
      // It may have been dropped during a long statement.
      if (!owners.has(owner.name)) owners.set(owner.name, owner)
      forgetIdle(at)
    },
    /** Whether several accounts used the database recently. */
    isShared: (): boolean => [...owners.keys()].filter((name) => name !== service && name !== unknownCaller).length > 1,
  }
}

export function createExclusiveLock(now = () => performance.now()): ExclusiveLock {
  const queue = createQueue(now)
  let held = false
  let underWay = 0
  let answeredAt = 0

  const grantNext = () => {
    // Sent statements cannot be overtaken, so only a lone account sends its next one before the answer.
    while (!held && underWay < (queue.isShared() ? 1 : sentAhead)) {
      const grant = queue.take()
      if (grant === undefined) return
      grant()
    }
  }
  const ask = (grant: (owner: Owner) => void) => {
    queue.add(grant)
    grantNext()
  }
  const ended = (owner: Owner, from: number) => {
    const at = now()
    // The second of two sent operations runs from the first one's answer.
    queue.use(owner, at - Math.max(from, answeredAt))
    answeredAt = at
    // An answered owner may ask again at once, having used less than the waiting one.
    if (owner.waiting.length === 0 && queue.isShared()) setImmediate(grantNext)
    else grantNext()
  }
  return {
    share: (send) =>
      new Promise((resolve, reject) =>
        ask((owner) => {
          const from = now()
          underWay += 1
          const answered = send().finally(() => {
            underWay -= 1
            ended(owner, from)
          })
          answered.then(resolve, reject)
        }),
      ),
    hold: () =>
      new Promise((resolve) =>
        ask((owner) => {
          const from = now()
          held = true
          let isReleased = false
          resolve(() => {
            if (isReleased) return
            isReleased = true
            held = false
            ended(owner, from)
          })
        }),
      ),
  }
}
