/** Runs a read, or shares one that has not begun yet. */
export type CoalescedReads = <T>(key: string, read: () => Promise<T>) => Promise<T>

interface Turn {
  running: Promise<unknown>
  /** The one read that everybody who came since shares; it begins when the running one has ended. */
  next: Promise<unknown> | null
}

/**
 * Lets equal reads that come at the same time share one. Nobody is ever given what was read before they asked: whoever comes
 * while a read runs shares the next one, which begins after it. So nothing is stale, nothing is kept, and however many ask
 * for the same, one read of it runs at a time.
 *
 * The key must say everything that the answer depends on besides the database: also who asks, where that matters.
 */
export function createCoalescedReads(): CoalescedReads {
  const turns = new Map<string, Turn>()

  const begin = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const turn: Turn = { running: read(), next: null }
    turns.set(key, turn)
    const end = () => {
      if (turn.next === null) turns.delete(key)
    }
    turn.running.then(end, end)
    return turn.running as Promise<T>
  }

  return <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const turn = turns.get(key)
    if (turn === undefined) return begin(key, read)
    const next = () => begin(key, read)
    turn.next ??= turn.running.then(next, next)
    return turn.next as Promise<T>
  }
}
